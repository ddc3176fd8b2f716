#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/zoo/reference.hpp"

namespace cotangent::zoo {

/// A point of a trajectory, by the names that users know: x, v_x, p_x, r[2,3], v_r[2,3], states,
/// lambda_rod; multipliers are absent where the constraints do not determine them.
struct Point {
  std::map<std::string, double> values;
  double position = 0, position_level = 0;  ///< max |g| and its rounding level
  double momentum = 0, momentum_level = 0;  ///< max |dg/dt| and its rounding level

  /// @throws std::out_of_range naming what is not there.
  double operator[](const std::string& name) const;
};

/// The files of models/, by name without ending, in alphabetical order.
std::vector<std::string> model_names();

/// A model of the zoo, ready to be run with one method. The only place of these tests that knows how that is done.
class ModelRun {
 public:
  /// @param set overrides as of --set. @param method empty: rattle, or radau-iia:3 for equations.
  explicit ModelRun(const std::string& model, const std::vector<std::string>& set = {}, const std::string& method = "");
  ~ModelRun();
  ModelRun(ModelRun&&) noexcept;
  ModelRun& operator=(ModelRun&&) = delete;
  ModelRun(const ModelRun&) = delete;
  ModelRun& operator=(const ModelRun&) = delete;

  /// The initial point; how far it was moved from what the file says.
  const Point& initial() const;
  double initial_change() const;

  /// What [run] of the file says; short where it has a tolerance only.
  double default_step() const;

  /// The point at time T after `steps` equal steps.
  /// @throws std::runtime_error with the reason if a step fails.
  Point at(Real T, int steps);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Names of an array's entries in the order of the reference: entries("r", 2, 3) is r[1,1], r[1,2], ..., r[2,3].
std::vector<std::string> entries(const std::string& array, int rows);
std::vector<std::string> entries(const std::string& array, int rows, int columns);

/// What a run has to come to: values by name.
using Expected = std::map<std::string, Real>;

/// Positions and velocities of a motion under the names of the coordinates: x, v_x, ...
Expected expected(const std::vector<std::string>& names, const Motion& motion);

/// Checks that the initial values are the expected ones, to rounding.
void expect_starts_at(const ModelRun& run, const Expected& values);

/// How a method's error behaves.
struct Convergence {
  int order = 2;  ///< of the method
  int next = 4;   ///< the next power of h in the expansion of the error; order + 2 for symmetric methods
};

/// Checks, from two sides, that a run converges to the expected values at time T.
///
/// The errors e of steps T/n, T/2n, T/4n must fall by 2^order, to 10 %; those of the values extrapolated from pairs of
/// them by 2^next, to 40 %: both factors hold up to terms that are smaller by h^(next - order). A limit that differed
/// from the expected values by more than the last extrapolated error would show in the second factor. Errors are
/// relative to the largest position, velocity, momentum or multiplier.
void expect_converges(ModelRun& run, Real T, int n, const Expected& values, Convergence convergence = {});

/// The same for quantities derived from a point, with their values at time T; all of one scale.
using Measure = std::function<Vec(const Point&)>;
void expect_converges(ModelRun& run, Real T, int n, const Measure& measure, const Vec& values,
                      Convergence convergence = {});

/// Checks that the constraints hold to rounding.
void expect_on_manifold(const Point& point);

}  // namespace cotangent::zoo
