#include "cotangent/system/at.hpp"

#include <array>

namespace cotangent {

const Contraction& contraction_of(Derivative derivative) {
  using namespace direction;
  using Of = Contraction::Of;
  using Result = Contraction::Result;
  constexpr Contraction::Direction velocity{.q = false, .v = true};
  constexpr Contraction::Direction kick{.q = false, .p = true, .v = true, .s = true, .lambda = true};
  static const std::array<Contraction, static_cast<std::size_t>(Derivative::kCount)> table = {{
      {},                                                                                              // H
      {.result = Result::gradient_q},                                                                  // H_q
      {.result = Result::gradient_p},                                                                  // H_p
      {.directions = {kTime}},                                                                         // H_t
      {.directions = {kMomentum}, .result = Result::gradient_p},                                       // H_pp_times
      {.directions = {kMomentum}, .result = Result::gradient_q},                                       // H_qp_times
      {.directions = {kBoth}, .result = Result::gradient_q},                                           // H_q_along
      {.directions = {kBoth}, .result = Result::gradient_p},                                           // H_p_along
      {.directions = {kFlow}, .result = Result::gradient_p},                                           // H_p_along_t
      {.directions = {kMomentum, kBoth}, .result = Result::gradient_q},                                // H_q_third
      {.directions = {kMomentum, kFlow}, .result = Result::gradient_q},                                // H_q_third_t
      {.directions = {kMomentum, kBoth}, .result = Result::gradient_p},                                // H_p_third
      {.directions = {kMomentum, kFlow}, .result = Result::gradient_p},                                // H_p_third_t
      {.of = Of::L, .result = Result::gradient_v},                                                     // L_v
      {.of = Of::L, .directions = {velocity}, .result = Result::gradient_v},                           // L_vv_times
      {.of = Of::L, .directions = {{.q = true, .v = true, .t = true}}, .result = Result::gradient_v},  // L_v_along_t
      {.of = Of::g, .norms = true},                                                                    // g
      {.of = Of::g, .directions = {kTime}},                                                            // g_t
      {.of = Of::g, .directions = {kPosition}, .norms = true},                                         // G_times
      {.of = Of::g, .directions = {kMotion}, .norms = true},                                           // g_rate
      {.of = Of::g, .directions = {kMotion, kPosition}},                                               // g_second
      {.of = Of::g, .directions = {kMotion, kMotion}},                                                 // g_second_t
      {.of = Of::weighted_g, .result = Result::gradient_q},                                            // Gt_times
      {.of = Of::weighted_g, .directions = {kTime}},                                                   // g_t_times
      {.of = Of::weighted_g, .directions = {kPosition}, .result = Result::gradient_q},                 // curvature
      {.of = Of::weighted_g, .directions = {kMotion}, .result = Result::gradient_q},                   // curvature_t
      {.of = Of::weighted_g, .directions = {kMotion, kPosition}, .result = Result::gradient_q},        // third
      {.of = Of::weighted_g, .directions = {kMotion, kMotion}, .result = Result::gradient_q},          // third_t
      {.of = Of::force},                                                                               // force
      {.of = Of::force, .directions = {kick}},                                                         // force_along
      {.of = Of::dissipation, .result = Result::gradient_v},                                           // D_v
      {.of = Of::dissipation,
       .directions = {{.q = false, .v = true, .s = true}},
       .result = Result::gradient_v},                                // D_v_along
      {.of = Of::rate},                                              // rate
      {.of = Of::rate, .directions = {kick}},                        // rate_along
      {.of = Of::observable},                                        // observables
      {.of = Of::invariant},                                         // invariants
      {.of = Of::weighted_invariant, .result = Result::gradient_q},  // I_q
      {.of = Of::weighted_invariant, .result = Result::gradient_p},  // I_p
      {.of = Of::weighted_invariant, .result = Result::gradient_v},  // I_v
      {.of = Of::weighted_invariant, .result = Result::gradient_s},  // I_s
      {.of = Of::weighted_invariant,
       .directions = {{.q = false, .s = true}},
       .result = Result::gradient_s},  // I_s_along
  }};
  return table[static_cast<std::size_t>(derivative)];
}

}  // namespace cotangent
