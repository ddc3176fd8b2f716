#pragma once

#include <optional>
#include <vector>

#include "cotangent/system/gradient_inverse.hpp"

namespace cotangent {

/// The momenta of velocities: p(q, v, t) with H_p(q, p, t) = v. Of a Lagrangian system p = L_v; where H_pp is a constant
/// diagonal W, p = W^-1 (v - H_p(q, 0, t)); otherwise see gradient_inverse.hpp.
template <class T>
class Momenta {
 public:
  /// @param system must outlive this. @throws std::invalid_argument for black boxes, whose H_pp is not known by entries.
  explicit Momenta(System<T>& system);

  /// Not numbers where there are none.
  void operator()(const T* q, const T* v, const T& t, T* p);

 private:
  System<T>& system_;
  Request<T> L_v_, H_p_;
  Frame<T> frame_;
  std::optional<GradientInverse<T>> inverse_;
  std::vector<T> zero_;
};

extern template class Momenta<double>;
extern template class Momenta<long double>;
extern template class Momenta<Quad>;
extern template class Momenta<Tangents>;
extern template class Momenta<Lanes>;

}  // namespace cotangent
