#pragma once

#include <ostream>
#include <string>
#include <string_view>
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
    kFriction, kThermostat, kRedundant, kAffine, kAffineMoving, kAffineMetric;

/// All of these.
std::vector<Mechanism> mechanisms();

/// Not among them: friction that leaves no multipliers for x > 1.
extern const Mechanism kJamming;

/// These, and all problems.
std::vector<Mechanism> all_systems();

/// Whether a formulation of the registry takes a system: `linear-hamiltonian` those with affine constraints (or none)
/// and constant masses, `lagrange-2` those with [minimal], `equations` none, the others all.
bool takes(std::string_view formulation, const Mechanism& mechanism);

inline void PrintTo(const Mechanism& mechanism, std::ostream* out) { *out << mechanism.name; }

}  // namespace cotangent::test
