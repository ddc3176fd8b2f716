#include "cotangent/integrator/projected_family.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/integrator/projected.hpp"
#include "cotangent/integrator/registry.hpp"

namespace cotangent {
namespace {

template <class N>
bool read_whole(const std::string& text, N& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

ProjectionPolicy policy_of(const MethodName& name) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("there is no method '{}': {}", name.text(), why));
  };
  if (name.arguments.empty()) refuse("say what is projected, as in project:both(rk4)");
  ProjectionPolicy policy{.projection = find_projection(name.arguments.front())};
  if (policy.projection == Projection::stage) refuse("the projection of stages is no part of the name of a method");
  if (policy.projection == Projection::symmetric)
    refuse(fmt::format("that is symmetric({})", expect_inner(name).text()));
  for (std::size_t k = 1; k < name.arguments.size(); ++k) {
    const std::string& word = name.arguments[k];
    const std::string metric = lower_case(word);
    if (k == 1 && (metric == name_of(Metric::mass) || metric == name_of(Metric::euclidean))) {
      policy.metric = find_metric(metric);
    } else if (const auto equals = word.find('='); equals == word.npos) {
      policy.invariants.push_back(word);
    } else {
      const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
      const bool is_read = (key == "every" && read_whole(value, policy.every)) ||
                           (key == "above" && read_whole(value, policy.above.emplace()));
      if (!is_read) refuse(fmt::format("'{}' is neither every=K, with an integer K, nor above=EPS", word));
    }
  }
  if (policy.projection == Projection::none && policy.invariants.empty())
    refuse("nothing is projected: name an invariant, as in project:none:energy(rk4)");
  return policy;
}

// Formulations that a step may leave the constraints in; the first is the default.
std::vector<std::string> formulations_to_project(const MethodFacts& method, const ProjectionPolicy& policy) {
  if (!policy.invariants.empty()) return method.formulations;
  std::vector<std::string> names;
  for (const std::string& name : method.formulations) {
    const bool is_direct = name == direct_facts().name;
    const FormulationFacts field = is_direct ? FormulationFacts() : find_formulation<double>(name).facts;
    const bool keeps =
        is_direct ? method.keeps_position && method.keeps_momentum : field.on_position && field.on_momentum;
    if (!keeps) names.push_back(name);
  }
  return names;
}

MethodFacts facts_of(const MethodName& name) {
  MethodFacts method = find_method<double>(expect_inner(name).text()).facts;
  const ProjectionPolicy policy = policy_of(name);
  method.formulations = formulations_to_project(method, policy);
  if (method.formulations.empty())
    throw std::invalid_argument(
        fmt::format("'{}' is not made: '{}' does not leave the manifold; use it as it is", name.text(), method.name));
  return projected_facts(name.text(), policy, method);
}

// What stands in the place of a metric, and is neither that nor an invariant, may have been meant as one.
void expect_no_metric(const MethodName& name, const ProjectionPolicy& policy, const Elements& elements) {
  if (policy.invariants.empty() || policy.invariants.front() != name.arguments[1]) return;
  const std::string& word = name.arguments[1];
  for (const NamedRows& named : elements.invariant_rows)
    if (named.name == word) return;
  const std::vector<std::string> metrics{name_of(Metric::mass), name_of(Metric::euclidean)};
  std::string meant = closest_name(word, metrics);
  for (const std::string& metric : metrics)
    if (metric.starts_with(lower_case(word))) meant = metric;
  if (!meant.empty())
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' is neither a metric nor an invariant; did you mean '{}'?",
                    name.text(), word, meant));
}

template <class T>
std::unique_ptr<Integrator<T>> make_of(const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                                       const FormulationOptions& options, const MethodOptions& method_options) {
  auto method = find_method<T>(expect_inner(name).text()).make(manifold, formulation, options, method_options);
  const ProjectionPolicy policy = policy_of(name);
  expect_no_metric(name, policy, manifold.system().elements());
  MethodFacts facts = projected_facts(name.text(), policy, method->facts());
  facts.formulations = facts_of(name).formulations;
  return std::make_unique<Projected<T>>(std::move(facts), manifold, policy, std::move(method));
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> projected_family() {
  return {{.word = "project",
           .pattern = "project:KIND(M)",
           .members = {"project:both(rk4)", "project:joint(implicit-midpoint)"},
           .facts = facts_of,
           .make = make_of<T>,
           .order = "of M",
           .description = "a step of M, then a projection: KIND is position, momentum, both, joint or none; with a "
                          "metric, invariants to return to, every=K and above=EPS: project:both:every=10:energy(M)"}};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> projected_family();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
