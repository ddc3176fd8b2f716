#pragma once

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// The state of a point, with what its method keeps of the trajectory and with the variables of a formulation that it
/// carries, if they are those of `owner` (see OwnVariables). The owner is another object when the point is read again.
///
/// Afterwards the point has a new revision, whether it was written or read: nothing is known about it any more, and the
/// next step is the same in both cases. Its own variables go on.
template <class T>
void point_state(Archive& archive, PhasePoint<T>& z, std::uint64_t owner) {
  archive("t", z.t);
  archive("t_low", z.t_low);
  archive("q", z.q);
  archive("q_low", z.q_low);
  archive("p", z.p);
  archive("p_low", z.p_low);
  archive("s", z.s);
  archive("s_low", z.s_low);
  archive("kept_numbers", z.memory.numbers);
  archive("kept_counts", z.memory.counts);
  OwnVariables<T>& own = z.own;
  bool is_owned = owner != 0 && own.owner == owner, is_current = is_owned && own.revision == z.revision;
  archive("has_own", is_owned);
  if (is_owned) {
    archive("own_q", own.q);
    archive("own_q_low", own.q_low);
    archive("own_p", own.p);
    archive("own_p_low", own.p_low);
    archive("own_steps", own.steps);
    archive("own_is_current", is_current);
  } else {
    own = {};
  }
  z.touch();
  own.owner = is_owned ? owner : 0;
  own.revision = is_current ? z.revision : 0;
}

}  // namespace cotangent
