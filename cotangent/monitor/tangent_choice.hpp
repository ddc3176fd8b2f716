#pragma once

#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/step_map.hpp"
#include "cotangent/monitor/tangent_pair.hpp"

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
  /// that move it as far as it is within some steps of length h. States are measured by the largest of them, or by one.
  void set_units(const PhasePoint<T>& z, double h);

  /// Two vectors of length one that span an area, if there are any.
  std::optional<TangentPair> pair(const PhasePoint<T>& z);

  /// A vector of length one in the space of all variables, those of the states too, and no second one.
  TangentPair neighbour(const PhasePoint<T>& z);

  /// A vector, dq and then dp, with one that spans about the largest area with it.
  TangentPair widest(const PhasePoint<T>& z, const std::vector<double>& first);

  /// All directions, in pairs; the last vector of an odd number is zero.
  std::vector<TangentPair> basis(const PhasePoint<T>& z, std::size_t& dimension);

  void state(Archive& archive) {
    archive("q_unit", q_unit_);
    archive("p_unit", p_unit_);
    archive("s_unit", s_unit_);
  }

 private:
  TangentPair consistent(const PhasePoint<T>& z, const std::vector<double>& first, const std::vector<double>& second,
                         const std::vector<double>& first_states = {});
  void set_units_of(TangentPair& pair) const;

  StepMap<Tangents>& map_;
  double q_unit_ = 1, p_unit_ = 1, s_unit_ = 1;
};

COTANGENT_DECLARE(PRECISIONS, TangentChoice);

}  // namespace cotangent
