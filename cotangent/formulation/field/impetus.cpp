#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"
#include "cotangent/formulation/field/striction.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "impetus",
          .description = "impetus-striction (`impetus-reset = K`, `impetus-reset-above = EPS`)",
          .variables = "q, p* = p + G' l",
          .is_physical = false,
          .hamiltonian = true,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_momentum = true,
          .residuals = "g' = 0, psi = 0",
          .derivatives = "g'', H_pp",
          .moving = "l from G H_p + g_t = 0, p*' has (l.g_t)_q; f is part of p*'",
          .reference = "seiler99"};
}

template <class T>
FormulationFacts claims(Manifold<T>& manifold, const FormulationOptions& options) {
  FormulationFacts facts = sheet();
  const bool resets = options.impetus_reset > 0 || options.impetus_reset_above > 0;
  const Contraction::Direction along{.q = true, .t = true};
  const Contraction third{.of = Contraction::Of::g, .directions = {along, along, along}};
  facts.hamiltonian = !resets || manifold.system().m() == 0 || manifold.system().vanishes(third);
  return facts;
}

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
  Impetus(Manifold<T>& manifold, const FormulationOptions& options)
      : PhaseSpaceField<T>(claims(manifold, options), manifold),
        striction_(manifold, this->psi_),
        reset_(options.impetus_reset),
        reset_above_(options.impetus_reset_above),
        curvature_(this->n(), T(0)) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found(true);
    this->narrow_to_momentum(found, striction_.solve(z.q, z.p, z.t));
    const PointRef<T> physical(z.q, striction_.p().data(), z.s, z.t);
    found = this->find_forces(physical, found);
    const std::vector<T>& v = this->psi_.v();
    std::copy(v.begin(), v.end(), q_dot);
    std::copy(this->F_.begin(), this->F_.end(), p_dot);
    if (this->m() > 0) {
      this->psi_.curvature_along_motion(striction_.strictions().data(), curvature_.data());
      for (std::size_t j = 0; j < this->n(); ++j) p_dot[j] += curvature_[j];
    }
    found = this->multipliers_for_work(physical, striction_.leaves_factors(), found);
    this->rates(physical, s_dot);
    return found;
  }

  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override {
    striction_.begin(z, this->owns(own) ? own.p.data() : z.p.data());
  }

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override {
    own.q = physical.q;
    own.p = physical.p;
    own.q_low = physical.q_low;
    own.p_low = physical.p_low;
    return Mask<T>(true);
  }

  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override {
    Mask<T> found(true);
    this->narrow_to_momentum(found, striction_.solve(own.q.data(), own.p.data(), T(physical.t)));
    physical.q = own.q;
    physical.q_low = own.q_low;
    physical.p = striction_.p();
    std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
    return found;
  }

  Mask<T> is_worn(const OwnVariables<T>& own, const PhasePoint<T>& physical) const override {
    if constexpr (std::is_same_v<T, Traced>)
      if (reset_ > 0) Recording::fail();  // the number of a step is not among the numbers
    if (reset_ > 0 && own.steps % reset_ == 0) return Mask<T>(true);
    if (!(reset_above_ > 0)) return Mask<T>(false);
    T largest(0);
    for (std::size_t j = 0; j < own.p.size(); ++j) largest = max(largest, abs(own.p[j] - physical.p[j]));
    return largest > T(static_cast<LaneOf<T>>(reset_above_));
  }

 private:
  Striction<T> striction_;
  std::int64_t reset_;
  double reset_above_;
  std::vector<T> curvature_;
};

}  // namespace

template <class T>
FormulationEntry<T> impetus() {
  return {sheet(), make<Impetus, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> impetus();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
