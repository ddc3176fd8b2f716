#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {
namespace {

FormulationFacts with_numbers(FormulationFacts facts, const FormulationOptions& options) {
  facts.keeps_psi = options.baumgarte_alpha == 0 && options.baumgarte_beta == 0;  // then it is `standard`
  return facts;
}

FormulationFacts sheet() {
  return {.name = "baumgarte",
          .description = "standard, with damped constraints (`baumgarte = ALPHA,BETA`)",
          .residuals = "g'' + 2 alpha g' + beta^2 g = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard",
          .reference = "baumgarte72"};
}

/// Baumgarte's stabilisation: constraints are made to decay like damped oscillators.
///
///   q' = v = H_p
///   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)] + 2 alpha psi + beta^2 g,
///
/// so that g'' + 2 alpha g' + beta^2 g = 0 along every solution. alpha = beta is critically damped. The equations
/// become stiff where these are large, and neither energy nor the symplectic form survive off the manifold.
///
/// Reference: [baumgarte72]; [leimkuhler-reich94, section 4].
template <class T>
class Baumgarte final : public PhaseSpaceField<T> {
 public:
  Baumgarte(Manifold<T>& manifold, const FormulationOptions& options)
      : PhaseSpaceField<T>(with_numbers(sheet(), options), manifold),
        damping_(static_cast<LaneOf<T>>(2 * options.baumgarte_alpha)),
        stiffness_(static_cast<LaneOf<T>>(options.baumgarte_beta) * static_cast<LaneOf<T>>(options.baumgarte_beta)),
        g_value_(this->m(), T(0)),
        psi_value_(this->m(), T(0)) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin_free(z, q_dot, p_dot);
    if (this->m() > 0) {
      this->psi_.g(g_value_.data());
      this->psi_.psi(psi_value_.data());
      for (std::size_t r = 0; r < this->m(); ++r) psi_value_[r] = damping_ * psi_value_[r] + stiffness_ * g_value_[r];
      this->eliminate(q_dot, p_dot, found, psi_value_);
    }
    this->rates(z, s_dot);
    return found;
  }

 private:
  T damping_, stiffness_;  // 2 alpha, beta^2
  std::vector<T> g_value_, psi_value_;
};

}  // namespace

template <class T>
FormulationEntry<T> baumgarte() {
  return {sheet(), make<Baumgarte, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> baumgarte();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
