#include "cotangent/system/derivative.hpp"

#include "cotangent/base/check.hpp"
#include "cotangent/system/directions.hpp"

namespace cotangent {

using namespace direction;

Contraction contraction_of(Derivative derivative) {
  using Of = Contraction::Of;
  using Result = Contraction::Result;
  using enum Derivative;
  constexpr Contraction::Direction velocity{.q = false, .v = true};
  constexpr Contraction::Direction kick{.q = false, .p = true, .v = true, .s = true, .lambda = true};
  switch (derivative) {
    case H:
      return {};
    case H_q:
      return {.result = Result::gradient_q};
    case H_p:
      return {.result = Result::gradient_p};
    case H_t:
      return {.directions = {kTime}};
    case H_pp_times:
      return {.directions = {kMomentum}, .result = Result::gradient_p};
    case H_qp_times:
      return {.directions = {kMomentum}, .result = Result::gradient_q};
    case H_q_along:
      return {.directions = {kBoth}, .result = Result::gradient_q};
    case H_p_along:
      return {.directions = {kBoth}, .result = Result::gradient_p};
    case H_p_along_t:
      return {.directions = {kFlow}, .result = Result::gradient_p};
    case H_q_third:
      return {.directions = {kMomentum, kBoth}, .result = Result::gradient_q};
    case H_q_third_t:
      return {.directions = {kMomentum, kFlow}, .result = Result::gradient_q};
    case H_p_third:
      return {.directions = {kMomentum, kBoth}, .result = Result::gradient_p};
    case H_p_third_t:
      return {.directions = {kMomentum, kFlow}, .result = Result::gradient_p};
    case L_v:
      return {.of = Of::L, .result = Result::gradient_v};
    case L_vv_times:
      return {.of = Of::L, .directions = {velocity}, .result = Result::gradient_v};
    case L_v_along_t:
      return {.of = Of::L, .directions = {{.q = true, .v = true, .t = true}}, .result = Result::gradient_v};
    case g:
      return {.of = Of::g, .norms = true};
    case g_t:
      return {.of = Of::g, .directions = {kTime}};
    case G_times:
      return {.of = Of::g, .directions = {kPosition}, .norms = true};
    case g_rate:
      return {.of = Of::g, .directions = {kMotion}, .norms = true};
    case g_second:
      return {.of = Of::g, .directions = {kMotion, kPosition}};
    case g_second_t:
      return {.of = Of::g, .directions = {kMotion, kMotion}};
    case Gt_times:
      return {.of = Of::weighted_g, .result = Result::gradient_q};
    case g_t_times:
      return {.of = Of::weighted_g, .directions = {kTime}};
    case curvature:
      return {.of = Of::weighted_g, .directions = {kPosition}, .result = Result::gradient_q};
    case curvature_t:
      return {.of = Of::weighted_g, .directions = {kMotion}, .result = Result::gradient_q};
    case third:
      return {.of = Of::weighted_g, .directions = {kMotion, kPosition}, .result = Result::gradient_q};
    case third_t:
      return {.of = Of::weighted_g, .directions = {kMotion, kMotion}, .result = Result::gradient_q};
    case force:
      return {.of = Of::force};
    case force_along:
      return {.of = Of::force, .directions = {kick}};
    case D_v:
      return {.of = Of::dissipation, .result = Result::gradient_v};
    case D_v_along:
      return {.of = Of::dissipation, .directions = {{.q = false, .v = true, .s = true}}, .result = Result::gradient_v};
    case rate:
      return {.of = Of::rate};
    case rate_along:
      return {.of = Of::rate, .directions = {kick}};
    case observables:
      return {.of = Of::observable};
    case invariants:
      return {.of = Of::invariant};
    case I_q:
      return {.of = Of::weighted_invariant, .result = Result::gradient_q};
    case I_p:
      return {.of = Of::weighted_invariant, .result = Result::gradient_p};
    case I_v:
      return {.of = Of::weighted_invariant, .result = Result::gradient_v};
    case I_s:
      return {.of = Of::weighted_invariant, .result = Result::gradient_s};
    case kCount:
      break;
  }
  check_failed("the derivative is known");
}

}  // namespace cotangent
