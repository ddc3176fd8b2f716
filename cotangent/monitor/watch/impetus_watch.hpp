#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/field/striction.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/monitor/follower.hpp"

namespace cotangent {

/// Keeps the impetus p* of a run whose steps carry one, and finds its strictions l at the ends of steps:
///
///   psi(q, p* - G' l, t) = 0,   p* = p where a trajectory begins, and after everything that moves a point.
///
/// Reference: [dichmann-maddocks96].
template <class T>
class ImpetusWatch final : public Follower<T> {
 public:
  /// @param manifold must outlive this.
  explicit ImpetusWatch(Manifold<T>& manifold) : psi_(manifold.system()), striction_(manifold, psi_) {}

  void start(const PhasePoint<T>& z, LaneOf<T> /*h*/) override { find(z, z.p); }

  void follow(const MadeStep<T>& step) override {
    const OwnVariables<T>& own = step.end.own();
    find(step.end, own.is_current ? own.p : step.end->p);
  }

  void state(Archive& archive) override { archive("impetus", impetus_, "strictions", strictions_); }

  const std::vector<T>& impetus() const { return impetus_; }
  const std::vector<T>& strictions() const { return strictions_; }

 private:
  void find(const PhasePoint<T>& z, const std::vector<T>& p_star) {
    impetus_ = p_star;
    striction_.begin(z, p_star.data());
    const bool is_found = striction_.solve(z.q.data(), p_star.data(), z.t).converged;
    strictions_ = striction_.strictions();
    if (!is_found) std::fill(strictions_.begin(), strictions_.end(), T(std::numeric_limits<double>::quiet_NaN()));
  }

  HiddenConstraint<T> psi_;
  Striction<T> striction_;
  std::vector<T> impetus_, strictions_;
};

}  // namespace cotangent
