#include "cotangent/integrator/registry.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/formulation/standard.hpp"
#include "cotangent/integrator/explicit_rk.hpp"
#include "cotangent/integrator/rattle.hpp"

namespace cotangent {
namespace {

template <class T>
std::unique_ptr<Integrator<T>> make_rk4(Manifold<T>& manifold) {
  return std::make_unique<ExplicitRungeKutta<T>>(rk4_facts(), rk4_tableau(), std::make_unique<Standard<T>>(manifold));
}

}  // namespace

template <class T>
const std::vector<Method<T>>& methods() {
  static const std::vector<Method<T>> list = {
      {rattle_facts(), make_rattle<T>},
      {rk4_facts(), make_rk4<T>},
  };
  return list;
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

template const std::vector<Method<double>>& methods();
template const std::vector<Method<long double>>& methods();
template const std::vector<Method<Quad>>& methods();
template const std::vector<Method<Lanes>>& methods();
template const Method<double>& find_method(std::string_view);
template const Method<long double>& find_method(std::string_view);
template const Method<Quad>& find_method(std::string_view);
template const Method<Lanes>& find_method(std::string_view);

}  // namespace cotangent
