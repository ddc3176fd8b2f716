#pragma once

#include <cstdint>

#include "cotangent/system/contraction.hpp"

namespace cotangent {

/// The contractions that have a name: see At, whose letters these are. A suffix _t: the last direction has the time.
// clang-format off
enum class Derivative : std::uint8_t {
  H, H_q, H_p, H_t, H_pp_times, H_qp_times, H_q_along, H_p_along, H_p_along_t, H_q_third, H_q_third_t, H_p_third, H_p_third_t,
  L_v, L_vv_times, L_v_along_t,
  g, g_t, G_times, g_rate, g_second, g_second_t, Gt_times, g_t_times, curvature, curvature_t, third, third_t,
  force, force_along, D_v, D_v_along, rate, rate_along, observables, invariants, I_q, I_p, I_v, I_s,
  kCount,
};
// clang-format on

const Contraction& contraction_of(Derivative derivative);

}  // namespace cotangent
