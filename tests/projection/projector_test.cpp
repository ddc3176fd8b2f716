#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/projection/projection.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/projection/bench.hpp"
#include "tests/support/unit_pendulum.hpp"

// When points are projected, by how much, in batches, with tangents, and what happens where it fails.

namespace cotangent {
namespace {

using test::Bench;
using test::Mechanism;

std::vector<ProjectionPolicy> policies() {
  std::vector<ProjectionPolicy> list;
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    for (const Projection kind : {Projection::position, Projection::momentum, Projection::both, Projection::joint})
      list.push_back({.projection = kind, .metric = metric});
    list.push_back({.projection = Projection::both, .metric = metric, .invariants = {"energy"}});
  }
  list.push_back({.projection = Projection::momentum, .invariants = {"energy"}});
  list.push_back({.projection = Projection::none, .invariants = {"energy"}});
  return list;
}

std::string text(const ProjectionPolicy& policy) {
  std::string name = name_of(policy.projection) + "_" + name_of(policy.metric);
  for (const auto& invariant : policy.invariants) name += "_" + invariant;
  return name;
}

class Every : public testing::TestWithParam<std::tuple<std::size_t, Mechanism>> {
 protected:
  ProjectionPolicy policy = policies()[std::get<0>(GetParam())];
  const Mechanism& mechanism = std::get<1>(GetParam());
};

std::string name_of_case(const testing::TestParamInfo<std::tuple<std::size_t, Mechanism>>& info) {
  return text(policies()[std::get<0>(info.param)]) + "_" + std::get<1>(info.param).name;
}

// Against central differences of order four, in Quad.
TEST_P(Every, TangentIsTheDerivative) {
  Bench<Quad> exact(mechanism);
  Bench<Tangents> dual(mechanism);
  const auto on = test::start_of(exact);
  test::settle_like(dual, exact);
  Projector<Quad> project_exact(exact.manifold, policy);
  Projector<Tangents> project_dual(dual.manifold, policy);
  const auto start = test::disturbed(on, 0);
  project_exact.start(start);
  project_dual.start(test::rounded<Tangents>(start));
  const auto given = test::disturbed(on, 0.003);
  std::vector<PhasePoint<Quad>> direction(2, given);
  auto z = test::rounded<Tangents>(given);
  for (int k = 0; k < 2; ++k) {
    test::Noise noise(static_cast<std::uint64_t>(k) + 11);
    auto& along = direction[static_cast<std::size_t>(k)];
    const auto set = [&](std::vector<Quad>& x, std::vector<Tangents>& dual_x) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        x[j] = static_cast<double>(noise());
        dual_x[j].d[k] = static_cast<double>(x[j]);
      }
    };
    set(along.q, z.q);
    set(along.p, z.p);
    set(along.s, z.s);
  }
  const auto report = project_dual.project(z);
  ASSERT_EQ(report.status, StepStatus::ok) << describe(report.status);

  const auto at = [&](const PhasePoint<Quad>& along, Quad e) {
    auto x = given;
    const auto move = [&](std::vector<Quad>& to, const std::vector<Quad>& by) {
      for (std::size_t j = 0; j < to.size(); ++j) to[j] += e * by[j];
    };
    move(x.q, along.q);
    move(x.p, along.p);
    move(x.s, along.s);
    EXPECT_EQ(project_exact.project(x).status, StepStatus::ok);
    return x;
  };
  const Quad e = 1e-6Q;
  double error = 0, size = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto a = at(direction[k], e), b = at(direction[k], -e), c = at(direction[k], 2 * e),
               d = at(direction[k], -2 * e);
    const auto compare = [&](auto PhasePoint<Quad>::*part, const std::vector<Tangents>& found) {
      for (std::size_t j = 0; j < found.size(); ++j) {
        const Quad slope = (8 * ((a.*part)[j] - (b.*part)[j]) - ((c.*part)[j] - (d.*part)[j])) / (12 * e);
        error = std::max(error, std::abs(static_cast<double>(slope) - found[j].d[k]));
        size = std::max(size, std::abs(static_cast<double>(slope)));
      }
    };
    compare(&PhasePoint<Quad>::q, z.q);
    compare(&PhasePoint<Quad>::p, z.p);
    compare(&PhasePoint<Quad>::s, z.s);
  }
  EXPECT_GT(size, 0.1);
  EXPECT_LE(error, 1e-9 * size);
}

TEST_P(Every, LaneGivesTheBitsOfARunOfItsOwn) {
  Bench<Quad> exact(mechanism);
  const auto on = test::start_of(exact);
  // One set of elements: a model that is read twice need not add up in the same order.
  System<double> system(exact.elements, Backend::interpreter);
  System<Lanes> systems(exact.elements, Backend::interpreter);
  Manifold<double> manifold(system);
  Manifold<Lanes> manifolds(systems);
  const std::size_t nullity = exact.manifold.matrix().nullity();
  if (nullity > 0) {
    manifold.matrix().set_nullity(nullity);
    manifolds.matrix().set_nullity(nullity);
  }
  Projector<double> single(manifold, policy);
  Projector<Lanes> batch(manifolds, policy);
  single.start(test::rounded<double>(on));
  batch.start(test::rounded<Lanes>(on));
  auto z = test::rounded<Lanes>(on);
  std::vector<PhasePoint<double>> alone;
  for (int i = 0; i < kLanes; ++i) {
    // The first lane has nothing to do, others more and more.
    const auto x = test::rounded<double>(
        i == 0 ? on : test::disturbed(on, 1e-9 * std::pow(5, i % 7), static_cast<std::uint64_t>(i)));
    alone.push_back(x);
    test::set_lane(z, i, x);
    for (std::size_t j = 0; j < x.s.size(); ++j) z.s[j][i] = x.s[j];
  }
  const auto report = batch.project(z);
  for (int i = 0; i < kLanes; ++i) {
    auto& x = alone[static_cast<std::size_t>(i)];
    ASSERT_EQ(single.project(x).status == StepStatus::ok, lane(report.ok, i)) << "lane " << i;
    const auto same = [&](const std::vector<double>& a, const std::vector<Lanes>& b) {
      for (std::size_t j = 0; j < a.size(); ++j)
        if (std::bit_cast<std::uint64_t>(a[j]) != std::bit_cast<std::uint64_t>(b[j][i])) return false;
      return true;
    };
    EXPECT_TRUE(same(x.q, z.q) && same(x.p, z.p) && same(x.s, z.s)) << "lane " << i;
  }
}

TEST_P(Every, DoesNotAllocate) {
  Bench<double> bench(mechanism);
  Bench<Quad> exact(mechanism);
  const auto on = test::start_of(exact);
  test::settle_like(bench, exact);
  Projector<double> projector(bench.manifold, policy);
  auto z = test::rounded<double>(test::disturbed(on, 1e-6));
  projector.start(test::rounded<double>(on));
  auto first = z;
  ASSERT_EQ(projector.project(first).status, StepStatus::ok);
  const auto before = test::allocations();
  EXPECT_EQ(projector.project(z).status, StepStatus::ok);
  EXPECT_EQ(test::allocations(), before);
}

INSTANTIATE_TEST_SUITE_P(
    All, Every,
    testing::Combine(testing::Range<std::size_t>(0, policies().size()),
                     testing::Values(test::kHeavyChain, test::kCurvedMass, test::kRelativistic, test::kMovingSupport,
                                     test::kDriven, test::kThermostat, test::kRedundant,
                                     Mechanism{"uneven_chain", test::problem("uneven_chain").text},
                                     Mechanism{"coupled_momenta", test::problem("coupled_momenta").text})),
    name_of_case);

// --- when

const Mechanism kRod{"pendulum", test::rotating_pendulum(test::kHalvedRod)};

/// rk4 on the standard equations, with projections.
struct Pendulum {
  Pendulum(const Mechanism& mechanism, const ProjectionPolicy& policy)
      : bench(mechanism),
        method(with_projection(find_method<double>("rk4").make(bench.manifold, "standard"), bench.manifold, policy)),
        z(make_initial_data(bench.model, bench.manifold).z) {
    method->count_projections(&tally);
  }
  void run(int steps, double h) {
    for (int k = 1; k <= steps; ++k) ASSERT_EQ(method->step(z, h).status, StepStatus::ok);
  }

  Bench<double> bench;
  std::unique_ptr<Integrator<double>> method;
  ProjectionTally<double> tally;
  Point<double> z;
};

// Seiler's experiment: rk4 with h = 0.025 to t = 1023, momentum projections where |psi| > 1e-6. With g = x^2 + y^2 - 1,
// whose residual is twice as large, there are more.
TEST(Projections, AreAsManyAsPublished) {
  const ProjectionPolicy policy{.projection = Projection::momentum, .above = 1e-6};
  Pendulum pendulum(kRod, policy);
  pendulum.run(40920, 0.025);
  EXPECT_EQ(pendulum.tally.count, 155);
  Pendulum other({"pendulum", test::rotating_pendulum("x^2 + y^2 - 1 = 0")}, policy);
  other.run(40920, 0.025);
  EXPECT_NE(other.tally.count, 155);
}

TEST(Projections, AreMadeEveryKthStep) {
  for (const std::int64_t every : {1, 7, 50, 1000}) {
    Pendulum pendulum(kRod, {.projection = Projection::joint, .every = every});
    pendulum.run(100, 0.02);
    EXPECT_EQ(pendulum.tally.count, 100 / every);
  }
}

TEST(Projections, AreMadeWhereAResidualOfTheirRowsIsTooLarge) {
  // Residuals of rk4 grow: the first projection comes when one of them has reached the threshold.
  for (const Projection kind : {Projection::position, Projection::momentum, Projection::joint}) {
    Pendulum free(kRod, {}), pendulum(kRod, {.projection = kind, .above = 1e-7});
    std::int64_t expected = 0;
    for (int k = 1; k <= 400 && expected == 0; ++k) {
      free.run(1, 0.02);
      const double g = free.bench.manifold.position_residual(free.z->q.data(), 0).value;
      const double psi = free.bench.manifold.momentum_residual(free.z).value;
      const bool is_wanted = (kind != Projection::momentum && g > 1e-7) || (kind != Projection::position && psi > 1e-7);
      if (is_wanted) expected = k;
    }
    ASSERT_GT(expected, 1);
    for (int k = 1; k <= expected; ++k) {
      pendulum.run(1, 0.02);
      EXPECT_EQ(pendulum.tally.count, k == expected ? 1 : 0);
    }
  }
}

TEST(Projections, SayHowFarTheyHaveMoved) {
  Pendulum pendulum(kRod, {.projection = Projection::both}), free(kRod, {});
  double largest = 0, total = 0;
  for (int k = 1; k <= 20; ++k) {
    free.z = pendulum.z;
    free.run(1, 0.1);
    pendulum.run(1, 0.1);
    const double moved = test::distance(free.z->q, pendulum.z->q);
    EXPECT_GT(moved, 0);
    largest = std::max(largest, moved);
    total += moved;
  }
  EXPECT_EQ(pendulum.tally.largest.q, largest);
  EXPECT_EQ(pendulum.tally.total.q, total);
  EXPECT_GT(pendulum.tally.largest.p, 0);
  EXPECT_EQ(pendulum.tally.count, 20);
}

// A step back has the number of the step that it undoes: the third one is projected on both ways.
TEST(Projections, AreCountedBackwardsToo) {
  Pendulum pendulum(kRod, {.projection = Projection::both, .every = 3});
  for (const auto& [h, count] : {std::pair{0.1, 0}, {0.1, 0}, {0.1, 1}, {-0.1, 2}, {0.1, 3}, {0.1, 3}, {-0.1, 3}}) {
    pendulum.run(1, h);
    EXPECT_EQ(pendulum.tally.count, count);
  }
}

// --- failures

TEST(Projections, LeaveAPointAloneWhereTheyFail) {
  // A line that does not meet the circle.
  Mechanism missed = kRod;
  missed.text.replace(missed.text.find("[initial]"), 9, "line = \"x + y/10 = 3\"\n[initial]");
  for (const Projection kind : {Projection::position, Projection::both, Projection::joint}) {
    for (const Metric metric : {Metric::mass, Metric::euclidean}) {
      Bench<double> bench(missed);
      Projector<double> projector(bench.manifold, {.projection = kind, .metric = metric});
      PhasePoint<double> z(2);
      z.q = {0.6, 0.7};
      z.p = {1, 0.5};
      z.q_low = {1e-20, 0};
      const auto before = z;
      const auto report = projector.after_step(z, 1);
      EXPECT_NE(report.status, StepStatus::ok);
      EXPECT_FALSE(report.ok);
      EXPECT_FALSE(report.projected);
      EXPECT_EQ(z.q, before.q);
      EXPECT_EQ(z.p, before.p);
      EXPECT_EQ(z.q_low, before.q_low);
    }
  }
}

TEST(JointProjection, NamesAConstraintWithoutAGradient) {
  Bench<double> bench(kRod);
  Projector<double> projector(bench.manifold, {.projection = Projection::joint});
  PhasePoint<double> z(2);
  z.p = {1, 0.5};  // at the centre no direction leads to the circle
  const auto report = projector.project(z);
  EXPECT_EQ(report.status, StepStatus::singular_constraints) << describe(report.status);
  EXPECT_EQ(row_name<double>(report, *bench.elements), "rod");
}

TEST(Projections, RefusePoliciesThatMakeNoSense) {
  Bench<double> bench(kRod);
  EXPECT_THROW(Projector<double>(bench.manifold, {.every = 0}), std::invalid_argument);
  EXPECT_THROW(Projector<double>(bench.manifold, {.above = -1}), std::invalid_argument);
  EXPECT_THROW(Projector<double>(bench.manifold, {.invariants = {"enrgy"}}), std::invalid_argument);
  EXPECT_THROW(Projector<double>(bench.manifold, {.invariants = {"energy", "energy"}}), std::invalid_argument);
}

// --- cost

// A hanging chain whose links swing with random velocities, in either metric and with an invariant beside.
TEST(JointProjection, TakesAsManyProductsForLongChains) {
  for (const bool has_invariant : {false, true}) {
    for (const Metric metric : {Metric::mass, Metric::euclidean}) {
      std::vector<int> products;
      for (const int N : {10, 100, 1000}) {
        Bench<double> bench({"chain", test::chain(N).text});
        auto z = make_initial_data(bench.model, bench.manifold).z;
        test::Noise noise(3);
        for (double& p : z.p) p += 0.5 * static_cast<double>(noise());
        ASSERT_TRUE(bench.manifold.project_momentum(z).converged);
        KeptInvariants<double> energy(bench.system, {"energy"});
        energy.start(z);
        for (double& q : z.q) q += 1e-5 * static_cast<double>(noise());
        for (double& p : z.p) p += 1e-5 * static_cast<double>(noise());
        OrthogonalProjection<double> joint(bench.manifold, metric, {.g = true, .psi = true},
                                           has_invariant ? &energy : nullptr);
        const auto report = joint(z);
        ASSERT_EQ(report.status, StepStatus::ok);
        products.push_back(joint.products());
        EXPECT_LE(bench.manifold.position_residual(z.q.data(), 0).value, 1e-15 * N);
        EXPECT_LE(bench.manifold.momentum_residual(z).value, 1e-15 * N);
      }
      EXPECT_LE(products[2], has_invariant ? 15 : 10);
      EXPECT_LE(products[2], products[1] + 2);
    }
  }
}

// Where the masses are coupled K is not sparse: dimensions of the Krylov spaces grow with the differences of
// velocities, but the projection is found.
TEST(JointProjection, IsFoundForLongChainsWithCoupledMasses) {
  Mechanism chain = test::kHeavyChain;
  chain.text.replace(chain.text.find("N = "), 5, "N = 60\n#");
  Bench<double> bench(chain);
  auto z = make_initial_data(bench.model, bench.manifold).z;
  ASSERT_GT(z.q.size(), 100U);
  test::Noise noise(3);
  for (double& q : z.q) q += 1e-6 * static_cast<double>(noise());
  for (double& p : z.p) p += 1e-6 * static_cast<double>(noise());
  OrthogonalProjection<double> joint(bench.manifold, Metric::mass, {.g = true, .psi = true});
  const auto report = joint(z);
  ASSERT_EQ(report.status, StepStatus::ok) << describe(report.status);
  EXPECT_LE(bench.manifold.position_residual(z.q.data(), 0).value, 1e-13);
  EXPECT_LE(joint.products(), 60);
}

}  // namespace
}  // namespace cotangent
