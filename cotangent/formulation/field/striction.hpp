#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

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
  Striction(Manifold<T>& manifold, HiddenConstraint<T>& psi)
      : manifold_(manifold),
        psi_(psi),
        is_quadratic_(manifold.system().vanishes({.directions = {{.q = false, .p = true}, {.q = false, .p = true}},
                                                  .result = Contraction::Result::gradient_p})),
        p_(static_cast<std::size_t>(manifold.system().n()), T(0)),
        l_(static_cast<std::size_t>(manifold.system().m()), T(0)),
        guess_(l_),
        correction_(l_),
        pulled_back_(p_) {}

  /// A step begins at z, whose momentum belongs to p_star: Newton's method will start from the strictions there.
  void begin(const PhasePoint<T>& z, const T* p_star) {
    if (is_quadratic_ || l_.empty()) return;
    psi_.at(z);
    for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = p_star[j] - z.p[j];
    psi_.H_pp_times(p_.data(), pulled_back_.data());
    psi_.G_times(pulled_back_.data(), guess_.data());
    const Mask<T> regular = manifold_.matrix().factor(z).regular;
    manifold_.matrix().solve(guess_.data());
    for (T& l : guess_) l = select(regular & isfinite(l), l, T(0));
  }

  /// Leaves psi at (q, p).
  [[nodiscard]] StrictionReport<T> solve(const T* q, const T* p_star, const T& t) {
    std::copy_n(p_star, p_.size(), p_.begin());
    l_ = guess_;
    const PointRef<T> at(q, p_.data(), nullptr, t);
    psi_.at(at);
    StrictionReport<T> report;
    if (l_.empty()) return report;
    if (!is_quadratic_) {
      psi_.Gt_times(l_.data(), pulled_back_.data());
      for (std::size_t j = 0; j < p_.size(); ++j) p_[j] -= pulled_back_[j];
      psi_.at(at);
    }
    bool is_factored = false;
    RoundingStop<T> stop({.max_stalls = 10});
    while (true) {
      psi_.psi(correction_.data());
      if (!is_factored || !is_quadratic_) {
        report.regular = report.regular & (manifold_.matrix().factor(at).regular | !stop.active());
        if (!stop.fail(!report.regular)) break;
      }
      is_factored = true;
      manifold_.matrix().solve(correction_.data());
      for (std::size_t r = 0; r < l_.size(); ++r) l_[r] = select(stop.active(), l_[r] + correction_[r], l_[r]);
      psi_.Gt_times(l_.data(), pulled_back_.data());
      T change(0), size(0);
      for (std::size_t j = 0; j < p_.size(); ++j) {
        const T next = p_star[j] - pulled_back_[j];
        const T moved = abs(next - p_[j]);
        change = max(change, select(isfinite(moved), moved, T(infinity<T>())));
        size = max(size, abs(p_star[j]) + abs(pulled_back_[j]));
        p_[j] = next;
      }
      psi_.at(at);
      if (!stop.update(change, T(4 * epsilon<T>()) * size)) break;
    }
    report.converged = stop.converged();
    if (!all(report.converged)) {
      // Near where constraints become dependent l is large, and p* - G'l loses digits to it: p stays open by that much,
      // but psi = 0 can be met to rounding by corrections of p itself.
      RoundingStop<T> refined;
      static_cast<void>(refined.fail(stop.converged()));
      while (true) {
        const auto residual = manifold_.momentum_residual(at);
        if (!refined.update(residual.value, residual.level)) break;
        psi_.psi(correction_.data());
        if (!is_quadratic_)
          report.regular = report.regular & (manifold_.matrix().factor(at).regular | !refined.active());
        manifold_.matrix().solve(correction_.data());
        psi_.Gt_times(correction_.data(), pulled_back_.data());
        for (std::size_t r = 0; r < l_.size(); ++r) l_[r] = select(refined.active(), l_[r] + correction_[r], l_[r]);
        for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = select(refined.active(), p_[j] - pulled_back_[j], p_[j]);
        psi_.at(at);
      }
      report.converged = report.converged | (report.regular & refined.converged());
    }
    report.finite = isfinite(stop.residual());
    return report;
  }

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
