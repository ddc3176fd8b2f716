#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/composed/splitting.hpp"
#include "cotangent/integrator/composed/symmetric_projection.hpp"
#include "cotangent/integrator/constrained/hem.hpp"
#include "cotangent/integrator/constrained/lobatto.hpp"
#include "cotangent/integrator/constrained/reich.hpp"
#include "cotangent/integrator/constrained/shake.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/registry/registry.hpp"

namespace cotangent {
namespace {

// Methods that put projections around the steps of another one refuse those that have no use for that, with what to use
// instead. @param name of the whole, `method` the one in parentheses.
void expect_to_be_projected(const MethodName& name, const MethodFacts& method) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("'{}' is not made: {}", name.text(), why));
  };
  const auto& fields = method.formulations;
  if (method.keeps_energy)
    refuse(fmt::format("'{}' keeps H, which a projection would lose; use it as it is, or {}(implicit-midpoint)",
                       method.name, name.word));
  if (method.applies_to.find("no constraints") != std::string::npos)
    refuse(
        fmt::format("'{}' is for systems without constraints; use rattle, compose:4(rattle) or "
                    "reich(stormer-verlet)",
                    method.name));
  if (method.kind == MethodKind::constrained || fields == std::vector{direct_facts().name})
    refuse(fmt::format("'{}' returns to the constraints by itself; use it as it is", method.name));
}

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
          .make = [](const MethodName& name, const MethodRequest<T>& request) -> std::unique_ptr<Integrator<T>> {
            const Method<T> inner = find_method<T>(expect_inner(name).text());
            if (request.manifold.system().m() == 0)
              throw std::invalid_argument(
                  fmt::format("the method '{}' projects to constraints, but the system has none; use '{}' itself",
                              name.text(), inner.facts.name));
            auto method = inner.make(request);
            return make_integrator(symmetric_method(name), request.manifold, request.options, std::move(method));
          },
          .order = "of M",
          .description = "a symmetric method M, projected to the constraints at both ends of a step alike"};
}

MethodFacts reich_facts(const MethodName& name) {
  const MethodName& method = expect_inner(name);
  if (!name.arguments.empty())
    throw std::invalid_argument(fmt::format(
        "there is no method '{}': '{}' takes no arguments but the method in parentheses; for higher orders compose it, "
        "as in compose:4(reich({}))",
        name.text(), name.word, method.text()));
  const MethodFacts facts = find_method<double>(method.text()).facts;
  if (facts.kind != MethodKind::splitting) expect_to_be_projected(name, facts);
  return reich(name.text(), facts).facts;
}

template <class T>
std::unique_ptr<Integrator<T>> make_reich(const MethodName& name, const MethodRequest<T>& request) {
  const auto method = find_method<T>(expect_inner(name).text());
  std::unique_ptr<Integrator<T>> made;
  if (method.facts.kind == MethodKind::splitting) {
    made = std::make_unique<Splitting<T>>(splitting_table(method.name), request.manifold.system());
  } else {
    made = method.make(request);
  }
  const SchemeMethod scheme = reich(name.text(), made->facts());
  return make_integrator(scheme, request.manifold, request.options, std::move(made));
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> direct_families() {
  return {family_of<T>(lobatto()), family_of<T>(shake()), symmetric_family<T>(),
          family_of<T>(hem(3)),    family_of<T>(hem(4)),  family_of<T>(hem(5))};
}

template <class T>
std::vector<MethodFamily<T>> reich_family() {
  return {{.word = "reich",
           .pattern = "reich(M)",
           .members = {"reich(stormer-verlet)"},
           .facts = reich_facts,
           .make = make_reich<T>,
           .order = "of M",
           .description =
               "a step of a method M between two momentum projections; of a splitting M the order is two at most"}};
}

#define COTANGENT_FUNCTIONS(T)                             \
  template std::vector<MethodFamily<T>> direct_families(); \
  template std::vector<MethodFamily<T>> reich_family();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
