#pragma once

#include <array>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// What rounding makes of a step, by kind of variable (coordinates, momenta, states; of a formulation in variables of
/// its own, those): by how much it ends elsewhere, the largest of the kind, if every variable at its beginning is moved
/// by epsilon times the largest of its kind; a state, whose units are its own, by epsilon times its size. At rest that
/// is all there is to see of momenta: forces cancel, and leave their rounding errors, however small the momenta have
/// become.
///
///   noise = d |Phi_h(z + d s) - Phi_h(z)|,   d = sqrt(epsilon), s_k = +- the largest of the kind of z_k, or z_k
///
/// With d and not with epsilon: a force that jumps, as that of friction does, moves the end by as much for every d.
/// That is no rounding error, and counts for next to nothing here.
template <class T>
class StepNoise {
 public:
  /// @param integrator must outlive this. Of its steps without projections.
  explicit StepNoise(Integrator<T>& integrator) : integrator_(integrator.unprojected()) {}

  /// Zero where a step fails. @param counts what both have cost is added.
  std::array<double, 3> operator()(const Point<T>& z, T h, Counts& counts);

 private:
  Integrator<T>& integrator_;
  Point<T> end_, beside_, end_beside_;
};

COTANGENT_DECLARE(PRECISIONS, StepNoise);

}  // namespace cotangent
