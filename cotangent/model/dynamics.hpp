#pragma once

#include <cstdint>

namespace cotangent {

/// How the dynamics is stated.
enum class Dynamics : std::uint8_t {
  hamiltonian,  ///< H(q, p, t)
  lagrangian,   ///< L(q, v, t)
};

}  // namespace cotangent
