#include "cotangent/integrator/direct_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/hem.hpp"
#include "cotangent/integrator/lobatto.hpp"
#include "cotangent/integrator/project_around.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/integrator/shake.hpp"
#include "cotangent/integrator/symmetric_projection.hpp"

namespace cotangent {
namespace {

// Formulations in q and p that leave the manifold; the first is the default.
std::vector<std::string> formulations_to_project(const MethodFacts& method) {
  std::vector<std::string> names;
  for (const auto& entry : formulations<double>()) {
    const bool is_taken = std::find(method.formulations.begin(), method.formulations.end(), entry.facts.name) !=
                          method.formulations.end();
    if (is_taken && entry.facts.is_physical && entry.facts.reversible) names.push_back(entry.facts.name);
  }
  return names;
}

SchemeMethod symmetric_method(const MethodName& name) {
  const MethodName& inner = expect_inner(name);
  if (!name.arguments.empty())
    throw std::invalid_argument(
        fmt::format("there is no method '{}': 'symmetric' takes a method in parentheses only", name.text()));
  MethodFacts method = find_method<double>(inner.text()).facts;
  expect_to_be_projected(name, method);
  if (!method.symmetric)
    throw std::invalid_argument(
        fmt::format("'{}' is not made: '{}' is not symmetric, and its projection would not be; gauss:2 is, for one",
                    name.text(), method.name));
  method.formulations = formulations_to_project(method);
  if (method.formulations.empty())
    throw std::invalid_argument(
        fmt::format("'{}' is not made: '{}' does not leave the manifold; use it as it is", name.text(), method.name));
  return symmetric_projection(name.text(), method);
}

template <class T>
MethodFamily<T> symmetric_family() {
  return {.word = "symmetric",
          .pattern = "symmetric(M)",
          .members = {"symmetric(gauss:2)"},
          .facts = [](const MethodName& name) { return symmetric_method(name).facts; },
          .make = [](const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                     const FormulationOptions& options,
                     const MethodOptions& method_options) -> std::unique_ptr<Integrator<T>> {
            const Method<T> inner = find_method<T>(expect_inner(name).text());
            if (manifold.system().m() == 0)
              throw std::invalid_argument(
                  fmt::format("the method '{}' projects to constraints, but here are none; use '{}' itself",
                              name.text(), inner.facts.name));
            auto method = inner.make(manifold, formulation, options, method_options);
            return make_integrator(symmetric_method(name), manifold, method_options, std::move(method));
          },
          .order = "of M",
          .description = "a symmetric method M, projected to the constraints at both ends of a step alike"};
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> direct_families() {
  return {family_of<T>(lobatto()), family_of<T>(shake()), symmetric_family<T>(),
          family_of<T>(hem(3)),    family_of<T>(hem(4)),  family_of<T>(hem(5))};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> direct_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
