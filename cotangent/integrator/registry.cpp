#include "cotangent/integrator/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/explicit_rk.hpp"
#include "cotangent/integrator/gauss.hpp"
#include "cotangent/integrator/implicit_rk.hpp"
#include "cotangent/integrator/rattle.hpp"

namespace cotangent {
namespace {

template <class T>
std::unique_ptr<Integrator<T>> rattle(Manifold<T>& manifold, std::string_view, const FormulationOptions&) {
  return make_rattle(manifold);
}

template <class T>
std::unique_ptr<Integrator<T>> rk4(Manifold<T>& manifold, std::string_view formulation,
                                   const FormulationOptions& options) {
  return std::make_unique<ExplicitRungeKutta<T>>(rk4_facts(), rk4_tableau(),
                                                 find_formulation<T>(formulation).make(manifold, options));
}

template <class T, int stages>
std::unique_ptr<Integrator<T>> gauss(Manifold<T>& manifold, std::string_view formulation,
                                     const FormulationOptions& options) {
  return std::make_unique<ImplicitRungeKutta<T>>(gauss_facts(stages), gauss_tableau(stages),
                                                 find_formulation<T>(formulation).make(manifold, options));
}

}  // namespace

template <class T>
const std::vector<Method<T>>& methods() {
  static const std::vector<Method<T>> list = {
      {rattle_facts(), rattle<T>},
      {rk4_facts(), rk4<T>},
      {gauss_facts(1), gauss<T, 1>},
      {gauss_facts(2), gauss<T, 2>},
  };
  return list;
}

template <class T>
std::unique_ptr<Integrator<T>> Method<T>::make(Manifold<T>& manifold, std::string_view formulation,
                                               const FormulationOptions& options) const {
  if (formulation.empty()) formulation = facts.formulations.front();
  if (std::find(facts.formulations.begin(), facts.formulations.end(), formulation) == facts.formulations.end())
    throw std::invalid_argument(fmt::format("the method '{}' takes the formulation {}, not '{}'", facts.name,
                                            fmt::join(facts.formulations, " or "), formulation));
  return factory(manifold, formulation, options);
}

template <class T>
const Method<T>& find_method(std::string_view name) {
  std::string known;
  for (const auto& method : methods<T>()) {
    if (method.facts.name == name) return method;
    known += (known.empty() ? "" : ", ") + method.facts.name;
  }
  throw std::invalid_argument(fmt::format("there is no method '{}'; the methods are: {}", name, known));
}

template struct Method<double>;
template struct Method<long double>;
template struct Method<Quad>;
template struct Method<Lanes>;
template const std::vector<Method<double>>& methods();
template const std::vector<Method<long double>>& methods();
template const std::vector<Method<Quad>>& methods();
template const std::vector<Method<Lanes>>& methods();
template const Method<double>& find_method(std::string_view);
template const Method<long double>& find_method(std::string_view);
template const Method<Quad>& find_method(std::string_view);
template const Method<Lanes>& find_method(std::string_view);

}  // namespace cotangent
