#pragma once

#include "cotangent/formulation/phase_space_field.hpp"
#include "cotangent/formulation/striction.hpp"

namespace cotangent {

/// The impetus-striction equations. The variables are q and the impetus p* = p + G' l; the strictions l make the
/// momentum p = p* - G' l satisfy the hidden constraint, whatever q and p* are:
///
///   psi(q, p* - G' l, t) = G H_p + g_t = 0       l: see striction.hpp
///   q'  = v = H_p(q, p)
///   p*' = F + (l.g)''[(v, 1)]                    F = -H_q + forces, at (q, p)
///
/// It is the Hamiltonian system of H(q, p* - G' l) + l'g_t in (q, p*). g and H are conserved, and psi of the momentum
/// vanishes by construction. The multiplier of the constrained motion is l': p' = F - G' l'. A reset
/// p* <- p, l <- 0 changes neither q nor p, and keeps the strictions small. It is made after every so many steps, or in
/// the lanes in which p* and p have come apart.
///
/// A symplectic method keeps dq ^ dp*. It differs from dq ^ dp by (G dq) ^ dl, which vanishes where g is kept. Methods
/// such as those of Gauss keep g if it is quadratic, and others up to their order only: then a reset, which takes
/// dq ^ dp for dq ^ dp*, is no symplectic map.
///
/// Reference: [dichmann-maddocks96]; [seiler99, eq. 22-37]; [seiler99b].
template <class T>
class Impetus final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();
  /// With what remains of it if there are resets.
  static FormulationFacts claims(Manifold<T>& manifold, const FormulationOptions& options);

  Impetus(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override {
    striction_.begin(z, this->owns(own) ? own.p.data() : z.p.data());
  }
  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override;
  Mask<T> is_worn(const OwnVariables<T>& own, const PhasePoint<T>& physical) const override;

 private:
  Striction<T> striction_;
  std::int64_t reset_;
  double reset_above_;
  std::vector<T> curvature_;
};

}  // namespace cotangent
