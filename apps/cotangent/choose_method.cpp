#include "choose_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/integrator/registry.hpp"
#include "cotangent/model/suggest.hpp"
#include "errors.hpp"

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

template <class T>
void check_exists(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& method : methods<T>()) names.push_back(method.facts.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string hint = did_you_mean(name, names);
  throw UsageError(fmt::format("there is no method '{}'; {}", name,
                               hint.empty() ? fmt::format("choose {}", fmt::join(names, ", ")) : hint));
}

}  // namespace

template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const std::optional<std::string>& wish,
                                             const std::optional<std::string>& formulation,
                                             std::vector<std::string>& notes) {
  if (wish) {
    check_exists<T>(*wish);
    return find_method<T>(*wish).make(manifold, formulation.value_or(""));
  }
  std::vector<const Method<T>*> candidates;
  for (const auto& method : methods<T>()) candidates.push_back(&method);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto* a, const auto* b) { return structure_kept(a->facts) > structure_kept(b->facts); });
  std::string refusals;
  for (const auto* method : candidates) {
    try {
      auto integrator = method->make(manifold, formulation.value_or(""));
      notes.push_back(
          fmt::format("no method was given: '{}' was chosen ({})", method->facts.name, virtues(method->facts)));
      return integrator;
    } catch (const std::invalid_argument& refusal) {
      refusals += fmt::format("\n  {}", refusal.what());
    }
  }
  throw UsageError("no method can take this system:" + refusals);
}

template std::unique_ptr<Integrator<double>> choose_method(Manifold<double>&, const std::optional<std::string>&,
                                                           const std::optional<std::string>&,
                                                           std::vector<std::string>&);
template std::unique_ptr<Integrator<long double>> choose_method(Manifold<long double>&,
                                                                const std::optional<std::string>&,
                                                                const std::optional<std::string>&,
                                                                std::vector<std::string>&);
template std::unique_ptr<Integrator<Quad>> choose_method(Manifold<Quad>&, const std::optional<std::string>&,
                                                         const std::optional<std::string>&, std::vector<std::string>&);
