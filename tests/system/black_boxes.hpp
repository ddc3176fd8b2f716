#pragma once

#include <ostream>
#include <vector>

#include "cotangent/model/black_box.hpp"
#include "tests/support/problems.hpp"

namespace cotangent::test {

/// The same system twice: as functions with all second derivatives, and as expressions.
struct Twins {
  BlackBox box;
  Problem problem;
};

/// One constraint, H = T(p) + V(q) with constant masses.
Twins pendulum_twins();
/// H_pp is constant and couples the two masses; the lower rod's g is no polynomial.
Twins double_pendulum_twins();
/// H_pp depends on q and is full.
Twins metric_twins();
/// The support moves, and the mass changes in time.
Twins moving_twins();

std::vector<Twins> all_twins();

/// A black box with what is required only.
BlackBox without_second_derivatives(BlackBox box);

/// A hanging chain of N unit masses with the pattern of G, numbered (x_1, y_1, x_2, ...), and what was asked of it.
struct Counts {
  long G = 0, H_pp_times = 0;
};
BlackBox chain_box(std::int64_t N, Counts* counts);

inline void PrintTo(const Twins& twins, std::ostream* out) { *out << twins.problem.name; }

}  // namespace cotangent::test
