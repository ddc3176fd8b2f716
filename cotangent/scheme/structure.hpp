#pragma once

#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// What a scheme may depend on: sizes, and what is absent from a system.
struct Structure {
  std::size_t n = 0, m = 0;
  std::size_t states = 0;         ///< with the work done, where there is one
  std::size_t own_states = 0;     ///< without it: the work has no effect
  bool is_separable = false;      ///< H = T(p) + V(q)
  bool is_split = false;          ///< moreover H_q is evaluated without p, and H_p without q
  bool is_autonomous = false;     ///< H and g
  bool uses_multipliers = false;  ///< forces or rates depend on them
};

template <class T>
Structure structure_of(Manifold<T>& manifold) {
  const System<T>& system = manifold.system();
  return {.n = static_cast<std::size_t>(system.n()),
          .m = static_cast<std::size_t>(system.m()),
          .states = static_cast<std::size_t>(system.state_count()),
          .own_states = static_cast<std::size_t>(system.elements().states),
          .is_separable = system.is_separable(),
          .is_split = system.is_separable() && manifold.system().source() == nullptr,
          .is_autonomous = system.elements().is_autonomous(),
          .uses_multipliers = manifold.forcing().uses_multipliers()};
}

}  // namespace cotangent
