#include "cotangent/integrator/explicit_families.hpp"

#include <array>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/explicit_rk.hpp"
#include "cotangent/integrator/extrapolation.hpp"

namespace cotangent {
namespace {

struct ExplicitMethod {
  const char* name;
  const char* description;
  int order;
  int error_order;
  const char* reference;
  ExplicitTableau (*tableau)();
};

constexpr std::array kExplicitMethods{ExplicitMethod{.name = "rk4",
                                                     .description = "the classical explicit Runge-Kutta method",
                                                     .order = 4,
                                                     .error_order = 0,
                                                     .reference = "kutta1901",
                                                     .tableau = rk4_tableau},
                                      ExplicitMethod{.name = "euler",
                                                     .description = "Euler's method",
                                                     .order = 1,
                                                     .error_order = 0,
                                                     .reference = "hnw93",
                                                     .tableau = euler_tableau},
                                      ExplicitMethod{.name = "rk2",
                                                     .description = "the explicit midpoint rule",
                                                     .order = 2,
                                                     .error_order = 2,
                                                     .reference = "runge1895",
                                                     .tableau = rk2_tableau},
                                      ExplicitMethod{.name = "heun",
                                                     .description = "Heun's method, the explicit trapezoidal rule",
                                                     .order = 2,
                                                     .error_order = 2,
                                                     .reference = "heun1900",
                                                     .tableau = heun_tableau},
                                      ExplicitMethod{.name = "dopri5",
                                                     .description = "the 5(4) pair of Dormand and Prince",
                                                     .order = 5,
                                                     .error_order = 5,
                                                     .reference = "dormand-prince80",
                                                     .tableau = dopri5_tableau},
                                      ExplicitMethod{.name = "tsit5",
                                                     .description = "the 5(4) pair of Tsitouras",
                                                     .order = 5,
                                                     .error_order = 5,
                                                     .reference = "tsitouras11",
                                                     .tableau = tsit5_tableau},
                                      ExplicitMethod{.name = "rkf78",
                                                     .description = "the 7(8) pair of Fehlberg",
                                                     .order = 7,
                                                     .error_order = 8,
                                                     .reference = "fehlberg68",
                                                     .tableau = rkf78_tableau},
                                      ExplicitMethod{.name = "dop853",
                                                     .description = "the 8(5,3) method of Dormand, Prince and Hairer",
                                                     .order = 8,
                                                     .error_order = 8,
                                                     .reference = "hnw93",
                                                     .tableau = dop853_tableau},
                                      ExplicitMethod{.name = "vern9",
                                                     .description = "the efficient 9(8) pair of Verner",
                                                     .order = 9,
                                                     .error_order = 9,
                                                     .reference = "verner10",
                                                     .tableau = vern9_tableau}};

const ExplicitMethod& entry(const MethodName& name) {
  expect_plain(name);
  for (const ExplicitMethod& method : kExplicitMethods)
    if (name.word == method.name) return method;
  throw std::invalid_argument("there is no method '" + name.word + "'");
}

MethodFacts explicit_facts(const MethodName& name) {
  const ExplicitMethod& method = entry(name);
  return {.name = method.name,
          .kind = MethodKind::explicit_runge_kutta,
          .description = method.description,
          .order = method.order,
          .error_order = method.error_order,
          .is_explicit = true,
          .formulations = field_formulations("standard"),
          .applies_to = "every system whose H_pp is positive definite across the constraints",
          .reference = method.reference};
}

constexpr int kDefaultColumns = 4;

// K of odex:K.
int columns(const MethodName& name) {
  return name.arguments.empty() && !name.inner ? kDefaultColumns : only_integer(name, 2, 8);
}

MethodFacts odex_facts(const MethodName& name) { return extrapolation_facts(columns(name), name.text()); }

}  // namespace

template <class T>
std::vector<MethodFamily<T>> explicit_families() {
  std::vector<MethodFamily<T>> families;
  for (const ExplicitMethod& method : kExplicitMethods) {
    families.push_back(
        {.word = method.name,
         .pattern = method.name,
         .members = {method.name},
         .facts = explicit_facts,
         .make = [](const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                    const FormulationOptions& options, const MethodOptions&) -> std::unique_ptr<Integrator<T>> {
           return std::make_unique<ExplicitRungeKutta<T>>(explicit_facts(name), entry(name).tableau(),
                                                          find_formulation<T>(formulation).make(manifold, options));
         }});
  }
  families.push_back(
      {.word = "odex",
       .pattern = "odex[:2..8]",
       .members = {"odex:2", "odex:3", "odex", "odex:6", "odex:8"},
       .facts = odex_facts,
       .make = [](const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                  const FormulationOptions& options, const MethodOptions&) -> std::unique_ptr<Integrator<T>> {
         return std::make_unique<Extrapolation<T>>(odex_facts(name), columns(name),
                                                   find_formulation<T>(formulation).make(manifold, options));
       },
       .order = "4..16",
       .description = "the midpoint rule with 2, 4, ..., 2K steps (K = 4), extrapolated"});
  return families;
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> explicit_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
