#include "cotangent/integrator/rattle_loop.hpp"

namespace cotangent {

template <class T>
RattleLoop<T>::RattleLoop(System<T>& system, const RattleLoopPlan& plan)
    : loop_(system.compiler().add(plan.loop)),
      once_(lane_count<T> > 1 ? system.compiler().add(plan.once) : Kernel<T>()),
      frame_(system.frame()),
      scalars_(RattleLoopPlan::kScalars, T(0)),
      wanted_(1, T(0)),
      done_(1, T(0)),
      accepted_(1, T(0)),
      saved_(system.n()),
      saved_memory_(saved_.q.size(), static_cast<std::size_t>(system.m())) {
  using L = RattleLoopPlan;
  scalars_[L::level] = T(RattlePlan::kLevel * epsilon<T>());
  frame_.out.resize(L::kVectors, nullptr);
  frame_.in[L::W] = system.diagonal_mass()->data();
  frame_.in[L::scalars] = scalars_.data();
  frame_.in[L::wanted] = wanted_.data();
  frame_.out[L::done] = done_.data();
  frame_.out[L::accepted] = accepted_.data();
}

template <class T>
void RattleLoop<T>::bind(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h) {
  using L = RattleLoopPlan;
  scalars_[L::h] = T(h);
  scalars_[L::half_h] = T(h / 2);
  scalars_[L::per_h] = T(1 / h);
  const auto both = [&](int vector, std::vector<T>& memory_of) {
    frame_.in[static_cast<std::size_t>(vector)] = memory_of.data();
    frame_.out[static_cast<std::size_t>(vector)] = memory_of.data();
  };
  both(L::q, z.q);
  both(L::p, z.p);
  both(L::q_low, z.q_low);
  both(L::p_low, z.p_low);
  both(L::f, memory.f);
  both(L::m, memory.m);
  both(L::w, memory.w);
  both(L::w_before, memory.w_before);
}

template <class T>
std::int64_t RattleLoop<T>::advance(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h, std::int64_t steps) {
  bind(z, memory, h);
  wanted_[0] = T(static_cast<LaneOf<T>>(steps));
  saved_ = z;
  saved_memory_ = memory;
  loop_(frame_.in.data(), frame_.out.data());

  // Vectors of lanes stop on their own: if one stopped early, all go as far as that one, from the beginning. And a step
  // whose momenta are not finite, which the next one could not go on from, is taken back.
  std::int64_t made = static_cast<std::int64_t>(min_over_lanes(done_[0]));
  bool again = made < static_cast<std::int64_t>(max_over_lanes(done_[0]));
  if (made > 0 && !is_finite(z)) {
    --made;
    again = true;
  }
  if (again) {
    z = saved_;
    memory = saved_memory_;
    wanted_[0] = T(static_cast<LaneOf<T>>(made));
    loop_(frame_.in.data(), frame_.out.data());
  }
  return made;
}

template <class T>
bool RattleLoop<T>::is_finite(const PhasePoint<T>& z) {
  T zero(0);  // or not a number
  for (const T& p : z.p) zero += T(0) * p;
  return all(zero == T(0));
}

template <class T>
Mask<T> RattleLoop<T>::once(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h) {
  bind(z, memory, h);
  wanted_[0] = T(1);
  once_(frame_.in.data(), frame_.out.data());
  return accepted_[0] > T(0);
}

template class RattleLoop<double>;
template class RattleLoop<long double>;
template class RattleLoop<Quad>;
template class RattleLoop<Tangents>;
template class RattleLoop<Lanes>;

}  // namespace cotangent
