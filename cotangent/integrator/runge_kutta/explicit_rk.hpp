#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"
#include "cotangent/integrator/runge_kutta/explicit_tables.hpp"

namespace cotangent {

/// An explicit Runge-Kutta method on a formulation z' = f(z):
///
///   k_i = f(z + h sum_{j<i} a_ij k_j),   z <- z + h sum_i b_i k_i   (compensated)
///
/// Its error is estimated, if asked for, by e = h sum_i error_i k_i, the distance from another result of the same
/// stages; with a third result, of the lower order 3, at the distance c, by |e|^2 / sqrt(|e|^2 + |c|^2/100)
/// [hnw93, II.10]. Stages that only the estimate needs are not computed otherwise.
///
/// Its stages have other results, x + h sum_i (b_i + w_i) k_i, with weights w that are orthogonal to those of
/// elementary differentials: to 1 = (1, .., 1) and c, and each to what the ones before leave of c^2, Ac, c^3, c Ac, A
/// c^2, ... Such a result has order two at least. The first one is of order one: its w is orthogonal to 1 and has
/// w'c = 1/2, so that h sum_i w_i k_i = h^2/2 f'f + O(h^3).
template <class T>
class ExplicitRungeKutta final : public FieldIntegrator<T> {
 public:
  ExplicitRungeKutta(MethodFacts facts, const ExplicitTableau& tableau, std::unique_ptr<Formulation<T>> formulation);

  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) override;
  [[nodiscard]] StepReport<T> advance(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) override;
  std::size_t embedded_count() const override { return embedded_.size(); }
  void embedded(std::size_t k, T* d) override;

 private:
  using Number = LaneOf<T>;

  // A weight that is not zero, and the stage that it belongs to.
  struct Term {
    std::size_t stage;
    Number weight;
  };
  using Terms = std::vector<Term>;

  static Terms terms(const std::vector<Quad>& weights);
  static std::size_t stages_of(const Terms& terms) { return terms.empty() ? 0 : terms.back().stage + 1; }

  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, Number h, const Memory<T>& before,
                                             Memory<T>& after) override;
  void begin(const PhasePoint<T>& z);
  void add_up(const T* from, Number h, const Terms& terms, std::vector<T>& x);
  T estimate(Number h);
  std::span<const T> part(const T* x, std::size_t i) const { return {x + first_[i], x + first_[i + 1]}; }

  std::vector<Terms> a_;
  std::vector<Number> c_;
  Terms b_, error_, coarse_error_;
  std::vector<Terms> embedded_;
  Number last_h_ = 0;
  bool is_estimating_ = false;
  ErrorNorm<T> norm_;

  // One vector (q, p, s) after the other: where the parts begin, and how long it is; where a step begins, the point of
  // a stage, k_i of all stages, the increment, where it leads, and an estimate of its error.
  std::array<std::size_t, 4> first_{};
  const T* begin_ = nullptr;
  std::vector<T> joined_, x_, rates_, increment_, end_, distance_;
  std::vector<T> hw_;  // h times the weights of terms
};

COTANGENT_DECLARE(NUMBERS, ExplicitRungeKutta);

}  // namespace cotangent
