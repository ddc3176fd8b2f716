#pragma once

#include "cotangent/formulation/phase_space_field.hpp"
#include "cotangent/system/joint_operation.hpp"

namespace cotangent {

/// Dirac's Hamiltonian underlying ODE: the Hamiltonian system of H + mu'g + eta'psi with its multipliers
///
///   R eta = -psi + alpha g,    R mu = psi'[(x, -H_q - e_q, 1)],    x = v + e_p,  (e_q, e_p) = grad (eta'psi)
///
/// (in the literature R mu = b + S eta, b = {psi, H}, S = {psi, psi}) as functions of the point: Hamiltonian
/// everywhere, and the constrained motion on the manifold.
///
/// Multipliers are never differentiated as functions. With adjoints
///
///   R a = g,    R k = psi - S a,    S a = psi'[(a_p, -a_q, 0)],    (a_q, a_p) = grad (a'psi),
///
/// the differential of mu'g + eta'psi at a fixed point is that of a scalar with all multipliers and adjoints held,
///
///   mu'g + a'(b + S eta - R mu) + eta'psi + k'(-psi + alpha g - R eta),
///
/// that is, with M = G' mu, K = G' k, y = -H_q - e_q - M and w = K - a_q,
///
///     G' (mu + alpha k)  +  grad (eta'psi)  -  (k.g)''[(x, 1)]
///   + (a'psi)''[(x, y, 1)]  -  H''[(a_p, w)]  -  (mu.g)''[a_p]
///   - (eta'psi)''[(a_p, w, 0)],
///
/// where -grad (k'psi) = -(k.g)''[(v, 1)] - H''[(0, K)] has gone into two of the terms.
///
/// So third derivatives of g and H come contracted with two vectors, and the cost is four solves with the factor of R
/// and some products more than that of the standard underlying ODE. hidden_constraint.hpp has the derivatives of
/// w'psi; here they are written out, so that what can be done in one pass over the constraints, or over H, is.
/// Forces f are added to p' as f - G' R^-1 G H_pp f.
///
/// Reference: [leimkuhler-reich94, eq. 3.2-3.3]; the gauge alpha: section 3.4 there.
template <class T>
class Dirac final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Dirac(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  using Joint = JointOperation<T>;
  static Joint residuals(System<T>& system);
  static Joint normals(System<T>& system);
  static Joint conjugates(System<T>& system);
  static Joint velocity_changes(System<T>& system);
  static Joint rates_of_psi(System<T>& system);
  static Joint last_normals(System<T>& system);
  static Joint curvatures(System<T>& system);
  static Joint rests(System<T>& system, double gauge);

  void find_multipliers(const std::vector<T>& v, const std::vector<T>& F, T* x, T* y, Mask<T>& found);
  void change_velocities(const T* x, const T* y);
  void differentiate(const std::vector<T>& v, T* x, T* y);

  bool is_separable_;  // H_qp = 0
  bool is_affine_;     // g'' = 0
  bool has_rest_q_;    // of p', where something of H_qp, H_qq and alpha is not zero
  bool has_third_;     // H''' is not zero: E and A are needed until the end
  T gauge_;
  Joint residuals_, normals_, conjugates_, velocity_changes_, rates_of_psi_, last_normals_, curvatures_, rests_;
  std::vector<T> psi_value_, eta_, a_, k_;
  std::vector<T> E_, A_;        // G' eta, G' a
  std::vector<T> a_p_;          // (a'psi)_p
  std::vector<T> He_, Ha_;      // H_qp E and H_qp A, parts of (eta'psi)_q and (a'psi)_q
  std::vector<T> w_;            // -a_q, and then K - a_q, with all parts
  std::vector<T> dv_x_, dv_w_;  // changes of H_p along (x, y, 1) and (a_p, w)
  std::vector<T> bent_, D_;     // curvatures
  std::vector<T> rest_q_;
};

}  // namespace cotangent
