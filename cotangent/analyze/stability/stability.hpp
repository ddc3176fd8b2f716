#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analyze/stability/linearised_field.hpp"
#include "cotangent/analyze/stability/orbit.hpp"
#include "cotangent/analyze/stability/transition.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

struct StabilityOptions {
  std::vector<std::string> formulations = {};  ///< all that there are if none is named
  FormulationOptions equations = {};
  double duration = 0;  ///< of the motion that is followed; 0: none is
  double step = 0;
  const volatile std::sig_atomic_t* stop = nullptr;  ///< nonzero: it is given up
};

/// What errors of g and psi do under a formulation, to first order.
struct FormulationStability {
  std::string name;
  std::string refusal;  ///< why the formulation cannot take the system; then nothing else is known

  // At the start, as if coefficients were constant: figures, which decide nothing of a motion.
  std::vector<Complex> field;      ///< eigenvalues of f'(x)
  std::vector<Complex> residuals;  ///< and of A, r' = A r

  bool has_residuals = false;  ///< not so where g = 0 and psi = 0 by construction
  // Along the motion, if one was followed.
  std::optional<Fate> fate;
  std::vector<Complex> multipliers;  ///< of a closed orbit
};

struct StabilityReport {
  std::shared_ptr<const Elements> elements;
  PhasePoint<double> start;
  std::vector<RedundantConstraint> redundant;  ///< near the start
  std::int64_t degrees_of_freedom = 0;         ///< n - rank G there
  /// The largest condition number of R = G H_pp G' along the motion, and when: see ConstraintMatrix::condition().
  double condition = 1, condition_time = 0;
  bool is_equilibrium = false;  ///< nothing moves at the start: then its figures do decide
  std::optional<Orbit> orbit;   ///< nothing if none was followed
  // Neighbours on the manifold: the stability of the motion itself, the same under all formulations.
  std::optional<Fate> motion_fate;
  std::vector<Complex> motion_multipliers;
  double relative_error = 0;  ///< the largest of a transition matrix
  /// The mean multipliers along the motion: impetuses p* = p + G'l drift away from p, because l' = lambda.
  std::vector<double> mean_multipliers;
  std::vector<FormulationStability> formulations;
  std::vector<std::string> notes;
};

/// The stability of the constraint manifold, and of the motion on it, from the initial point of a model.
///
/// @throws ModelError for initial data that a run would refuse, and std::invalid_argument for systems that are too
/// large for full matrices, and for names of formulations that there are not; Interrupted where it is given up.
StabilityReport analyze_stability(const Model& model, const StabilityOptions& options);

/// As the program prints it.
std::string table_of(const StabilityReport& report);
Json json_of(const StabilityReport& report);

}  // namespace cotangent
