#include <gtest/gtest.h>

#include <cmath>

#include "tests/projection/bench.hpp"

// That projections find the nearest point, in either metric, on every system with constraints; in Quad.

namespace cotangent {
namespace {

using test::Bench;
using test::Mechanism;

struct Kind {
  Projection projection;
  Metric metric;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << name_of(kind.projection) << "_" << name_of(kind.metric); }

class Nearest : public testing::TestWithParam<std::tuple<Kind, Mechanism>> {
 protected:
  const Kind& kind = std::get<0>(GetParam());
  Bench<Quad> bench{std::get<1>(GetParam())};
  Projector<Quad> projector{bench.manifold, {.projection = kind.projection, .metric = kind.metric}};
  const PhasePoint<Quad> on = test::start_of(bench);

  static constexpr double kTau = 0.4;
  void SetUp() override { projector.set_step(Quad(kTau) / OrthogonalProjection<Quad>::kStepsOfUnit); }

  bool moves_q() const { return kind.projection != Projection::momentum; }
  bool meets_psi() const { return kind.projection != Projection::position; }

  double position(const PhasePoint<Quad>& z) {
    return static_cast<double>(bench.manifold.position_residual(z.q.data(), z.t).value);
  }
  double momentum(const PhasePoint<Quad>& z) { return static_cast<double>(bench.manifold.momentum_residual(z).value); }

  // A neighbour of z, at a distance e, that meets the same rows. It is found by projections of the manifold.
  PhasePoint<Quad> neighbour(PhasePoint<Quad> z, Quad e, std::uint64_t seed) {
    test::Noise noise(seed);
    if (moves_q())
      for (Quad& x : z.q) x += e * noise();
    if (meets_psi())
      for (Quad& x : z.p) x += e * noise();

    if (moves_q()) {
      EXPECT_TRUE(bench.manifold.project_position(z).converged);
    }
    if (meets_psi()) {
      EXPECT_TRUE(bench.manifold.project_momentum(z).converged);
    }
    return z;
  }
};

TEST_P(Nearest, NoNeighbourOnTheSameRowsIsNearer) {
  const auto given = test::disturbed(on, 0.01);
  auto z = given;
  const auto report = projector.project(z);
  ASSERT_EQ(report.status, StepStatus::ok) << describe(report.status);
  EXPECT_TRUE(report.projected);
  if (moves_q()) {
    EXPECT_LE(position(z), 1e-30);
  }
  if (meets_psi()) {
    EXPECT_LE(momentum(z), 1e-30);
  }
  if (!moves_q()) {
    EXPECT_EQ(z.q, given.q);
  }
  if (!meets_psi()) {
    EXPECT_EQ(z.p, given.p);
  }

  test::Distance distance(bench, kind.metric, z, kTau);
  const Quad nearest = distance.squared(z, given);
  const Quad e = 1e-9Q;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto beside = neighbour(z, e, seed);
    const Quad forth = distance.squared(beside, given);
    const Quad back = distance.squared(neighbour(z, -e, seed), given);
    // The first derivative vanishes: (forth - back) / 2e is e^2 times a third one. The second is about twice the
    // square of the distance of the neighbour.
    EXPECT_LE(std::abs(static_cast<double>((forth - back) / (2 * e))), 1e-15);
    EXPECT_GT(static_cast<double>(forth + back - 2 * nearest), static_cast<double>(distance.squared(beside, z)));
  }
}

TEST_P(Nearest, APointThatMeetsItsRowsStaysToTheLastBit) {
  const auto given = test::disturbed(on, 0.01);
  auto once = given;
  ASSERT_EQ(projector.project(once).status, StepStatus::ok);
  auto twice = once;
  ASSERT_EQ(projector.project(twice).status, StepStatus::ok);
  // Nothing, or one last polishing of the last bits.
  EXPECT_LE(static_cast<double>(test::distance(once, twice)), 1e-30);
  EXPECT_GT(static_cast<double>(test::distance(once, given)), 1e-5);
  auto at = on;
  ASSERT_EQ(projector.project(at).status, StepStatus::ok);
  EXPECT_LE(static_cast<double>(test::distance(at, on)), 1e-30);
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Kind, Mechanism>>& info) {
  const auto& [kind, mechanism] = info.param;
  return name_of(kind.projection) + "_" + name_of(kind.metric) + "_" + mechanism.name;
}

// (Position and both in the mass metric are the nearest points to first order only: manifold_test.cpp.)
INSTANTIATE_TEST_SUITE_P(All, Nearest,
                         testing::Combine(testing::Values(Kind{Projection::momentum, Metric::mass},
                                                          Kind{Projection::joint, Metric::mass},
                                                          Kind{Projection::position, Metric::euclidean},
                                                          Kind{Projection::momentum, Metric::euclidean},
                                                          Kind{Projection::joint, Metric::euclidean}),
                                          testing::ValuesIn(test::constrained_systems())),
                         name_of_case);

// With unequal masses the two metrics lead to different points, each nearer in its own; with masses one to the same.
TEST(Metrics, DifferForUnequalMassesOnly) {
  for (const std::string mass : {"1", "5"}) {
    const Mechanism two{"two_masses", "[parameters]\nM = " + mass + R"toml(
[system]
coordinates = ["a", "b", "c", "d"]
hamiltonian = "(p_a^2 + p_b^2)/2 + (p_c^2 + p_d^2)/(2*M) + b + d"
[constraints]
rod = "(a - c)^2 + (b - d)^2 = 1"
[initial]
a = 0
b = 0
c = 0.6
d = 0.8
p_a = 0.3
p_b = 0.1
p_c = -0.2
p_d = 0.5
)toml"};
    Bench<Quad> bench(two);
    const auto given = test::disturbed(test::start_of(bench), 0.05);
    for (const Projection kind : {Projection::position, Projection::momentum, Projection::both, Projection::joint}) {
      PhasePoint<Quad> z[2] = {given, given};
      Quad distance[2][2];
      for (const Metric metric : {Metric::mass, Metric::euclidean}) {
        auto& x = z[static_cast<int>(metric)];
        Projector<Quad> projector(bench.manifold, {.projection = kind, .metric = metric});
        ASSERT_EQ(projector.project(x).status, StepStatus::ok);
        for (const Metric measured : {Metric::mass, Metric::euclidean})
          distance[static_cast<int>(metric)][static_cast<int>(measured)] =
              test::Distance(bench, measured, x).squared(x, given);
      }
      const auto apart = static_cast<double>(test::distance(z[0], z[1]));
      if (mass == "5") {
        EXPECT_GT(apart, 1e-3) << name_of(kind);
        EXPECT_LT(static_cast<double>(distance[0][0]), static_cast<double>(distance[1][0])) << name_of(kind);
        EXPECT_LT(static_cast<double>(distance[1][1]), static_cast<double>(distance[0][1])) << name_of(kind);
      } else if (kind == Projection::momentum || kind == Projection::joint) {
        EXPECT_LE(apart, 1e-30) << name_of(kind);
      }
    }
  }
}

// H(p - G'mu) - H(p) = -mu'G v + mu'R mu / 2 with R mu = psi = G v + g_t, where H is quadratic in p:
//
//   -psi' R^-1 psi / 2  +  g_t' R^-1 psi,   the last term for constraints that move.
class EnergyOfMomentumProjection : public testing::TestWithParam<Mechanism> {};

TEST_P(EnergyOfMomentumProjection, IsThatOfTheResidual) {
  Bench<Quad> bench(GetParam());
  const auto given = test::disturbed(test::start_of(bench), 0.01);
  const auto m = static_cast<std::size_t>(bench.system.m());
  HiddenConstraint<Quad> at(bench.system);
  at.at(given);
  std::vector<Quad> psi(m), mu, g_t(m);
  at.psi(psi.data());
  at.g_t(g_t);
  mu = psi;
  ASSERT_TRUE(bench.manifold.matrix().factor(given).regular);
  bench.manifold.matrix().solve(mu.data());
  Quad expected = 0;
  for (std::size_t r = 0; r < m; ++r) expected -= (psi[r] / 2 - g_t[r]) * mu[r];

  const auto energy = [&](const PhasePoint<Quad>& z) { return bench.system.at(z).H(); };
  auto z = given;
  Projector<Quad> projector(bench.manifold, {.projection = Projection::momentum});
  ASSERT_EQ(projector.project(z).status, StepStatus::ok);
  const Quad change = energy(z) - energy(given);
  const auto error = std::abs(static_cast<double>(change - expected));
  const Contraction third{.directions = {{.q = false, .p = true}, {.q = false, .p = true}},
                          .result = Contraction::Result::gradient_p};
  // Legendre transforms do not tell: of these the relativistic one is not quadratic.
  const bool is_quadratic =
      bench.system.legendre() ? GetParam().name != test::kRelativistic.name : bench.system.vanishes(third);
  EXPECT_GT(std::abs(static_cast<double>(expected)), 1e-8);
  if (is_quadratic) {
    EXPECT_LE(error, 1e-30);
  } else {
    EXPECT_GT(error, 1e-12);
    EXPECT_LT(error, 0.05 * std::abs(static_cast<double>(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EnergyOfMomentumProjection, testing::ValuesIn(test::constrained_systems()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace cotangent
