#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/expressions.hpp"

namespace cotangent {

/// How dense steps should be at a point: a smooth Q(z) > 0, which steps are inversely proportional to. Its unit does
/// not matter. Reversible steps need a Q that is the same for a motion that runs backwards: Q(q, -p) = Q(q, p).
template <class T>
class StepDensity {
 public:
  virtual ~StepDensity() = default;

  /// Whether Q is a frequency of the motion, which needs `rate` and `lambda`: h Q says how well a step resolves it.
  virtual bool is_frequency() const { return false; }

  /// Before everything else, at the first point of a run; rate is (q', p', s') there, lambda the multipliers.
  virtual void start(const PhasePoint<T>& /*z*/, const PhasePoint<T>& /*rate*/, const std::vector<T>& /*lambda*/) {}

  /// Q(z). Does not allocate.
  virtual T operator()(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) = 0;

  /// What it remembers of the start, for a checkpoint.
  virtual void state(Archive& /*archive*/) {}
};

/// A frequency of the motion near z, for any mechanical system:
///
///   Q^12 = |K|^6 + (|K'|^4 + |K''|^3)/72 + c^12 + (4/end)^12,   K = H_pp (H_qq + (lambda.g)_qq),
///   c^4 = |a|^4 / (|v|^4 + |a|^4 / sigma^4),   v = q',  a = q''.
///
/// The root of |K| (Frobenius) bounds the frequencies of the motion linearised at z, with those that the constraints
/// make, such as the rate of a rotation. Where K vanishes, as it does between a well and a hill and at the bottom of
/// x^4, its derivatives along the motion say when it will be there again: |K'| and |K''| are powers 3 and 4 of a
/// frequency. Without them Q would pass zero faster than steps can follow, which are as long as 1/Q. c cuts |a|/|v| off
/// at sigma, a constant of this kind from the first point, so that Q is smooth at rest. For Kepler's problem all of it
/// goes as r^(-3/2). The last term ends the growth of steps in free flight.
///
/// Derivatives of K are differences between points z + tau z', z - tau z' on the tangent of the motion, with lambda as
/// it is at z: tau = (|K|^2 + c^4 + (sigma/8)^4)^(-1/4) / 5, so long that rounding errors are not blown up. In more
/// than three dimensions |K| is estimated by |K w| for a few fixed w. Forces that are not of H are not seen.
template <class T>
class FrequencyDensity final : public StepDensity<T> {
 public:
  /// @param manifold must outlive this.
  FrequencyDensity(Manifold<T>& manifold, double end);

  bool is_frequency() const override { return true; }
  void start(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) override;
  T operator()(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) override;
  void state(Archive& archive) override {
    archive("floor", floor_);
    archive("sigma", sigma_);
  }

 private:
  using Products = std::vector<std::vector<T>>;  // K w for each w

  void products(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda, const T& along,
                Products& K);

  System<T>& system_;
  const Products probes_;  // w
  const std::vector<T> zero_;
  std::vector<T> x_, y_, a_;
  Products K_, ahead_, behind_;  // at z, at z + tau z' and at z - tau z'
  PhasePoint<T> other_;
  T floor_, sigma_ = T(1);  // (4/end)^4, sigma^4
  T tau_ = T(0);            // where it looked last
};

/// An expression in the variables of a model.
template <class T>
class ExpressionDensity final : public StepDensity<T> {
 public:
  ExpressionDensity(const Model& model, const Expr& expression, Backend backend) : value_(model, expression, backend) {}

  T operator()(const PhasePoint<T>& z) { return value_(z)[0]; }
  T operator()(const PhasePoint<T>& z, const PhasePoint<T>& /*rate*/, const std::vector<T>& /*lambda*/) override {
    return (*this)(z);
  }

 private:
  Expressions<T> value_;
};

COTANGENT_DECLARE(PRECISIONS, FrequencyDensity);

}  // namespace cotangent
