#include "cotangent/solve/iteration/stopping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cotangent {
namespace {

constexpr double kFloor = 1e-15;

enum class Verdict { running, converged, failed };

struct Outcome {
  Verdict verdict;
  int iterations;
};

Outcome run(const std::vector<double>& residuals, const RoundingStopOptions& options = {}) {
  RoundingStop<double> stop(options);
  for (const double r : residuals) {
    if (!stop.update(r, kFloor)) break;
  }
  EXPECT_EQ(stop.active() + stop.converged() + stop.failed(), 1);
  return {stop.converged() ? Verdict::converged
          : stop.failed()  ? Verdict::failed
                           : Verdict::running,
          stop.iterations()};
}

void expect(const Outcome& outcome, Verdict verdict, int iterations) {
  EXPECT_EQ(outcome.verdict, verdict);
  EXPECT_EQ(outcome.iterations, iterations);
}

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

TEST(RoundingStop, RunsWhileTheResidualShrinks) { expect(run({1, 1e-3, 1e-9}), Verdict::running, 3); }

TEST(RoundingStop, ConvergesAtTheFloor) {
  expect(run({1, 1e-4, 1e-9, kFloor, 0}), Verdict::converged, 4);
  expect(run({kFloor / 2}), Verdict::converged, 1);
  expect(run({0}), Verdict::converged, 1);
}

TEST(RoundingStop, ConvergesWhenItStagnatesNearTheFloor) {
  expect(run({1, 1e-8, 60 * kFloor, 40 * kFloor}), Verdict::converged, 4);
  expect(run({1, 1e-8, 60 * kFloor, 63 * kFloor}), Verdict::converged, 4);
}

TEST(RoundingStop, GoesOnWhileItShrinksNearTheFloor) {
  expect(run({1, 60 * kFloor, 20 * kFloor, 5 * kFloor}), Verdict::running, 4);
}

TEST(RoundingStop, FailsWhenItStallsRepeatedlyAwayFromTheFloor) {
  expect(run({1, 0.9, 0.8, 0.7}), Verdict::failed, 4);
  expect(run({1, 2, 4, 8}), Verdict::failed, 4);
  expect(run({1, 2, 4, 1e-3, 1e-7, 1e-16}), Verdict::converged, 6);  // two bad starts are forgiven
  expect(run({1, 2}, {.max_stalls = 1}), Verdict::failed, 2);
}

TEST(RoundingStop, FailsAtOnceWhenNotFinite) {
  expect(run({kNaN}), Verdict::failed, 1);
  expect(run({kInf}), Verdict::failed, 1);
  expect(run({1, 1e-3, kNaN, 0}), Verdict::failed, 3);
}

TEST(RoundingStop, FailsAfterTooManyIterations) {
  expect(run({1, 0.1, 0.01, 0.001}, {.max_iterations = 3}), Verdict::failed, 3);
  expect(run({1, 0.1, 0}, {.max_iterations = 3}), Verdict::converged, 3);
}

TEST(RoundingStop, ZeroFloorStillStopsAtZero) {
  RoundingStop<double> stop;
  EXPECT_TRUE(stop.update(1, 0));
  EXPECT_FALSE(stop.update(0, 0));
  EXPECT_TRUE(stop.converged());
}

TEST(RoundingStop, EveryLaneEqualsAScalarRun) {
  // Histories of all kinds, one per lane.
  const auto residual = [](int lane_index, int k) {
    switch (lane_index % 6) {
      case 0:
        return std::pow(10.0, -2 * k);
      case 1:
        return std::pow(10.0, -std::pow(2.0, k));
      case 2:
        return std::pow(2.0, k);
      case 3:
        return k < 4 ? std::pow(10.0, -k) : kNaN;
      case 4:
        return std::max(std::pow(10.0, -3 * k), 20 * kFloor);
      default:
        return std::pow(0.4, k);
    }
  };
  const RoundingStopOptions options{.max_iterations = 12};
  RoundingStop<Lanes> batch(options);
  std::vector<RoundingStop<double>> single(kLanes, RoundingStop<double>(options));
  for (int k = 0; k < 15; ++k) {
    Lanes r = 0.0;
    for (int i = 0; i < kLanes; ++i) {
      r[i] = residual(i, k);
      if (single[i].active()) single[i].update(r[i], kFloor);
    }
    batch.update(r, kFloor);
    for (int i = 0; i < kLanes; ++i) {
      EXPECT_EQ(lane(batch.active(), i), single[i].active());
      EXPECT_EQ(lane(batch.converged(), i), single[i].converged());
      EXPECT_EQ(lane(batch.failed(), i), single[i].failed());
      if (!std::isnan(single[i].residual())) {
        EXPECT_EQ(lane(batch.residual(), i), single[i].residual());
      }
    }
  }
  EXPECT_FALSE(any(batch.active()));
}

}  // namespace
}  // namespace cotangent
