#include "cotangent/integrator/reich_family.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/project_around.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/integrator/reich.hpp"
#include "cotangent/integrator/splitting.hpp"

namespace cotangent {
namespace {

MethodFacts facts_of(const MethodName& name) {
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
std::unique_ptr<Integrator<T>> make_of(const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                                       const FormulationOptions& options, const MethodOptions& method_options) {
  const auto method = find_method<T>(expect_inner(name).text());
  std::unique_ptr<Integrator<T>> made;
  if (method.facts.kind == MethodKind::splitting) {
    made = std::make_unique<Splitting<T>>(splitting_table(method.name), manifold.system());
  } else {
    made = method.make(manifold, formulation, options, method_options);
  }
  const SchemeMethod scheme = reich(name.text(), made->facts());
  return make_integrator(scheme, manifold, method_options, std::move(made));
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> reich_family() {
  return {{.word = "reich",
           .pattern = "reich(M)",
           .members = {"reich(stormer-verlet)"},
           .facts = facts_of,
           .make = make_of<T>,
           .order = "of M",
           .description =
               "a step of a method M between two momentum projections; of a splitting M the order is two at most"}};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> reich_family();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
