#include "cotangent/integrator/implicit_families.hpp"

#include "cotangent/integrator/gauss.hpp"

namespace cotangent {
namespace {

template <class T>
std::unique_ptr<Integrator<T>> make(const MethodFacts& facts, const ImplicitTableau& tableau, Manifold<T>& manifold,
                                    std::string_view formulation, const FormulationOptions& options,
                                    const MethodOptions& method_options) {
  return std::make_unique<ImplicitRungeKutta<T>>(
      facts, tableau, find_formulation<T>(formulation).make(manifold, options), method_options.solver);
}

MethodFacts midpoint_facts(const MethodName& name) {
  expect_plain(name);
  return gauss_facts(1, name.text());
}

MethodFacts gauss_facts_of(const MethodName& name) { return gauss_facts(only_integer(name, 1, 12), name.text()); }

}  // namespace

template <class T>
std::vector<MethodFamily<T>> implicit_families() {
  return {{.word = "implicit-midpoint",
           .pattern = "implicit-midpoint",
           .members = {"implicit-midpoint"},
           .facts = midpoint_facts,
           .make =
               [](const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                  const FormulationOptions& options, const MethodOptions& method_options) {
                 return cotangent::make(midpoint_facts(name), gauss_tableau(1), manifold, formulation, options,
                                        method_options);
               }},
          {.word = "gauss",
           .pattern = "gauss:S",
           .members = {"gauss:2"},
           .facts = gauss_facts_of,
           .make = [](const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                      const FormulationOptions& options, const MethodOptions& method_options) {
             return cotangent::make(gauss_facts_of(name), gauss_tableau(only_integer(name, 1, 12)), manifold,
                                    formulation, options, method_options);
           }}};
}

template std::vector<MethodFamily<double>> implicit_families();
template std::vector<MethodFamily<long double>> implicit_families();
template std::vector<MethodFamily<Quad>> implicit_families();
template std::vector<MethodFamily<Lanes>> implicit_families();

}  // namespace cotangent
