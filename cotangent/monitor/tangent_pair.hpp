#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/point_archive.hpp"

namespace cotangent {

/// Two tangent vectors at a point, (dq_1, dp_1) and (dq_2, dp_2): the derivatives of a point of dual numbers.
///
/// They are measured in units of the coordinates and of the momenta:
///
///   <d_i, d_k> = sum_j dq_ij dq_kj / Q^2 + sum_j dp_ij dp_kj / P^2
class TangentPair {
 public:
  TangentPair() = default;
  explicit TangentPair(PhasePoint<Tangents> z) : z_(std::move(z)) {}

  PhasePoint<Tangents>& point() { return z_; }
  const PhasePoint<Tangents>& point() const { return z_; }

  /// See Follower::state(). @param owner of the variables of its formulation.
  void state(Archive& archive, std::uint64_t owner) {
    point_state(archive, z_, owner);
    archive("targets", targets_);
    archive("q_unit", q_unit_);
    archive("p_unit", p_unit_);
  }

  /// Values that invariants are to return to, with their derivatives: those of the start.
  std::vector<Tangents>& targets() { return targets_; }

  /// Q and P.
  double q_unit() const { return q_unit_; }
  double p_unit() const { return p_unit_; }
  void set_units(double q, double p) {
    q_unit_ = q;
    p_unit_ = p;
  }

  /// <d_1, d_1>, <d_2, d_2>, <d_1, d_2>, and the wedge product dq_1 . dp_2 - dp_1 . dq_2.
  struct Gram {
    double first, second, mixed, wedge;
  };
  Gram gram() const;

  /// Q P: what wedge products are measured by.
  double unit() const { return q_unit_ * p_unit_; }

  /// Q P |d_1| |d_2|: what is added up, at most, in a wedge product.
  double lengths() const { return lengths(gram()); }
  double lengths(const Gram& g) const { return unit() * std::sqrt(g.first * g.second); }

  /// Replaces the vectors by a d_1 and b d_1 + c d_2, wherever the point has derivatives. What a formulation or a
  /// method keeps with the point stays valid, or is known to be stale.
  void combine(double a, double b, double c);

  /// Changes the vectors by a combination that keeps the area they span, so that they are far from parallel and of
  /// about the same length, if they are not. Otherwise, where neighbours separate, both would soon point in the same
  /// direction, and the area would be a small difference of large numbers.
  /// @param g gram(), here and afterwards.
  /// @return the power of two by which d_1 has become shorter.
  int balance(Gram& g);

 private:
  PhasePoint<Tangents> z_;
  std::vector<Tangents> targets_;
  double q_unit_ = 1, p_unit_ = 1;
};

/// dq_i . dp_k - dp_i . dq_k for vector i of a and vector k of b.
double wedge(const TangentPair& a, int i, const TangentPair& b, int k);

}  // namespace cotangent
