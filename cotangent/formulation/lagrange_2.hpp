#pragma once

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/minimal_coordinates.hpp"
#include "cotangent/formulation/phase_space_field.hpp"
#include "cotangent/system/momentum_map.hpp"

namespace cotangent {

FormulationFacts lagrange_2_facts();

/// Lagrange's equations of the second kind, in the minimal coordinates s of [minimal] and their velocities u = s':
///
///   q = phi(s, t),   v = Phi u + phi_t,   p with H_p(q, p, t) = v
///   Phi' (p' - F) = 0,   F = -H_q + forces                                       d'Alembert's principle
///
/// The constraints admit the velocities in the range of Phi, G Phi = 0, and their forces G' lambda vanish there. With
/// p' = M (v' - H_pq v - H_pt), M = H_pp^-1 and v' = Phi u' + phi''[(u, 1), (u, 1)],
///
///   s' = u,   (Phi' M Phi) u' = Phi' (F - M (phi''[(u, 1), (u, 1)] - H_pq v - H_pt)).
///
/// q and p are on the manifold whatever the method does. The variables are not canonical.
///
/// Reference: [hlw06, section VI.1.1].
template <class T>
class Lagrange2 final : public PhaseSpaceField<T> {
 public:
  /// @throws std::invalid_argument if the model has no [minimal], and MinimalError if q = phi(s, t) violates a
  /// constraint or if the minimal coordinates are not independent.
  explicit Lagrange2(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* s_dot, T* u_dot, T* states_dot) override;
  std::int64_t size() const override { return static_cast<std::int64_t>(phi_.size()); }
  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override;

 private:
  void check_phi();
  void expect_constraints(const std::vector<T>& s, const T& t);
  [[nodiscard]] bool find_point(const T* s, const T* u, const T& t);

  MinimalCoordinates<T> phi_;
  MomentumMap<T> momenta_;
  std::vector<T> x_, rest_, g_;
};

COTANGENT_DECLARE(TRAJECTORIES, Lagrange2);

}  // namespace cotangent
