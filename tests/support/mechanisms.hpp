#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace cotangent::test {

/// A system beyond H = T(p) + V(q) with constraints at rest: Lagrangians, the time, forces, states, friction, dependent
/// constraints. Problems, in problems.hpp, are Hamiltonians.
struct Mechanism {
  std::string name;
  std::string text;  ///< the model file
  bool symplectic = true;
};

extern const Mechanism kHeavyChain, kCurvedMass, kRelativistic, kQuaternion, kMovingSupport, kDriven, kDamped,
    kFriction, kThermostat, kRedundant;

/// All of these.
std::vector<Mechanism> mechanisms();

inline void PrintTo(const Mechanism& mechanism, std::ostream* out) { *out << mechanism.name; }

}  // namespace cotangent::test
