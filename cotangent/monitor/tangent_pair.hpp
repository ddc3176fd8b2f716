#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/point.hpp"

namespace cotangent {

/// Two tangent vectors at a point, (dq_1, dp_1, ds_1) and (dq_2, dp_2, ds_2): the derivatives of a point of dual
/// numbers.
///
/// They are measured in units of the coordinates, of the momenta and of the states:
///
///   <d_i, d_k> = sum_j dq_ij dq_kj / Q^2 + sum_j dp_ij dp_kj / P^2 + sum_j ds_ij ds_kj / S^2
///
/// Their wedge product is that of the canonical variables that a method advances: q and p, or q and p* = p + G'l where
/// the point carries an impetus [dichmann-maddocks96]. The two forms are the same on vectors with G dq = 0,
///
///   dq_1.dp*_2 - dp*_1.dq_2 = dq_1.dp_2 - dp_1.dq_2 + (G dq_1).dl_2 - dl_1.(G dq_2),
///
/// for the second derivatives (l.g)'' are symmetric. But a method that keeps g up to its order only has no such
/// vectors, and the form that it keeps is the one in q and p*.
class TangentPair {
 public:
  TangentPair() = default;
  explicit TangentPair(Point<Tangents> z) : z_(std::move(z)) {}

  Point<Tangents>& point() { return z_; }
  const Point<Tangents>& point() const { return z_; }

  /// See Follower::state().
  void state(Archive& archive) {
    archive("point", z_);
    archive("q_unit", q_unit_);
    archive("p_unit", p_unit_);
    archive("s_unit", s_unit_);
    archive("states", states_);
    archive("has_impetus", has_impetus_);
  }

  /// Q and P.
  double q_unit() const { return q_unit_; }
  double p_unit() const { return p_unit_; }
  void set_units(double q, double p) {
    q_unit_ = q;
    p_unit_ = p;
  }

  /// S, and how many states count; those after them have no part in the motion.
  void set_states(double s, std::size_t count) {
    s_unit_ = s;
    states_ = count;
  }

  /// From now on variables that a formulation leaves with the point are q and p*.
  void set_impetus(bool is_there) { has_impetus_ = is_there; }

  /// <d_1, d_1>, <d_2, d_2>, <d_1, d_2>, and the wedge product.
  struct Gram {
    double first, second, mixed, wedge;
  };
  Gram gram() const;

  /// Q P: what wedge products are measured by.
  double unit() const { return q_unit_ * p_unit_; }

  /// Q P |d_1| |d_2|: what is added up, at most, in a wedge product.
  double lengths() const { return lengths(gram()); }
  double lengths(const Gram& g) const { return unit() * std::sqrt(g.first * g.second); }

  /// Replaces the vectors by a d_1 and b d_1 + c d_2, wherever the point has derivatives: variables of a formulation
  /// and what belongs to the trajectory go along; what a method remembers is forgotten.
  void combine(double a, double b, double c);

  /// d_i += factor e_k, with vector e_k of another pair at the same point, and d_i *= factor; as combine().
  void add(int i, double factor, const TangentPair& other, int k);
  void scale(int i, double factor);

  /// The derivatives of the states that do not count become zero. Nothing else depends on them.
  void drop_witnesses();

  /// Whether a derivative is not finite, or so large that products of them are not.
  bool is_out_of_range() const;

  /// Changes the vectors by a combination that keeps the area they span, so that they are far from parallel and of
  /// about the same length, if they are not. Otherwise, where neighbours separate, both would soon point in the same
  /// direction, and the area would be a small difference of large numbers.
  /// @param g gram(), here and afterwards.
  /// @return the power of two by which d_1 has become shorter, if something was changed.
  std::optional<int> balance(Gram& g);

 private:
  friend double wedge(const TangentPair& a, int i, const TangentPair& b, int k);
  friend double inner(const TangentPair& a, int i, const TangentPair& b, int k);
  bool is_in_impetus() const { return has_impetus_ && z_.own().is_current; }
  const std::vector<Tangents>& momenta() const { return is_in_impetus() ? z_.own().p : z_->p; }
  const std::vector<Tangents>& momenta_low() const { return is_in_impetus() ? z_.own().p_low : z_->p_low; }
  template <class F>
  void change_all(const F& change);

  Point<Tangents> z_;
  double q_unit_ = 1, p_unit_ = 1, s_unit_ = 1;
  std::size_t states_ = 0;
  bool has_impetus_ = false;
};

/// The wedge product of vector i of a and vector k of b.
double wedge(const TangentPair& a, int i, const TangentPair& b, int k);

/// <d_i, e_k> for vector i of a and vector k of b.
double inner(const TangentPair& a, int i, const TangentPair& b, int k);

}  // namespace cotangent
