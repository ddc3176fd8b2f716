#include "choose_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/model/unknown_name.hpp"
#include "errors.hpp"
#include "formulation_choice.hpp"

using namespace cotangent;

namespace {

int structure_kept(const MethodFacts& facts) {
  return 4 * facts.symplectic + 2 * (facts.keeps_position && facts.keeps_momentum) + 1 * facts.symmetric;
}

std::string virtues(const MethodFacts& facts) {
  std::vector<std::string> words;
  if (facts.symplectic) words.emplace_back("symplectic");
  if (facts.symmetric) words.emplace_back("symmetric");
  words.push_back(fmt::format("order {}", facts.order));
  if (facts.keeps_position && facts.keeps_momentum) words.emplace_back("keeps the constraints");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> formulation_names() {
  std::vector<std::string> names{direct_facts().name};
  for (const auto& entry : formulations<double>()) names.push_back(entry.facts.name);
  return names;
}

template <class T>
std::unique_ptr<Integrator<T>> make_as_wished(Manifold<T>& manifold, const RunOptions& options) {
  std::vector<std::string> names;
  for (const auto& method : methods<T>()) names.push_back(method.facts.name);
  options.places.blame("method", [&] { expect_name("method", *options.method, names); });
  const Method<T>& method = find_method<T>(*options.method);
  const auto& takes = method.facts.formulations;
  if (options.formulation && std::find(takes.begin(), takes.end(), *options.formulation) == takes.end())
    options.places.refuse(
        "formulation",
        fmt::format("the method '{}' does not take the formulation '{}'", *options.method, *options.formulation),
        fmt::format("it takes {}", fmt::join(takes, " or ")));
  return options.places.blame("method", [&] {
    return method.make(manifold, options.formulation.value_or(""), choose_formulation_options(options));
  });
}

}  // namespace

template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const RunOptions& options,
                                             std::vector<std::string>& notes) {
  if (options.formulation)
    options.places.blame("formulation", [&] { expect_name("formulation", *options.formulation, formulation_names()); });
  if (options.method) return make_as_wished(manifold, options);

  std::vector<const Method<T>*> candidates;
  for (const auto& method : methods<T>()) candidates.push_back(&method);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto* a, const auto* b) { return structure_kept(a->facts) > structure_kept(b->facts); });
  std::string refusals;
  for (const auto* method : candidates) {
    try {
      auto integrator = method->make(manifold, options.formulation.value_or(""), choose_formulation_options(options));
      notes.push_back(
          fmt::format("no method was given: '{}' was chosen ({})", method->facts.name, virtues(method->facts)));
      return integrator;
    } catch (const std::invalid_argument& refusal) {
      refusals += fmt::format("\n  {}", refusal.what());
    }
  }
  throw UsageError("no method can take this system:" + refusals);
}

template std::unique_ptr<Integrator<double>> choose_method(Manifold<double>&, const RunOptions&,
                                                           std::vector<std::string>&);
template std::unique_ptr<Integrator<long double>> choose_method(Manifold<long double>&, const RunOptions&,
                                                                std::vector<std::string>&);
template std::unique_ptr<Integrator<Quad>> choose_method(Manifold<Quad>&, const RunOptions&, std::vector<std::string>&);
