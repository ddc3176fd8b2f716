#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/runge_kutta/explicit_rk.hpp"
#include "cotangent/integrator/runge_kutta/extrapolation.hpp"

namespace cotangent {
namespace {

struct ExplicitMethod {
  const char *name, *description;
  int order, error_order;
  const char* reference;
  ExplicitTableau (*tableau)();
};

constexpr ExplicitMethod kExplicitMethods[] = {
    {"rk4", "the classical explicit Runge-Kutta method", 4, 0, "kutta1901", rk4_tableau},
    {"euler", "Euler's method", 1, 0, "hnw93", euler_tableau},
    {"rk2", "the explicit midpoint rule", 2, 2, "runge1895", rk2_tableau},
    {"heun", "Heun's method, the explicit trapezoidal rule", 2, 2, "heun1900", heun_tableau},
    {"dopri5", "the 5(4) pair of Dormand and Prince", 5, 5, "dormand-prince80", dopri5_tableau},
    {"tsit5", "the 5(4) pair of Tsitouras", 5, 5, "tsitouras11", tsit5_tableau},
    {"rkf78", "the 7(8) pair of Fehlberg", 7, 8, "fehlberg68", rkf78_tableau},
    {"dop853", "the 8(5,3) method of Dormand, Prince and Hairer", 8, 8, "hnw93", dop853_tableau},
    {"vern9", "the efficient 9(8) pair of Verner", 9, 9, "verner10", vern9_tableau},
};

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
          .applies_to = "every system whose H_pp is regular across the constraints",
          .reference = method.reference};
}

// K of odex:K; 4 if nothing is said.
int columns(const MethodName& name) { return name.arguments.empty() && !name.inner ? 4 : only_integer(name, 2, 8); }

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
         .make = [](const MethodName& name, const MethodRequest<T>& request) -> std::unique_ptr<Integrator<T>> {
           return std::make_unique<ExplicitRungeKutta<T>>(explicit_facts(name), entry(name).tableau(),
                                                          request.make_formulation());
         }});
  }
  families.push_back(
      {.word = "odex",
       .pattern = "odex[:2..8]",
       .members = {"odex:2", "odex:3", "odex", "odex:6", "odex:8"},
       .facts = odex_facts,
       .make = [](const MethodName& name, const MethodRequest<T>& request) -> std::unique_ptr<Integrator<T>> {
         return std::make_unique<Extrapolation<T>>(odex_facts(name), columns(name), request.make_formulation());
       },
       .order = "4..16",
       .description = "the midpoint rule with 2, 4, ..., 2K steps (K = 4), extrapolated"});
  return families;
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> explicit_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
