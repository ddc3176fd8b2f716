#include "cotangent/integrator/rattle/rattle_loop.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

using L = RattleLoopPlan;
using M = RattleMemory;

template <class T>
Mask<T> is_finite(const PhasePoint<T>& z) {
  Mask<T> finite(true);
  for (const T& p : z.p) finite = finite & isfinite(p);
  return finite;
}

}  // namespace

template <class T>
RattleLoop<T>::RattleLoop(System<T>& system, const typename RattleCode<T>::Loop& code)
    : code_(code), frame_(system.frame()), end_(system.n()) {
  scalars_[L::level] = T(kZeroUnits * epsilon<T>());
  frame_.out.resize(L::kVectors, nullptr);
  frame_.in[L::W] = system.diagonal_mass()->data();
  frame_.in[L::scalars] = scalars_.data();
  frame_.in[L::wanted] = &wanted_;
  frame_.out[L::done] = &done_;
  frame_.out[L::accepted] = &accepted_;
}

template <class T>
void RattleLoop<T>::bind(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end,
                         Memory<T>& end_memory) {
  scalars_[L::h] = T(h);
  scalars_[L::half_h] = T(h / 2);
  scalars_[L::per_h] = T(1 / h);
  const auto both = [&](L::Vector vector, const std::vector<T>& read, std::vector<T>& written) {
    frame_.in[vector] = read.data();
    frame_.out[vector] = written.data();
  };
  both(L::q, z.q, end.q);
  both(L::p, z.p, end.p);
  both(L::q_low, z.q_low, end.q_low);
  both(L::p_low, z.p_low, end.p_low);
  const std::vector<T>* const before = memory.numbers.data();
  std::vector<T>* const after = end_memory.numbers.data();
  both(L::f, before[M::f], after[M::f]);
  both(L::m, before[M::m], after[M::m]);
  both(L::w, before[M::w], after[M::w]);
  both(L::w_before, before[M::w_before], after[M::w_before]);
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
std::int64_t RattleLoop<T>::advance(PhasePoint<T>& z, Memory<T>& memory, LaneOf<T> h, std::int64_t steps,
                                    StepWatch<T>* watch) {
  if (end_memory_.numbers.empty()) end_memory_ = memory;
  std::int64_t made = 0;
  if (is_dual<T> || (steps == 1 && !watch)) {
    for (; made < steps && all(once(z, memory, h, end_, end_memory_)); ++made) take(z, memory);
    return made;
  }
  // After a step that does not count the steps before it are made again: not too many of them.
  constexpr std::int64_t kRound = 64;
  while (made < steps) {
    const std::int64_t wanted = std::min(steps - made, kRound);
    bind(z, memory, h, end_, end_memory_);
    // Vectors of lanes stop on their own: if one stopped early, all go as far as that one, from the beginning. And a
    // step whose momenta are not finite, which the next one could not go on from, is taken back.
    const std::int64_t counted = repeat(wanted, watch);
    const std::int64_t whole = counted - (counted > 0 && !all(is_finite(end_)) ? 1 : 0);
    if (whole > 0 && (whole < counted || counted < static_cast<std::int64_t>(max_over_lanes(done_))))
      repeat(whole, watch);
    if (whole > 0) take(z, memory);
    if (whole > 0 && watch) take(*watch);
    made += whole;
    if (whole < wanted) break;
  }
  return made;
}

// The loop. @return how far all lanes went.
template <class T>
std::int64_t RattleLoop<T>::repeat(std::int64_t steps, StepWatch<T>* watch) {
  wanted_ = T(static_cast<LaneOf<T>>(steps));
  if (watch) {
    frame_.in[L::H_start] = &watch->H_start;
    frame_.out[L::beside] = beside_.data();
    frame_.out[L::last] = last_.data();
    frame_.out[L::largest] = largest_.data();
    std::copy(watch->largest.begin(), watch->largest.end(), largest_.begin());
    largest_.back() = watch->condition;
  }
  (watch ? *watched_ : code_.loop)(frame_.in.data(), frame_.out.data());
  return static_cast<std::int64_t>(min_over_lanes(done_));
}

template <class T>
void RattleLoop<T>::take(StepWatch<T>& watch) const {
  watch.last = last_;
  std::copy(largest_.begin(), largest_.end() - 1, watch.largest.begin());
  watch.condition = largest_.back();
}

template <class T>
Mask<T> RattleLoop<T>::once(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end,
                            Memory<T>& end_memory) {
  bind(z, memory, h, end, end_memory);
  code_.once(frame_.in.data(), frame_.out.data());
  return (accepted_ > T(0)) & is_finite(end);
}

COTANGENT_INSTANTIATE(NUMBERS, RattleLoop);

}  // namespace cotangent
