#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/solve/fixed_point.hpp"

namespace cotangent {

/// The coefficients of an implicit Runge-Kutta method.
struct ImplicitTableau {
  std::vector<std::vector<Quad>> a;  ///< square
  std::vector<Quad> b, c;
};

/// An implicit Runge-Kutta method on a formulation z' = f(z):
///
///   Z_i = h sum_j a_ij f(z + Z_j),   z <- z + h sum_i b_i f(z + Z_i)   (compensated)
///
/// Stages that depend on each other are found together by FixedPoint: all of them for a full matrix a, one after the
/// other for a triangular one. A stage that depends on earlier ones only is explicit. So no derivative of f is needed,
/// and a step costs as many evaluations of f as iterations, whatever the structure of the system.
///
/// Where Newton's method was needed, h f is large beside Z, and the step is made of the stages: with w' = b'a^-1,
///
///   z <- z + sum_i w_i Z_i                                            [hairer-wanner96, IV.8]
///
/// Sums over stages take each coefficient in two parts, the first of which is short and exact: rounded coefficients
/// would make a Gauss method one that is not quite symplectic, and energy drift by that
/// [hairer-mclachlan-razakarivony08].
///
/// Witnesses among the states, such as the work done, are not looked for: their stages are zero, and their increments
/// are h sum_i b_i f. What they are added up from may cancel (forces that do no work), and has no size of its own that
/// an iteration could stop by.
///
/// The iteration starts from the polynomial through the stages of the step before, continued. Since all solves go on to
/// rounding error the guess does not change the result, nor its symmetry.
template <class T>
class ImplicitRungeKutta final : public FieldIntegrator<T> {
 public:
  /// @param witnesses how many of the last states nothing depends on, such as the work done.
  ImplicitRungeKutta(MethodFacts facts, const ImplicitTableau& tableau, std::unique_ptr<Formulation<T>> formulation,
                     std::size_t witnesses, FixedPointSolver solver = FixedPointSolver::automatic);

 private:
  using Number = LaneOf<T>;

  // A coefficient as the sum of a short number and the rest.
  struct Coefficient {
    Number high, low;
    bool is_zero() const { return high == Number(0) && low == Number(0); }
  };
  static Coefficient split(Quad exact);

  // Stages first .. last - 1, which are found together. Z and f of a stage have the parts q, p and s, one after the
  // other.
  struct Block {
    std::size_t first, last;
    bool is_explicit;
    std::unique_ptr<FixedPoint<T>> solver;
  };

  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, Number h, const Memory<T>& before,
                                             Memory<T>& after) override;
  void forget(const Mask<T>& lanes, Memory<T>& memory) const override;
  void prepare(const PhasePoint<T>& z);
  void guess(Number h, const Memory<T>& before);
  void remember(Number h, Memory<T>& after) const;
  void find_continuation(Number ratio);
  void solve(Block& block, const PhasePoint<T>& z, Number h, StepReport<T>& report);
  [[nodiscard]] Mask<T> rate(const PhasePoint<T>& z, std::size_t stage, Number h, const T* Z, T* f);
  template <class Residual>
  [[nodiscard]] bool find_sizes(const Residual& residual, const T* Z, const T* r, std::size_t stages,
                                const Mask<T>& active);
  void weigh(const T* Z, std::size_t stages, std::vector<T>& weights) const;
  template <class Visit>
  void each_of(std::size_t part, std::size_t stages, const Visit& visit) const;
  [[nodiscard]] T increment(std::size_t k, Number h) const;

  std::vector<std::vector<Coefficient>> a_;
  std::vector<Coefficient> b_;
  std::vector<Number> c_;
  std::vector<Coefficient> w_;  // b'a^-1; nothing where a is singular
  const std::size_t witnesses_;
  FixedPointSolver solver_;
  std::vector<Block> blocks_;

  std::size_t n_ = 0, size_ = 0;                  // of q, and of q, p and s together
  std::size_t moving_ = 0;                        // the same without witnesses
  std::vector<T> x_, probe_;                      // the point of a stage, f of all stages while they are looked for
  std::array<std::vector<T>, 3> increments_;      // of q, p and s
  std::vector<std::vector<T>> Z_, rates_, base_;  // of all stages; what earlier blocks add to Z
  Mask<T> by_newton_ = false;                     // where the stages come from Newton's method
  std::array<T, 3> sizes_;                        // of q, p and s at the beginning of the step
  std::array<T, 3> least_sizes_;                  // what they are taken for at least, while stages are looked for
  std::vector<T> moved_, moved_r_;
  // From the stages of a step to those of the next, which is so many times longer.
  std::vector<std::vector<Number>> continuation_;
  Number continued_for_ = 0;
};

COTANGENT_DECLARE(NUMBERS, ImplicitRungeKutta);

}  // namespace cotangent
