#include "cotangent/integrator/rattle_loop.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
RattleLoop<T>::RattleLoop(System<T>& system, const typename RattleCode<T>::Loop& code)
    : code_(code),
      frame_(system.frame()),
      scalars_(RattleLoopPlan::kScalars, T(0)),
      wanted_(1, T(0)),
      done_(1, T(0)),
      accepted_(1, T(0)),
      end_(system.n()) {
  using L = RattleLoopPlan;
  scalars_[L::level] = T(kZeroUnits * epsilon<T>());
  frame_.out.resize(L::kVectors, nullptr);
  frame_.in[L::W] = system.diagonal_mass()->data();
  frame_.in[L::scalars] = scalars_.data();
  frame_.in[L::wanted] = wanted_.data();
  frame_.out[L::done] = done_.data();
  frame_.out[L::accepted] = accepted_.data();
}

template <class T>
void RattleLoop<T>::bind(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end,
                         Memory<T>& end_memory) {
  using L = RattleLoopPlan;
  using M = RattleMemory;
  scalars_[L::h] = T(h);
  scalars_[L::half_h] = T(h / 2);
  scalars_[L::per_h] = T(1 / h);
  const auto both = [&](int vector, const std::vector<T>& read, std::vector<T>& written) {
    frame_.in[static_cast<std::size_t>(vector)] = read.data();
    frame_.out[static_cast<std::size_t>(vector)] = written.data();
  };
  both(L::q, z.q, end.q);
  both(L::p, z.p, end.p);
  both(L::q_low, z.q_low, end.q_low);
  both(L::p_low, z.p_low, end.p_low);
  const auto remembered = [&](int vector, M::Number number) {
    both(vector, memory.numbers[number], end_memory.numbers[number]);
  };
  remembered(L::f, M::f);
  remembered(L::m, M::m);
  remembered(L::w, M::w);
  remembered(L::w_before, M::w_before);
  // A force that does not change is not written.
  if (!code_.has_force) end_memory.numbers[M::f] = memory.numbers[M::f];
}

template <class T>
void RattleLoop<T>::take(PhasePoint<T>& z, Memory<T>& memory) {
  std::swap(z.q, end_.q);
  std::swap(z.p, end_.p);
  std::swap(z.q_low, end_.q_low);
  std::swap(z.p_low, end_.p_low);
  std::swap(memory.numbers, end_memory_.numbers);
}

template <class T>
std::int64_t RattleLoop<T>::advance(PhasePoint<T>& z, Memory<T>& memory, LaneOf<T> h, std::int64_t steps) {
  if (end_memory_.numbers.empty()) end_memory_ = memory;
  std::int64_t made = 0;
  if (is_dual<T> || steps == 1) {
    while (made < steps && all(once(z, memory, h, end_, end_memory_))) {
      take(z, memory);
      ++made;
    }
    return made;
  }
  bind(z, memory, h, end_, end_memory_);
  made = repeat(steps);
  if (made > 0) take(z, memory);
  return made;
}

// The loop, as far as all lanes go.
template <class T>
std::int64_t RattleLoop<T>::repeat(std::int64_t steps) {
  wanted_[0] = T(static_cast<LaneOf<T>>(steps));
  code_.loop(frame_.in.data(), frame_.out.data());

  // Vectors of lanes stop on their own: if one stopped early, all go as far as that one, from the beginning. And a step
  // whose momenta are not finite, which the next one could not go on from, is taken back.
  std::int64_t made = static_cast<std::int64_t>(min_over_lanes(done_[0]));
  bool again = made < static_cast<std::int64_t>(max_over_lanes(done_[0]));
  if (made > 0 && !all(is_finite(end_))) {
    --made;
    again = true;
  }
  if (again && made > 0) {
    wanted_[0] = T(static_cast<LaneOf<T>>(made));
    code_.loop(frame_.in.data(), frame_.out.data());
  }
  return made;
}

template <class T>
Mask<T> RattleLoop<T>::is_finite(const PhasePoint<T>& z) {
  Mask<T> finite(true);
  for (const T& p : z.p) finite = finite & isfinite(p);
  return finite;
}

template <class T>
Mask<T> RattleLoop<T>::once(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end,
                            Memory<T>& end_memory) {
  bind(z, memory, h, end, end_memory);
  code_.once(frame_.in.data(), frame_.out.data());
  return (accepted_[0] > T(0)) & is_finite(end);
}

COTANGENT_INSTANTIATE(NUMBERS, RattleLoop);

}  // namespace cotangent
