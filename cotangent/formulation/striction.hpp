#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// How strictions were found, per lane.
template <class T>
struct StrictionReport {
  Mask<T> regular = Mask<T>(true);    ///< R was solved with
  Mask<T> finite = Mask<T>(true);     ///< H and g gave numbers
  Mask<T> converged = Mask<T>(true);  ///< to rounding
};

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

  /// Leaves psi at (q, p).
  [[nodiscard]] StrictionReport<T> solve(const T* q, const T* p_star, const T& t);

  /// Whether the factors of R that solve() leaves are those of (q, p): R does not depend on p. Otherwise they belong to
  /// some iterate, and which one that is depends on the other lanes.
  bool leaves_factors() const { return is_quadratic_; }

  const std::vector<T>& p() const { return p_; }
  const std::vector<T>& strictions() const { return l_; }

 private:
  Manifold<T>& manifold_;
  HiddenConstraint<T>& psi_;
  bool is_quadratic_;
  std::vector<T> p_, l_, guess_, correction_, pulled_back_;
};

COTANGENT_DECLARE(NUMBERS, Striction);

}  // namespace cotangent
