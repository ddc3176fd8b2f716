#pragma once

#include <cstdint>

namespace cotangent {

/// How the dynamics is stated.
enum class Dynamics : std::uint8_t {
  hamiltonian,  ///< H(q, p, t)
  lagrangian,   ///< L(q, v, t)
  equations,    ///< u' = f(u, t): an ordinary differential equation, without coordinates
};

}  // namespace cotangent
