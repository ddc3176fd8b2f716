#include "cotangent/formulation/formulation.hpp"
#include "cotangent/formulation/standard.hpp"

namespace cotangent {
namespace {

template <class F, class T>
std::unique_ptr<Formulation<T>> make(Manifold<T>& manifold) {
  return std::make_unique<F>(manifold);
}

}  // namespace

template <class T>
const std::vector<FormulationEntry<T>>& formulations() {
  static const std::vector<FormulationEntry<T>> list = {
      {Standard<T>::sheet(), make<Standard<T>, T>},
  };
  return list;
}

template const std::vector<FormulationEntry<double>>& formulations();
template const std::vector<FormulationEntry<long double>>& formulations();
template const std::vector<FormulationEntry<Quad>>& formulations();
template const std::vector<FormulationEntry<Lanes>>& formulations();

}  // namespace cotangent
