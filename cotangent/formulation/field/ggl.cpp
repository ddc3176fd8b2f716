#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {
namespace {

FormulationFacts sheet() {
  return {.name = "ggl",
          .description = "stabilised index-2 form of Gear, Gupta and Leimkuhler",
          .keeps_g = true,
          .keeps_psi = true,
          .residuals = "g' = 0, psi' = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard, and mu from psi = G v + g_t",
          .reference = "gear-gupta-leimkuhler85"};
}

/// The stabilised index-2 form of Gear, Gupta and Leimkuhler: a second multiplier lets both constraints be imposed,
///
///   q' = v - H_pp G' mu,   p' = F - G' lambda,   g = 0,   psi = G v + g_t = 0.
///
/// As a vector field the multipliers are what keeps both constraints where they are: differentiating g and psi once,
///
///   R mu = psi,   R lambda = psi'[(q', F, 1)],
///
/// so that g' = 0 and psi' = 0, off the manifold too. mu vanishes on it. The metric of the correction is that of the
/// masses, as in every projection here.
///
/// Reference: [gear-gupta-leimkuhler85].
template <class T>
class Ggl final : public PhaseSpaceField<T> {
 public:
  Ggl(Manifold<T>& manifold, const FormulationOptions& /*options*/)
      : PhaseSpaceField<T>(sheet(), manifold), mu_(this->m(), T(0)), G_mu_(this->n(), T(0)), correction_(G_mu_) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin_free(z, q_dot, p_dot);
    if (this->m() > 0) {
      this->psi_.psi(mu_.data());
      this->solve_residuals(mu_);
      this->psi_.Gt_times(mu_.data(), G_mu_.data());
      this->psi_.H_pp_times(G_mu_.data(), correction_.data());
      for (std::size_t j = 0; j < this->n(); ++j) q_dot[j] -= correction_[j];
      this->eliminate(q_dot, p_dot, found);
    }
    this->rates(z, s_dot);
    return found;
  }

 private:
  std::vector<T> mu_, G_mu_, correction_;
};

}  // namespace

template <class T>
FormulationEntry<T> ggl() {
  return {sheet(), make<Ggl, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> ggl();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
