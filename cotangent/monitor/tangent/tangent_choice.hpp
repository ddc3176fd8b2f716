#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/tangent/tangent_frame.hpp"

namespace cotangent {

/// Tangent vectors to begin with: directions in which a point may move.
///
/// They satisfy the conditions of consistency
///
///   0 = G dq,   0 = psi_q dq + psi_p dp
///
/// because they are derivatives of the projection onto the constraints. Where the point is off the constraints they
/// are so at the nearest one.
///
/// Reference: [leimkuhler-reich94, section 3.2].
template <class T>
class TangentChoice {
 public:
  /// @param map must outlive this.
  explicit TangentChoice(StepMap<Tangents>& map) : map_(map) {}

  /// Vectors are measured by the coordinates Q of z and by its momenta,
  ///
  ///   P = max(|p|, (Q (|H_q| + |H_qq Q|) / |H_pp|)^(1/2)),
  ///
  /// so that those of a system that begins nearly at rest are measured by what moves it. Without forces they are those
  /// that move it as far as it is within some steps of length h. Q is shorter where constraints are more curved than
  /// that. States are measured by the largest of them, or by one.
  void set_measure(const PhasePoint<T>& z, double h);

  /// How many independent vectors there are.
  std::size_t dimension() const;

  /// One in the space of all variables, those of the states too.
  TangentFrame neighbour(const PhasePoint<T>& z);

  /// Two that span an area.
  TangentFrame pair(const PhasePoint<T>& z);

  /// A vector with another one that spans about the largest area with it.
  TangentFrame widest(const PhasePoint<T>& z, const std::vector<double>& first);

  /// dimension() of them.
  TangentFrame basis(const PhasePoint<T>& z);

  /// One along each variable, those of the states too. @pre there are no constraints.
  TangentFrame everything(const PhasePoint<T>& z) const;

  void state(Archive& archive) { archive("measure", measure_); }

 private:
  TangentFrame consistent(const PhasePoint<T>& z, const std::vector<double>& first, const std::vector<double>& second);

  StepMap<Tangents>& map_;
  TangentMeasure measure_;
};

COTANGENT_DECLARE(PRECISIONS, TangentChoice);

}  // namespace cotangent
