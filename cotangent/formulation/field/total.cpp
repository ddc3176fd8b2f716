#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "total",
          .description = "Hamiltonian system of H + mu'g",
          .hamiltonian = true,
          .residuals = "a saddle: g' = psi + {g, mu} g, psi' = {psi, mu} g to first order",
          .derivatives = "g''', H'''",
          .moving = "t joins the coordinates: psi = G v + g_t, b has psi_t; of f what constraints admit",
          .applies_to = "every system with third derivatives",
          .reference = "leimkuhler-reich94"};
}

/// The Hamiltonian system of the total Hamiltonian H + mu'g, with the multipliers R mu = b(q, p) as functions of the
/// point: Hamiltonian everywhere, and the constrained motion on the manifold.
///
///   q' = v + d/dp (mu'g),   p' = -H_q - d/dq (mu'g),      b = psi'[(v, -H_q, 1)]
///
/// mu is never differentiated as a function. At fixed g, d mu'g = a'(db - dR mu) with the adjoint R a = g; since
/// a'b = (a'psi)'[(v, -H_q, 1)] and a'R mu = (a'psi)_p' M with M = G' mu,
///
///   d (mu'g) = G' mu  +  (a'psi)''[(v, -H_q - M, 1)]  +  H''[(-a_p, a_q)]  -  (mu.g)''[a_p],
///   (a_q, a_p) = ((a'psi)_q, (a'psi)_p).
///
/// Forces f are added to p' as f - G' R^-1 G H_pp f, the part of them that the constraints admit.
///
/// Off the manifold the residuals see a saddle: linearised, g' = psi + ..., psi' = {psi, mu} g: they grow
/// exponentially.
///
/// Reference: [leimkuhler-reich94, eq. 3.9-3.10]; [seiler99, eq. 17].
template <class T>
class Total final : public PhaseSpaceField<T> {
 public:
  Total(Manifold<T>& manifold, const FormulationOptions& /*options*/)
      : PhaseSpaceField<T>(sheet(), manifold),
        a_(this->m(), T(0)),
        a_q_(this->n(), T(0)),
        a_p_(a_q_),
        by_q_(a_q_),
        by_p_(a_q_) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin(z);
    HiddenConstraint<T>& psi = this->psi_;
    const std::vector<T>& v = psi.v();
    const std::vector<T>& F = this->conservative_force(z);
    const std::size_t n = this->n();
    if (this->m() == 0) {
      std::copy(v.begin(), v.end(), q_dot);
      std::copy(F.begin(), F.end(), p_dot);
    } else {
      const std::vector<T>& mu = this->lambda_;
      std::copy(F.begin(), F.end(), p_dot);
      this->eliminate(v.data(), p_dot, found);  // -H_q - M

      psi.g(a_.data());
      this->solve_residuals(a_);
      psi.gradient(a_.data(), a_q_.data(), a_p_.data());
      psi.second(a_.data(), v.data(), p_dot, Time::moves, by_q_.data(), q_dot);
      for (std::size_t j = 0; j < n; ++j) {
        q_dot[j] += v[j];
        p_dot[j] -= by_q_[j];
        a_q_[j] = -a_q_[j];
      }
      psi.H_q_along(a_p_.data(), a_q_.data(), by_q_.data());
      psi.H_p_along(a_p_.data(), a_q_.data(), Time::held, by_p_.data());
      for (std::size_t j = 0; j < n; ++j) {
        q_dot[j] -= by_p_[j];
        p_dot[j] += by_q_[j];
      }
      psi.curvature(mu.data(), a_p_.data(), Time::held, by_q_.data());
      for (std::size_t j = 0; j < n; ++j) p_dot[j] += by_q_[j];
    }
    this->add_admitted_forces(p_dot, found);
    this->rates(z, s_dot);
    return found;
  }

 private:
  std::vector<T> a_, a_q_, a_p_;
  // Second derivatives of a'psi and H, and the curvature of mu, along the vectors of the header; one after the other,
  // for with many links what counts is memory.
  std::vector<T> by_q_, by_p_;
};

}  // namespace

template <class T>
FormulationEntry<T> total() {
  return {sheet(), make<Total, T>, true};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> total();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
