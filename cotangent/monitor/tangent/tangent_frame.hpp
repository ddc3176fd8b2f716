#pragma once

#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/point.hpp"

namespace cotangent {

/// How tangent vectors (dq, dp, ds) are measured, in units of the coordinates, of the momenta and of the states:
///
///   <a, b> = sum_j dq_aj dq_bj / Q^2 + sum_j dp_aj dp_bj / P^2 + sum_j ds_aj ds_bj / S^2
///
/// Their wedge product, in units of Q P, is that of the canonical variables that a method advances: q and p, or q and
/// p* = p + G'l where the point carries an impetus [dichmann-maddocks96]. The two forms are the same on vectors with
/// G dq = 0,
///
///   dq_a.dp*_b - dp*_a.dq_b = dq_a.dp_b - dp_a.dq_b + (G dq_a).dl_b - dl_a.(G dq_b),
///
/// for the second derivatives (l.g)'' are symmetric. But a method that keeps g up to its order only has no such
/// vectors, and the form that it keeps is the one in q and p*.
struct TangentMeasure {
  double q = 1, p = 1, s = 1;  ///< Q, P, S
  std::size_t states = 0;      ///< how many count; those after them have no part in the motion
  bool has_impetus = false;    ///< variables that a formulation leaves with the point are q and p*

  /// Is read into a measure of the same system.
  void state(Archive& archive) {
    const std::size_t expected = states;
    archive("q", q);
    archive("p", p);
    archive("s", s);
    archive("states", states);
    if (states != expected) archive.fail("the system has other states");
    archive("has_impetus", has_impetus);
  }
};

/// Tangent vectors at a point, two as the derivatives of each of some points of dual numbers. The last one is zero if
/// their number is odd.
class TangentFrame {
 public:
  /// In shape vectors are at most so many times as long as one, or as short, and the product of the lengths of two
  /// vectors of a point at most so many times the area that they span. Others give small differences of large numbers.
  static constexpr double kLong = 8;

  TangentFrame() = default;

  /// Points have the derivatives of z, each of them.
  TangentFrame(const PhasePoint<Tangents>& z, std::size_t dimension, const TangentMeasure& measure)
      : points_((dimension + 1) / 2, Point<Tangents>(z)), dimension_(dimension), measure_(measure) {}

  /// Vectors 2 k and 2 k + 1 are those of point k.
  std::size_t dimension() const { return dimension_; }
  std::vector<Point<Tangents>>& points() { return points_; }
  const std::vector<Point<Tangents>>& points() const { return points_; }
  const TangentMeasure& measure() const { return measure_; }

  /// Vector i: dq, then dp. It may be set with ds.
  std::vector<double> vector(std::size_t i) const;
  void set(std::size_t i, const std::vector<double>& x);

  double inner(std::size_t i, std::size_t k) const;
  double wedge(std::size_t i, std::size_t k) const;

  /// Of the vectors of one point: <a, a>, <b, b>, <a, b>, and the wedge product.
  struct Gram {
    double first, second, mixed, wedge;
  };
  Gram gram(std::size_t point = 0) const;
  /// @param g gram(point).
  bool is_in_shape(std::size_t point, const Gram& g) const;

  /// d_i *= factor, and d_i += factor e_k with a vector of a frame at the same point, wherever points have derivatives:
  /// variables of a formulation and what belongs to the trajectory go along; what a method remembers is forgotten.
  void scale(std::size_t i, double factor);
  void add(std::size_t i, double factor, const TangentFrame& other, std::size_t k);

  /// Makes vectors orthogonal to those before them, and of length one [Gram and Schmidt].
  /// @param log_volume is added the logarithm of the volume that they spanned.
  /// @return of how many that can be done: those before the first that others span, or that is not finite.
  std::size_t orthonormalise(double* log_volume = nullptr);

  /// The derivatives of the states [begin, end) become zero.
  void drop_states(std::size_t begin, std::size_t end);

  /// Whether a derivative, or its square, is not finite.
  bool is_out_of_range() const;

  void state(Archive& archive);

 private:
  std::vector<Point<Tangents>> points_;
  std::size_t dimension_ = 0;
  TangentMeasure measure_;
};

}  // namespace cotangent
