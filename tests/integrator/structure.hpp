#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/integrator/runner.hpp"
#include "tests/support/instance.hpp"

// What a step keeps, measured in Quad on curves of the constraint manifold.

namespace cotangent::test {

inline Mechanism mechanism(const Problem& problem) { return {.name = problem.name, .text = problem.text}; }

/// max |a - b|.
template <class T>
double full_distance(const Point<T>& a, const Point<T>& b) {
  return static_cast<double>(distance(a, b));
}

/// By how much a step there and back misses the starting point.
inline double asymmetry(Runner<Quad>& runner, Quad h) {
  const auto start = runner.start();
  auto z = start;
  EXPECT_TRUE(runner.step(z, h));
  EXPECT_GT(full_distance(z, start), 1e-3);
  EXPECT_TRUE(runner.step(z, -h));
  return full_distance(z, start);
}

/// By how much a step changes the area that two tangents of the manifold span: central differences, to 1e-19 or so.
inline double area_change(Runner<Quad>& runner, Quad h) {
  const auto start = runner.start();
  const std::size_t n = start->q.size();
  const Quad e = 1e-10Q;
  std::vector<std::vector<Quad>> before, after;
  for (const int seed : {1, 2}) {
    std::vector<Point<Quad>> ends(2, start);
    for (std::size_t side = 0; side < 2; ++side) {
      Noise noise(static_cast<std::uint64_t>(seed));
      PhasePoint<Quad>& z = ends[side].change();
      for (Quad& x : z.q) x += (side == 0 ? e : -e) * noise();
      for (Quad& x : z.p) x += (side == 0 ? e : -e) * noise();
      EXPECT_TRUE(runner.manifold.project_position(z).converged && runner.manifold.project_momentum(z).converged);
    }
    const auto difference = [&] {
      std::vector<Quad> d;
      for (std::size_t j = 0; j < n; ++j) d.push_back((ends[0]->q[j] - ends[1]->q[j]) / (2 * e));
      for (std::size_t j = 0; j < n; ++j) d.push_back((ends[0]->p[j] - ends[1]->p[j]) / (2 * e));
      return d;
    };
    before.push_back(difference());
    EXPECT_TRUE(runner.step(ends[0], h) && runner.step(ends[1], h));
    after.push_back(difference());
  }
  const auto wedge = [&](const auto& d) {
    Quad sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += d[0][j] * d[1][n + j] - d[1][j] * d[0][n + j];
    return sum;
  };
  EXPECT_GT(std::abs(static_cast<double>(wedge(before))), 1e-3);
  return std::abs(static_cast<double>(wedge(after) - wedge(before)));
}

/// The order of a method, from three runs with itself: steps, twice and six times as many. The error h^p of the last
/// one is taken into account.
inline double measured_order(Runner<Quad>& runner, int steps, Quad end, double order) {
  const auto coarse = runner.run(steps, end), fine = runner.run(2 * steps, end), exact = runner.run(6 * steps, end);
  EXPECT_GT(full_distance(fine, exact), 1e-24) << "the error is no longer one of the method";
  const double ratio = full_distance(coarse, exact) / full_distance(fine, exact);
  // (1 - 6^-p) / (2^-p - 6^-p) instead of 2^p
  return std::log2(ratio) + std::log2(1 - std::pow(3, -order)) - std::log2(1 - std::pow(6, -order));
}

}  // namespace cotangent::test
