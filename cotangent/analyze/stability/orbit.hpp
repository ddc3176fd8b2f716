#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// A motion in steps of equal length, their number a multiple of four. It ends where it began if it is closed.
struct Orbit {
  std::vector<PhasePoint<double>> points;
  double step = 0;
  bool is_closed = false;
  double return_error = 0;   ///< of a closed one: |z(T) - z(0)| in units of its size
  std::string failure = {};  ///< why it ends early; empty if it does not

  double duration() const { return step * static_cast<double>(points.size() - 1); }
};

/// Follows the constrained motion from a point, and finds out whether it comes back.
///
/// z(t) passes the surface n'(z - z(0)) = 0, n = z'(0) in units of the size of the motion, upwards whenever it comes
/// back; there, if it is as near to z(0) as errors of steps explain, T is a period. The time of the passage is found
/// with shorter steps from the point before it, so that z(T) is a point of the method itself.
///
/// A motion that is driven comes back after a multiple of the period of its equations, f(z, t + T) = f(z, t): the first
/// T at which D(T) = max_j |f(z, t_j + T) - f(z, t_j)| vanishes, for some times t_j and a point z that no symmetry
/// knows.
class OrbitFinder {
 public:
  /// Steps are those of dop853 on `standard`, projected to the constraints [hlw06, IV.4].
  /// @param nullity of the matrix of the manifold.
  /// @param stop nonzero: a step throws Interrupted.
  OrbitFinder(std::shared_ptr<const CompiledModel> model, std::size_t nullity, const volatile std::sig_atomic_t* stop);

  /// @param duration the longest period. @param step near which steps are.
  Orbit operator()(const PhasePoint<double>& z, double duration, double step);

  /// The orbit through z once more, with so many steps.
  Orbit follow(const PhasePoint<double>& z, double duration, std::size_t steps);

 private:
  std::optional<double> find_period(const PhasePoint<double>& z, double duration, double step);
  std::optional<double> find_driven_period(const PhasePoint<double>& z, double duration, double step);
  std::optional<double> period_of_equations(const PhasePoint<double>& z, double duration, double step);
  bool make(const Point<double>& z, double h, Point<double>& end);

  System<double> system_;
  Manifold<double> manifold_;
  std::unique_ptr<Integrator<double>> integrator_;
  std::unique_ptr<Formulation<double>> field_;
  const volatile std::sig_atomic_t* stop_;
  std::string failure_;
};

}  // namespace cotangent
