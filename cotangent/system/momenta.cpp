#include "cotangent/system/momenta.hpp"

#include <algorithm>
#include <stdexcept>

#include "cotangent/system/legendre.hpp"

namespace cotangent {

template <class T>
Momenta<T>::Momenta(System<T>& system)
    : system_(system),
      L_v_(system, {.of = Contraction::Of::L, .result = Contraction::Result::gradient_v}),
      H_p_(system.H_p()),
      frame_(system.frame()),
      zero_(static_cast<std::size_t>(system.n()), T(0)) {
  if (system.legendre() || system.diagonal_mass()) return;
  if (system.source())
    throw std::invalid_argument(
        "formulations in velocities need H_pp by its entries, which a black box does not give: use one in momenta, such "
        "as 'standard'");
  inverse_.emplace(system, Contraction::Of::H, Space::p);
}

template <class T>
void Momenta<T>::operator()(const T* q, const T* v, const T& t, T* p) {
  if (inverse_) {
    const std::vector<T>& found = (*inverse_)(q, v, t);
    std::copy(found.begin(), found.end(), p);
    return;
  }
  frame_.in[in::q] = q;
  frame_.in[in::t] = &t;
  frame_.out[out::result] = p;
  if (system_.legendre()) {
    frame_.in[in::v] = v;
    L_v_(frame_);
    return;
  }
  frame_.in[in::p] = zero_.data();
  H_p_(frame_);
  const std::vector<T>& W = *system_.diagonal_mass();
  for (std::size_t j = 0; j < zero_.size(); ++j) p[j] = (v[j] - p[j]) / W[j];
}

template class Momenta<double>;
template class Momenta<long double>;
template class Momenta<Quad>;
template class Momenta<Tangents>;
template class Momenta<Lanes>;

}  // namespace cotangent
