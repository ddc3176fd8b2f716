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
      H_p_(manifold.system().H_p()),
      G_transposed_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      lambda_(static_cast<std::size_t>(manifold.system().m()), T(0)),
      c_(static_cast<std::size_t>(manifold.system().n()), T(0)) {}

template <class T>
Mask<T> Standard<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  frame_.in[in::q] = z.q;
  frame_.in[in::p] = z.p;
  frame_.in[in::t] = &z.t;
  frame_.out[out::result] = q_dot;
  H_p_(frame_);
  T power(0);
  const auto report = manifold_.multipliers(z, q_dot, lambda_.data(), p_dot, power);
  is_singular_ = !all(report.regular);
  manifold_.forcing().rates(z, q_dot, lambda_.data(), power, s_dot);
  if (lambda_.empty()) return report.found();
  frame_.in[in::weights] = lambda_.data();
  frame_.out[out::result] = c_.data();
  G_transposed_times_(frame_);
  for (std::size_t j = 0; j < c_.size(); ++j) p_dot[j] -= c_[j];
  return report.found();
}

template class Standard<double>;
template class Standard<long double>;
template class Standard<Quad>;
template class Standard<Lanes>;

}  // namespace cotangent
