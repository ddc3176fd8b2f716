#include "cotangent/run/evaluation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/run/models.hpp"
#include "cotangent/run/run.hpp"

namespace cotangent {
namespace {

// A particle on a circle of radius 1 in a plane, twice: r[2,2] has its last index in the columns of a record first.
Model two_beads() {
  return parse_model(R"toml(
[system]
coordinates = ["r[2,2]"]
hamiltonian = "sum(i in 1..2, norm2(p_r[i])/2 + i*r[i,2])"
[constraints]
circle = { each = "i in 1..2", equation = "norm2(r[i])/2 = 1/2" }
[observables]
heights = { each = "i in 1..2", value = "r[i,2]" }
[initial]
r = [[1, 0], [0, 1]]
p_r = [[0, 2], [3, 0]]
)toml");
}

TEST(Evaluation, HasTheOrderOfARecord) {
  Evaluation beads(two_beads());
  const std::vector<double> q{0.6, 0.8, 0.5, 0.2}, p{1, 2, 3, 4};
  beads.move_to(0, q, p);
  EXPECT_EQ(beads.q(), q);
  EXPECT_EQ(beads.p(), p);
  EXPECT_EQ(beads.velocities(), p);
  EXPECT_DOUBLE_EQ(beads.H(), 30.0 / 2 + 0.8 + 2 * 0.2);
  EXPECT_EQ(beads.constraint_names(), (std::vector<std::string>{"circle[1]", "circle[2]"}));
  EXPECT_NEAR(beads.constraints()[0], 0, 1e-16);
  EXPECT_DOUBLE_EQ(beads.constraints()[1], (0.25 + 0.04 - 1) / 2);
  EXPECT_DOUBLE_EQ(beads.hidden_constraints()[1], 3 * 0.5 + 4 * 0.2);
  EXPECT_EQ(beads.observables(), (std::vector<double>{0.8, 0.2}));
  const SparseRows G = beads.jacobian();
  std::vector<double> full(8);
  for (std::size_t k = 0; k < G.values.size(); ++k)
    full[static_cast<std::size_t>(4 * G.rows[k] + G.columns[k])] += G.values[k];
  EXPECT_EQ(full, (std::vector<double>{0.6, 0.8, 0, 0, 0, 0, 0.5, 0.2}));
}

TEST(Evaluation, HasTheMultipliersAndTheFieldOfARun) {
  const Model model = two_beads();
  cotangent::Run run(model, {.method = "rattle", .step = 0.01, .end = 1});
  static_cast<void>(run());
  const RunPoint point = run.point();
  Evaluation beads(model);
  beads.move_to(point.t, point.q, point.p);
  const std::vector<double> lambda = beads.multipliers();
  const PointRates rates = beads.field("standard");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(lambda[i], point.multipliers[i], 1e-12);
    for (std::size_t k = 0; k < 2; ++k) {
      const double force = k == 1 ? -static_cast<double>(i + 1) : 0;
      EXPECT_NEAR(rates.p[2 * i + k], force - point.q[2 * i + k] * lambda[i], 1e-12);
      EXPECT_DOUBLE_EQ(rates.q[2 * i + k], point.p[2 * i + k]);
    }
  }
}

TEST(Evaluation, ProjectsToTheNearestPoint) {
  Evaluation beads(two_beads());
  beads.move_to(0, std::vector<double>{2, 0, 0, -3}, std::vector<double>{1, 1, 1, 1});
  beads.project();
  const std::vector<double> expected_q{1, 0, 0, -1}, expected_p{0, 1, 1, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(beads.q()[k], expected_q[k], 1e-15);
    EXPECT_NEAR(beads.p()[k], expected_p[k], 1e-15);
  }
}

TEST(Evaluation, RefusesWhatDoesNotFit) {
  Evaluation beads(two_beads());
  EXPECT_THROW(beads.move_to(0, std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(beads.field("impetus")), std::invalid_argument);
  beads.move_to(0, std::vector<double>(4));
  EXPECT_THROW(static_cast<void>(beads.multipliers()), std::runtime_error) << "no gradient at the centre";
}

}  // namespace
}  // namespace cotangent
