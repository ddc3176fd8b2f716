#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;

// H_pp does not depend on anything, and H_p does not depend on q and t.
template <class T>
bool has_constant_mass(System<T>& system) {
  if (system.source()) return false;
  const bool of_L = system.legendre() != nullptr;
  const Of of = of_L ? Of::L : Of::H;
  const Contraction::Direction along{.q = false, .p = !of_L, .v = of_L}, time{.q = false, .t = true};
  const Result by = of_L ? Result::gradient_v : Result::gradient_p;
  return system.is_separable() && system.vanishes({.of = of, .directions = {along, along}, .result = by}) &&
         system.vanishes({.of = of, .directions = {time}, .result = by});
}

template <class T>
bool is_affine(System<T>& system) {
  return !system.source() &&
         system.vanishes({.of = Of::weighted_g, .directions = {{.q = true, .t = true}}, .result = Result::gradient_q});
}

FormulationFacts sheet() {
  return {.name = "linear-hamiltonian",
          .description = "Hamiltonian system of H(Q(q), p), Q the mass projection onto affine constraints",
          .hamiltonian = true,
          .keeps_psi = true,
          .residuals = "g' = psi, psi' = 0",
          .derivatives = "G, H_pp",
          .moving = "g = G q - c(t) may move: -G' R^-1 g_tt in p'; of f what constraints admit, at Q",
          .applies_to = "affine constraints with constant G, H = T(p) + V(q, t) with constant H_pp",
          .reference = "leimkuhler-reich94"};
}

/// For constraints that are affine in q, g = G q - c(t) with constant G, and H = T(p) + V(q, t) with constant H_pp: the
/// Hamiltonian system of H(Q(q), p), where
///
///   Q = q - H_pp G' R^-1 g(q, t),   R = G H_pp G'
///
/// is the projection onto g = 0 in the metric of the masses. (For M = I and c = 0 it is Pi q, Pi = I - G'(G G')^-1 G.)
///
///   q' = v = H_p
///   p' = Pi'F(Q) - G' R^-1 g_tt,    Pi'F = F - G' R^-1 G H_pp F,    F = -H_q + forces
///
/// Off the manifold psi = G v + g_t is conserved and g' = psi.
///
/// Reference: [leimkuhler-reich94, section 3].
template <class T>
class LinearHamiltonian final : public PhaseSpaceField<T> {
 public:
  /// @throws std::invalid_argument if constraints are not affine or H is not of that form.
  LinearHamiltonian(Manifold<T>& manifold, const FormulationOptions& /*options*/)
      : PhaseSpaceField<T>(sheet(), manifold), Q_(this->n(), T(0)), pulled_back_(Q_), moved_(Q_) {
    if (!is_affine(manifold.system()))
      throw std::invalid_argument(
          "the formulation 'linear-hamiltonian' is for constraints that are affine in the coordinates, with constant "
          "coefficients; these are not: use 'dirac' for Hamiltonian equations with any constraints");
    if (!has_constant_mass(manifold.system()))
      throw std::invalid_argument(
          "the formulation 'linear-hamiltonian' is for H = T(p) + V(q, t) with constant masses, which this is not: use "
          "'dirac' for Hamiltonian equations of any H");
  }

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    HiddenConstraint<T>& psi = this->psi_;
    std::vector<T>& lambda = this->lambda_;
    Mask<T> found = this->factor(z);  // R is constant
    psi.at(z);
    std::copy(psi.v().begin(), psi.v().end(), q_dot);
    std::copy_n(z.q, this->n(), Q_.begin());
    if (this->m() > 0) {
      psi.g(lambda.data());
      this->solve_residuals(lambda);
      psi.Gt_times(lambda.data(), pulled_back_.data());
      psi.H_pp_times(pulled_back_.data(), moved_.data());
      for (std::size_t j = 0; j < this->n(); ++j) Q_[j] -= moved_[j];
    }
    // v and H_pp are the same at Q.
    const PointRef<T> projected(Q_.data(), z.p, z.s, z.t);
    psi.at(projected);
    found = this->find_forces(projected, found);
    std::copy(this->F_.begin(), this->F_.end(), p_dot);
    this->eliminate(q_dot, p_dot, found);  // psi' = g_tt + G H_pp F
    this->rates(projected, s_dot);
    return found;
  }

 private:
  std::vector<T> Q_, pulled_back_, moved_;
};

}  // namespace

template <class T>
FormulationEntry<T> linear_hamiltonian() {
  return {sheet(), make<LinearHamiltonian, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> linear_hamiltonian();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
