#include "cotangent/integrator/explicit_families.hpp"

#include "cotangent/integrator/explicit_rk.hpp"

namespace cotangent {

template <class T>
std::vector<MethodFamily<T>> explicit_families() {
  return {{.word = "rk4",
           .pattern = "rk4",
           .members = {"rk4"},
           .facts =
               [](const MethodName& name) {
                 expect_plain(name);
                 return rk4_facts();
               },
           .make = [](const MethodName&, Manifold<T>& manifold, std::string_view formulation,
                      const FormulationOptions& options, const MethodOptions&) -> std::unique_ptr<Integrator<T>> {
             return std::make_unique<ExplicitRungeKutta<T>>(rk4_facts(), rk4_tableau(),
                                                            find_formulation<T>(formulation).make(manifold, options));
           }}};
}

template std::vector<MethodFamily<double>> explicit_families();
template std::vector<MethodFamily<long double>> explicit_families();
template std::vector<MethodFamily<Quad>> explicit_families();
template std::vector<MethodFamily<Lanes>> explicit_families();

}  // namespace cotangent
