#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"

namespace cotangent {

/// Extrapolation of the midpoint rule on a formulation z' = f(z), by Gragg, Bulirsch and Stoer. With H = h/n,
///
///   d_0 = 0,   d_1 = H f(z),   d_{i+1} = d_{i-1} + 2H f(z + d_i),   i = 1, ..., n
///   S(n) = (d_{n-1} + 2 d_n + d_{n+1}) / 4
///
/// for even n is an increment whose error has an expansion in even powers of H. The polynomial in H^2 of degree K - 1
/// through n_j = 2, 4, ..., 2K has, at H = 0, the value
///
///   z <- z + sum_j w_j S(n_j),   w_j = prod_{i != j} n_j^2 / (n_j^2 - n_i^2)   (compensated)
///
/// whose order is 2K. The estimate of its error is the distance from that through n_2, ..., n_K, of order 2K - 2.
///
/// References: [gragg65], [bulirsch-stoer66], [hnw93, II.9].
template <class T>
class Extrapolation final : public FieldIntegrator<T> {
 public:
  /// @param columns K, at least 2.
  Extrapolation(MethodFacts facts, int columns, std::unique_ptr<Formulation<T>> formulation);

  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) override;

 private:
  using Number = LaneOf<T>;

  // One of the n_j, and with which weights S(n_j) goes into the increment and into its error.
  struct Row {
    int n;
    Number weight, error_weight;
  };

  // q, p and s: f(z), f at the last point, that point, the last two d_i, and the sums over j.
  struct Part {
    std::vector<T> first_rate, rate, x, before, now, increment, end, error;
  };

  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& z, Number h, const Memory<T>& before,
                                             Memory<T>& after) override;
  void prepare(const PhasePoint<T>& z);
  void add_row(const PhasePoint<T>& z, Number h, const Row& row, StepReport<T>& report);

  std::vector<Row> rows_;
  bool is_estimating_ = false;
  ErrorNorm<T> norm_;
  std::array<Part, 3> parts_;
};

/// @param name as the user wrote it.
MethodFacts extrapolation_facts(int columns, const std::string& name);

COTANGENT_DECLARE(NUMBERS, Extrapolation);

}  // namespace cotangent
