#include "cotangent/formulation/standard.hpp"

namespace cotangent {

template <class T>
FormulationFacts Standard<T>::sheet() {
  return {.name = "standard",
          .description = "underlying ODE with the multipliers eliminated",
          .hamiltonian = false,
          .invariants = "psi; g grows linearly with psi",
          .reference = "leimkuhler-reich94"};
}

template <class T>
Standard<T>::Standard(Manifold<T>& manifold)
    : Formulation<T>(sheet()),
      manifold_(manifold),
      H_q_(manifold.system().H_q()),
      H_p_(manifold.system().H_p()),
      G_transposed_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      lambda_(static_cast<std::size_t>(manifold.system().m()), T(0)),
      f_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      c_(f_) {}

template <class T>
Mask<T> Standard<T>::field(const T* q, const T* p, T* q_dot, T* p_dot) {
  frame_.in[in::q] = q;
  frame_.in[in::p] = p;
  frame_.out[out::result] = q_dot;
  H_p_(frame_);
  frame_.out[out::result] = f_.data();
  H_q_(frame_);
  if (lambda_.empty()) {
    for (std::size_t j = 0; j < f_.size(); ++j) p_dot[j] = -f_[j];
    return Mask<T>(true);
  }

  const auto factor = manifold_.multipliers(q, p, q_dot, f_.data(), lambda_.data());
  frame_.in[in::weights] = lambda_.data();
  frame_.out[out::result] = c_.data();
  G_transposed_times_(frame_);
  for (std::size_t j = 0; j < f_.size(); ++j) p_dot[j] = -f_[j] - c_[j];
  return factor.regular;
}

template class Standard<double>;
template class Standard<long double>;
template class Standard<Quad>;
template class Standard<Lanes>;

}  // namespace cotangent
