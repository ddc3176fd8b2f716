#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/run/options/run_plan.hpp"

namespace cotangent {

/// The rates of a point under a formulation.
struct PointRates {
  std::vector<double> q, p, s;
};

/// A sparse matrix in triplets: those at the same place add up. Indices count from zero.
struct SparseRows {
  std::int64_t row_count = 0, column_count = 0;
  std::vector<std::int64_t> rows, columns;
  std::vector<double> values;
};

/// H, g and what follows from them at points of one's own, without a run:
///
///   Evaluation pendulum(load_model("pendulum.toml"));
///   pendulum.move_to(0, {{1, 0.1}}, {{0, -2}});
///   pendulum.project();                        // onto g = 0 and G H_p + g_t = 0
///   std::cout << pendulum.H() << ' ' << pendulum.multipliers()[0] << '\n';
///
/// Vectors are in the order of the columns of a record: the last index of an array runs fastest. Code is shared with
/// runs of the model. One at a time may use an evaluation.
class Evaluation {
 public:
  /// @throws ModelError for a model that a run would refuse.
  explicit Evaluation(const Model& model);
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  std::int64_t coordinates() const;
  std::int64_t states() const;
  /// The constraints in the order of their rows: "rod[1]", "rod[2]".
  const std::vector<std::string>& constraint_names() const;

  /// Whether there is an H: not so for ordinary differential equations.
  bool has_energy() const;

  /// The point that is asked about. Vectors that are left out are zero.
  /// @throws std::invalid_argument for a vector of another size.
  void move_to(double t, std::span<const double> q, std::span<const double> p = {}, std::span<const double> s = {});

  double t() const;
  std::vector<double> q() const, p() const, s() const;

  double H();
  std::vector<double> velocities();          ///< v = H_p
  std::vector<double> constraints();         ///< g
  std::vector<double> hidden_constraints();  ///< G v + g_t
  SparseRows jacobian();                     ///< G = dg/dq
  /// Of the constrained motion through the point. @throws std::runtime_error where the constraints are dependent.
  std::vector<double> multipliers();
  std::vector<double> observables();
  /// The names of these, a name for each number.
  const std::vector<std::string>& observable_names() const;

  /// @param formulation one in q and p. @param options its options: gauge, baumgarte.
  /// @throws std::invalid_argument for a formulation that the model does not have, std::runtime_error where it has no
  /// value.
  PointRates field(const std::string& formulation, const RunPlan& options = {});

  /// Moves the point onto the constraints: q to the nearest one in the mass metric, then p along G'.
  /// @throws std::runtime_error if it is not found.
  void project();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace cotangent
