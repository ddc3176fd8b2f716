#include "cotangent/simulation/pace/finer_adaptive_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cotangent/monitor/reference/finer_run.hpp"
#include "tests/monitor/make_map.hpp"
#include "tests/simulation/orbits.hpp"

namespace cotangent {
namespace {

using test::kPeriod;
using test::options;

StepMap<double> make_map(const std::string& text, const std::string& method, Controller controller) {
  auto map = test::make_map<double>(read_model_text(text, "test.toml"), method);
  if (controller == Controller::pi) map.integrator = with_estimate(std::move(map.integrator));
  return map;
}

/// Where the planet is: E - ecc sin E = t.
PhasePoint<double> exact_kepler(double ecc, double t) {
  const long double mean = std::remainder(static_cast<long double>(t), 2 * acosl(-1.0L));
  long double E = mean;
  for (int k = 0; k < 200; ++k) {
    const long double step = (E - ecc * sinl(E) - mean) / (1 - ecc * cosl(E));
    E -= std::clamp(step, -0.5L, 0.5L);
  }
  PhasePoint<double> z(2);
  const long double r = 1 - ecc * cosl(E), b = sqrtl(1 - static_cast<long double>(ecc) * ecc);
  z.q = {static_cast<double>(cosl(E) - ecc), static_cast<double>(b * sinl(E))};
  z.p = {static_cast<double>(-sinl(E) / r), static_cast<double>(b * cosl(E) / r)};
  z.t = t;
  return z;
}

/// Asks a reference for errors, and keeps the largest, with the largest true one.
class Comparison final : public Follower<double> {
 public:
  Comparison(std::shared_ptr<Reference<double>> reference, double ecc) : reference_(std::move(reference)), ecc_(ecc) {}
  void start(const PhasePoint<double>& z, double h) override { reference_->start(z, h); }
  void follow(const MadeStep<double>& step) override {
    reference_->follow(step);
    const auto estimate = reference_->error(step.end);
    ASSERT_TRUE(estimate);
    estimated = std::max(estimated, estimate->largest());
    const auto exact = exact_kepler(ecc_, step.end->t);
    actual = std::max({actual, largest_difference(step.end->q, exact.q), largest_difference(step.end->p, exact.p)});
  }
  void state(Archive& archive) override { reference_->state(archive); }
  double ratio(int order) const { return estimated / (1 - reference_->error_left(order)) / actual; }

  double estimated = 0, actual = 0;

 private:
  std::shared_ptr<Reference<double>> reference_;
  double ecc_;
};

struct Case {
  const char* method;
  int order;
  Controller controller;
  double ecc, tolerance;
  int periods;
};

std::shared_ptr<Comparison> compare(const Case& at, std::shared_ptr<Reference<double>> reference) {
  const std::string text = test::kepler(std::to_string(at.ecc));
  auto comparison = std::make_shared<Comparison>(std::move(reference), at.ecc);
  test::Orbit<double> orbit(text, at.method);
  orbit.monitors.add(comparison);
  EXPECT_EQ(orbit.run(options(at.controller, at.tolerance, at.periods * kPeriod)).outcome, Outcome::done);
  return comparison;
}

// The estimate is the error, as long as there is a solution to speak of. That of steps which are those of the run,
// divided, is not once the phases differ: they belong to places where the finer run is not.
TEST(FinerAdaptiveRuns, EstimateTheErrorOfLongRuns) {
  struct Known {
    Case at;
    bool is_lost_by_division;
  };
  for (const auto& [at, is_lost_by_division] :
       {Known{{"rattle", 2, Controller::reversible, 0.6, 3e-6, 30}, true},
        Known{{"rattle", 2, Controller::reversible, 0.9, 3e-7, 10}, true},
        Known{{"compose:4(rattle)", 4, Controller::reversible, 0.9, 1e-6, 10}, false},
        Known{{"dopri5", 5, Controller::pi, 0.9, 1e-7, 10}, false},
        Known{{"rattle", 2, Controller::pi, 0.6, 1e-6, 5}, false}}) {
    const std::string text = test::kepler(std::to_string(at.ecc));
    const auto chosen = options(at.controller, at.tolerance, at.periods * kPeriod);
    const auto own =
        compare(at, std::make_shared<FinerAdaptiveRun<double>>(make_map(text, at.method, at.controller), chosen, 2));
    EXPECT_NEAR(own->ratio(at.order), 1, 0.1) << at.method << " " << at.ecc << ", error " << own->actual;
    if (!is_lost_by_division) continue;
    const auto divided = compare(at, std::make_shared<FinerRun<double>>(make_map(text, at.method, at.controller), 2));
    EXPECT_GT(divided->ratio(at.order), 1.3) << at.method << " " << at.ecc;
  }
}

TEST(FinerAdaptiveRuns, LeaveTheRunAsItIs) {
  for (const Controller controller : {Controller::reversible, Controller::pi}) {
    const auto chosen = options(controller, 1e-5, 10);
    test::Orbit<double> alone(test::kBumper, "rattle"), followed(test::kBumper, "rattle");
    const auto finer =
        std::make_shared<FinerAdaptiveRun<double>>(make_map(test::kBumper, "rattle", chosen.controller), chosen, 3);
    followed.monitors.add(finer);
    const Summary first = alone.run(chosen), second = followed.run(chosen);
    EXPECT_EQ(first.steps, second.steps);
    EXPECT_EQ(alone.z->q, followed.z->q);
    EXPECT_EQ(alone.z->p, followed.z->p);
    EXPECT_NEAR(finer->refinement(), 3.618, 0.1);
    ASSERT_TRUE(finer->error(followed.z));
    EXPECT_GT(finer->error(followed.z)->largest(), 0);
    EXPECT_LT(finer->error(followed.z)->largest(), 0.1);
    auto elsewhere = followed.z;
    elsewhere.change().t -= 1e-3;
    EXPECT_FALSE(finer->error(elsewhere)) << "it knows nothing of other times";
  }
}

// The points that it is asked for are as good as its own, whatever the length of the step to them is.
TEST(FinerAdaptiveRuns, LandOnTheConstraints) {
  const auto chosen = options(Controller::reversible, 1e-5, 3);
  FinerAdaptiveRun<double> finer(make_map(test::kBumper, "rattle", chosen.controller), chosen, 2);
  test::Orbit<double> orbit(test::kBumper, "rattle");
  const auto begin = orbit.start();
  finer.start(begin, 0.01);
  PhasePoint<double> end = begin;
  for (const double t : {1e-13, 1e-9, 1e-5, 0.01, 0.01 + 1e-12, 0.3, 2.9, 3.0}) {
    end.t = t;
    finer.follow({begin, end, 0.01});
    const auto error = finer.error(end);
    ASSERT_TRUE(error) << t;
    EXPECT_TRUE(std::isfinite(error->largest()));
    if (t < 1e-4) {
      EXPECT_LT(error->largest(), 20 * t);
    }
  }
  EXPECT_EQ(finer.remark(), "");
}

TEST(FinerAdaptiveRuns, AreNoNumbersOnceTheyAreLost) {
  const auto chosen = options(Controller::reversible, 1e-5, 3);
  FinerAdaptiveRun<double> finer(make_map(test::kBumper, "rattle", chosen.controller), chosen, 2);
  auto z = test::Orbit<double>(test::kBumper, "rattle").start();
  finer.start(z, 0.01);
  const auto begin = z;
  z.t = 5;  // beyond its end
  finer.follow({begin, z, 0.01});
  ASSERT_TRUE(finer.error(z));
  EXPECT_TRUE(std::isnan(finer.error(z)->largest()));
  EXPECT_NE(finer.remark(), "");
}

}  // namespace
}  // namespace cotangent
