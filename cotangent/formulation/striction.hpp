#pragma once

#include <vector>

#include "cotangent/formulation/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// The momentum p = p* - G' l that satisfies the hidden constraint at q,
///
///   psi(q, p* - G' l, t) = G H_p(q, p) + g_t = 0,
///
/// and the strictions l: one linear solve with R = G H_pp G' where H is quadratic in p, otherwise Newton's method. Goes
/// on until p no longer changes but for rounding.
template <class T>
class Striction {
 public:
  /// @param manifold and psi must outlive this.
  Striction(Manifold<T>& manifold, HiddenConstraint<T>& psi);

  /// A step begins at z, whose momentum belongs to p_star: Newton's method will start from the strictions there.
  void begin(const PhasePoint<T>& z, const T* p_star);

  /// Leaves psi at (q, p), and R factored at a point that differs from it by rounding only. False in lanes where there
  /// is no such p.
  [[nodiscard]] Mask<T> solve(const T* q, const T* p_star, const T& t);

  const std::vector<T>& p() const { return p_; }
  const std::vector<T>& strictions() const { return l_; }

  /// Whether some R was singular.
  bool is_singular() const { return is_singular_; }

 private:
  Manifold<T>& manifold_;
  HiddenConstraint<T>& psi_;
  bool is_quadratic_;
  bool is_singular_ = false;
  std::vector<T> p_, l_, guess_, correction_, pulled_back_;
};

extern template class Striction<double>;
extern template class Striction<long double>;
extern template class Striction<Quad>;
extern template class Striction<Tangents>;
extern template class Striction<Lanes>;

}  // namespace cotangent
