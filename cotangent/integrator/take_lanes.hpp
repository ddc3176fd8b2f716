#pragma once

#include <vector>

#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// to <- from, in those lanes. Variables of a formulation may have become more or fewer; then all are taken.
template <class T>
void take_lanes(const Mask<T>& where, const std::vector<T>& from, std::vector<T>& to) {
  if (to.size() != from.size()) to = from;
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = select(where, from[k], to[k]);
}

/// q, p and s, with what rounding has lost of them. The time is that of the whole batch.
template <class T>
void take_lanes(const Mask<T>& where, const PhasePoint<T>& from, PhasePoint<T>& to) {
  take_lanes(where, from.q, to.q);
  take_lanes(where, from.p, to.p);
  take_lanes(where, from.s, to.s);
  take_lanes(where, from.q_low, to.q_low);
  take_lanes(where, from.p_low, to.p_low);
  take_lanes(where, from.s_low, to.s_low);
}

}  // namespace cotangent
