#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "tests/projection/bench.hpp"

// Projections onto declared invariants.

namespace cotangent {
namespace {

using test::Bench;
using test::Mechanism;

const Mechanism kKepler{"kepler", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)"
[invariants]
L = "x*p_y - y*p_x"
[initial]
x = 0.5
y = 0
p_x = 0
p_y = "sqrt(3)"
)toml"};

// Momenta are not those of velocities; v appears in the invariant.
const Mechanism kCharge{"charge", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "((p_x + y)^2 + (p_y - x)^2/2 + p_z^2)/2 + x^2/4 + y^2/2 + z^4/4"
[invariants]
E2 = "v_x^2/2 + v_y^2 + v_z^2/2 + x^2/4 + y^2/2 + z^4/4"
[initial]
x = 1
y = 0.2
z = 0.3
p_x = 0
p_y = 0.7
p_z = 0.4
)toml"};

const Mechanism kDouble{"double_pendulum", R"toml(
[system]
coordinates = ["a", "b", "c", "d"]
hamiltonian = "(p_a^2 + p_b^2)/2 + (p_c^2 + p_d^2)/6 + b + 3*d"
[constraints]
first = "a^2 + b^2 = 1"
second = "(a - c)^2 + (b - d)^2 = 1"
[initial]
a = 1
b = 0
c = 1.6
d = 0.8
p_a = 0
p_b = -0.5
p_c = 0
p_d = 0
)toml"};

template <class T>
struct Trajectory {
  Trajectory(const Mechanism& mechanism, const ProjectionPolicy& policy, const std::string& method = "rk4",
             const std::string& formulation = "")
      : bench(mechanism),
        integrator(with_projection(find_method<T>(method).make(bench.manifold, formulation), bench.manifold, policy)),
        z(make_initial_data(bench.model, bench.manifold).z) {
    integrator->count_projections(&tally);
  }
  void steps(int count, T h) {
    for (int k = 1; k <= count; ++k) {
      const auto report = integrator->step(z, h);
      ASSERT_EQ(report.status, StepStatus::ok) << describe(report.status) << " in step " << k;
    }
  }
  // At t = 0.
  At<T> at() { return bench.system.at({z->q.data(), z->p.data(), z->s.data(), T(0)}); }
  T energy() { return at().H(); }
  T invariant(std::size_t k = 0) {
    std::vector<T> v(z->q.size()), values(static_cast<std::size_t>(bench.system.invariant_count()));
    at().H_p(v);
    at().with(v).invariants(values);
    return values[k];
  }

  Bench<T> bench;
  std::unique_ptr<Integrator<T>> integrator;
  ProjectionTally<T> tally;
  Point<T> z;
};

TEST(Invariants, OfAnOrbitAreKeptToRounding) {
  Trajectory<double> projected(kKepler, {.invariants = {"energy", "L"}}), free(kKepler, {});
  const double E = projected.energy(), L = projected.invariant();
  for (int k = 0; k < 20; ++k) {
    projected.steps(50, 0.02);
    free.steps(50, 0.02);
    EXPECT_LE(std::abs(projected.energy() - E), 4e-15);
    EXPECT_LE(std::abs(projected.invariant() - L), 4e-15);
  }
  EXPECT_GT(std::abs(free.energy() - E), 1e-7);
  EXPECT_GT(std::abs(free.invariant() - L), 1e-8);
  EXPECT_EQ(projected.tally.count, 1000);
}

TEST(Invariants, AreReturnedToOneByOne) {
  Trajectory<double> projected(kKepler, {.invariants = {"L"}});
  const double E = projected.energy(), L = projected.invariant();
  projected.steps(1000, 0.02);
  EXPECT_LE(std::abs(projected.invariant() - L), 4e-15);
  EXPECT_GT(std::abs(projected.energy() - E), 1e-8);
}

// v = H_p in the invariant, with H_pq != 0 and unequal masses: its gradient goes through H. In fact it is the energy.
TEST(Invariants, OfVelocitiesAreThoseOfMomenta) {
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    Trajectory<Quad> by_v(kCharge, {.metric = metric, .invariants = {"E2"}});
    Trajectory<Quad> by_p(kCharge, {.metric = metric, .invariants = {"energy"}});
    by_v.steps(20, 0.1Q);
    by_p.steps(20, 0.1Q);
    EXPECT_LE(static_cast<double>(test::distance(by_v.z, by_p.z)), 1e-30);
    Trajectory<Quad> free(kCharge, {});
    free.steps(20, 0.1Q);
    EXPECT_GT(static_cast<double>(test::distance(by_v.z, free.z)), 1e-7);
  }
}

TEST(Invariants, AndConstraintsAreMetAtOnce) {
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    Trajectory<double> run(kDouble, {.projection = Projection::both, .metric = metric, .invariants = {"energy"}}, "rk4",
                           "standard");
    const double E = run.energy();
    for (int k = 0; k < 20; ++k) {
      run.steps(20, 0.01);
      EXPECT_LE(std::abs(run.energy() - E), 2e-14);
      EXPECT_LE(run.bench.manifold.position_residual(run.z->q.data(), 0).value, 1e-14);
      EXPECT_LE(run.bench.manifold.momentum_residual(run.z).value, 2e-14);
    }
    Trajectory<double> both(kDouble, {.projection = Projection::both, .metric = metric}, "rk4", "standard");
    both.steps(400, 0.01);
    EXPECT_GT(std::abs(both.energy() - E), 1e-10);
  }
}

// The nearest point of all that meets g = 0, psi = 0 and H = E.
TEST(Invariants, AreMetAtTheNearestPoint) {
  Bench<Quad> bench(kDouble);
  const auto on = test::start_of(bench, 0);
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    Projector<Quad> projector(bench.manifold,
                              {.projection = Projection::joint, .metric = metric, .invariants = {"energy"}});
    projector.start(on);
    const auto given = test::disturbed(on, 0.01);
    auto z = given;
    ASSERT_EQ(projector.project(z).status, StepStatus::ok);
    test::Distance distance(bench, metric, z);
    const Quad nearest = distance.squared(z, given), e = 1e-9Q;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto beside = [&](Quad by) {
        auto x = z;
        test::Noise noise(seed);
        for (auto* part : {&x.q, &x.p})
          for (Quad& entry : *part) entry += by * noise();

        EXPECT_EQ(projector.project(x).status, StepStatus::ok);
        return distance.squared(x, given);
      };
      const Quad forth = beside(e), back = beside(-e);
      EXPECT_LE(std::abs(static_cast<double>((forth - back) / (2 * e))), 1e-15);
      EXPECT_GT(static_cast<double>((forth + back - 2 * nearest) / (e * e)), 1e-3);
    }
  }
}

// H - W is kept where forces do work, at the work that the point has.
TEST(Invariants, OfForcedSystemsTakeTheWorkIntoAccount) {
  Bench<double> bench(test::kDamped);
  Trajectory<double> run(test::kDamped, {.projection = Projection::both, .invariants = {"energy"}}, "rk4", "standard");
  const double E = run.energy() - run.z->s.back();
  run.steps(200, 0.02);
  EXPECT_LE(std::abs(run.energy() - run.z->s.back() - E), 1e-14);
  EXPECT_GT(std::abs(run.z->s.back()), 1e-3);
  Trajectory<double> both(test::kDamped, {.projection = Projection::both}, "rk4", "standard");
  both.steps(200, 0.02);
  EXPECT_GT(std::abs(both.energy() - both.z->s.back() - E), 1e-12);
}

// Ordinary differential equations beside a coordinate that has nothing to do with them: predators and prey, and Euler's
// equations of a rigid body with its Casimir function and its energy.
TEST(Invariants, OfStatesAreKeptToRounding) {
  const Mechanism states{"states", R"toml(
[system]
coordinates = ["x"]
states = ["u", "w", "m[3]"]
hamiltonian = "p_x^2/2 + x^2/2"
[equations]
u = "u*(1 - w)"
w = "w*(u - 1)"
m = "cross(m, [m[1]/2, m[2], m[3]/3])"
[invariants]
I = "u - log(u) + w - log(w)"
body = "[norm2(m), m[1]^2/2 + m[2]^2 + m[3]^2/3]"
[initial]
x = 1
p_x = 0
u = 2
w = 1
m = [1, 0.2, 0.5]
)toml"};
  Trajectory<double> projected(states, {.invariants = {"I", "body"}}), free(states, {});
  double start[3];
  for (std::size_t k = 0; k < 3; ++k) start[k] = projected.invariant(k);
  for (int i = 0; i < 10; ++i) {
    projected.steps(100, 0.05);
    free.steps(100, 0.05);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(projected.invariant(k) - start[k]), 4e-15);
      if (i == 9) {
        EXPECT_GT(std::abs(free.invariant(k) - start[k]), 1e-11);
      }
    }
  }
  // x has no part in it.
  EXPECT_EQ(projected.z->q, free.z->q);
  EXPECT_GT(projected.tally.largest.s, 0);
  EXPECT_EQ(projected.tally.largest.q, 0);
}

// --- failures

TEST(Invariants, WithoutAGradientAreNamed) {
  // A particle at rest at the bottom of its well, with an energy that it cannot have there.
  const Mechanism well{"well", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + x^2 + y^2"
[invariants]
L = "x*p_y - y*p_x"
twice = "2*(x*p_y - y*p_x)"
[initial]
x = 1
y = 0
p_x = 0
p_y = 1
)toml"};
  Bench<double> bench(well);
  Projector<double> projector(bench.manifold, {.invariants = {"L", "energy"}});
  projector.start(make_initial_data(bench.model, bench.manifold).z);
  PhasePoint<double> z(2);
  auto report = projector.project(z);
  EXPECT_EQ(report.status, StepStatus::dependent_invariant) << describe(report.status);
  EXPECT_EQ(row_name<double>(report, *bench.elements), "L");
  EXPECT_EQ(z.q, std::vector<double>(2, 0));
  // On a circular orbit L and the energy have parallel gradients, and no point nearby has other values of both.
  z.q = {1, 0};
  z.p = {0, std::sqrt(2)};

  Projector<double> onto(bench.manifold, {.invariants = {"L", "energy"}});
  onto.start(z);
  z.p[1] *= 1.001;
  z.q[0] *= 1.001;

  report = onto.project(z);
  if (report.status == StepStatus::ok) {
    EXPECT_LE(std::abs(z.q[0] * z.p[1] - z.q[1] * z.p[0] - std::sqrt(2)), 1e-7);
  } else {
    EXPECT_EQ(report.status, StepStatus::dependent_invariant) << describe(report.status);
    EXPECT_EQ(row_name<double>(report, *bench.elements), "energy");
  }
}

TEST(Invariants, ThatRepeatOthersDoNoHarm) {
  Mechanism twice = kKepler;
  twice.text.replace(twice.text.find("[initial]"), 9, "M = \"2*(x*p_y - y*p_x)\"\n[initial]");
  Trajectory<double> run(twice, {.invariants = {"L", "M"}}), one(twice, {.invariants = {"L"}});
  run.steps(100, 0.02);
  one.steps(100, 0.02);
  EXPECT_LE(test::distance(run.z, one.z), 1e-11);
}

// Of E, L and Lenz' vector A with A.A = 1 + 2 E L^2 three determine the fourth: which one depends on the point.
TEST(Invariants, ThatFollowFromOthersAreMetWithThem) {
  Mechanism lenz = kKepler;
  lenz.text.replace(lenz.text.find("[initial]"), 9,
                    "A = \"[p_y*(x*p_y - y*p_x) - x/sqrt(x^2 + y^2), -p_x*(x*p_y - y*p_x) - y/sqrt(x^2 + y^2)]\"\n"
                    "[initial]");
  for (const std::vector<std::string>& names : {std::vector<std::string>{"energy", "L", "A"}, {"A", "energy", "L"}}) {
    Trajectory<double> run(lenz, {.invariants = names}), free(lenz, {});
    const double E = run.energy(), L = run.invariant(), A_x = run.invariant(1), A_y = run.invariant(2);
    run.steps(1000, 0.02);
    free.steps(1000, 0.02);
    EXPECT_LE(std::abs(run.energy() - E), 1e-14);
    EXPECT_LE(std::abs(run.invariant() - L), 1e-14);
    EXPECT_LE(std::abs(run.invariant(1) - A_x), 1e-14);
    EXPECT_LE(std::abs(run.invariant(2) - A_y), 1e-14);
    EXPECT_GT(std::abs(free.invariant(2) - A_y), 1e-6);
  }
}

const Mechanism kPendulum{"pendulum", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2 + x^2) + y"
[constraints]
rod = "x^2 + y^2 = 1"
[invariants]
r2 = "x^2 + y^2"
curved = "exp(x^2 + y^2)"
radial = "x*p_x + y*p_y"
both = "(1 + x)*(x^2 + y^2 - 1) + x*p_x + y*p_y"
twoE = "2*(p_x^2 + p_y^2)/(2 + x^2) + 2*y"
[initial]
x = 1
y = 0
p_x = 0
p_y = 1
)toml"};

// They are met where the constraints are: the nearest point is the same without them.
template <class T>
void expect_left_out(const std::vector<std::string>& names, const std::vector<std::string>& others, double tolerance) {
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    const ProjectionPolicy policy{.projection = Projection::joint, .metric = metric, .invariants = others};
    ProjectionPolicy all = policy;
    all.invariants.insert(all.invariants.begin(), names.begin(), names.end());
    Trajectory<T> run(kPendulum, all, "rk4", "standard"), without(kPendulum, policy, "rk4", "standard");
    for (int k = 0; k < 20; ++k) {
      run.steps(10, T(1) / 64);
      without.steps(10, T(1) / 64);
      EXPECT_LE(static_cast<double>(test::distance(run.z, without.z)), tolerance) << names.front();
      EXPECT_LE(std::abs(static_cast<double>(run.invariant() - 1)), 8 * static_cast<double>(epsilon<T>()));
    }
  }
}

TEST(Invariants, ThatFollowFromConstraintsAreMetWithThem) {
  for (const char* name : {"r2", "curved", "radial", "both"}) expect_left_out<double>({name}, {}, 1e-12);
  expect_left_out<double>({"r2", "radial", "curved"}, {}, 1e-12);
  expect_left_out<double>({"r2", "radial"}, {"energy"}, 1e-11);
  expect_left_out<double>({"r2", "twoE"}, {"energy"}, 1e-11);
  expect_left_out<Quad>({"r2"}, {}, 1e-29);
  expect_left_out<Quad>({"curved"}, {"energy"}, 1e-28);
}

TEST(Invariants, ThatContradictConstraintsAreNamed) {
  Bench<double> bench(kPendulum);
  const auto start = make_initial_data(bench.model, bench.manifold).z;
  for (const char* name : {"r2", "curved", "radial"}) {
    Projector<double> projector(bench.manifold, {.projection = Projection::both, .invariants = {name}});
    projector.start(start);
    auto z = start;
    z.q[0] += 1e-3;

    ASSERT_EQ(projector.project(z).status, StepStatus::ok);
    projector.targets()[0] += 1e-9;
    const auto report = projector.project(z);
    EXPECT_EQ(report.status, StepStatus::dependent_invariant) << describe(report.status);
    EXPECT_EQ(row_name<double>(report, *bench.elements), name);
  }
}

// Its gradient is there, but no point has the value; and what has no value nearby is named, not what comes first.
TEST(Invariants, ThatHaveNoSuchValueAreNamed) {
  Bench<double> bench(kPendulum);
  auto z = make_initial_data(bench.model, bench.manifold).z;
  for (const std::vector<std::string>& names : {std::vector<std::string>{"energy"}, {"r2", "energy"}}) {
    Projector<double> projector(bench.manifold, {.projection = Projection::both, .invariants = names});
    projector.start(z);
    projector.targets().back() = -1.5;
    const auto report = projector.project(z);
    EXPECT_EQ(report.status, StepStatus::dependent_invariant) << describe(report.status);
    EXPECT_EQ(row_name<double>(report, *bench.elements), "energy");
  }
}

// A report says which invariant it is.
TEST(Invariants, AreNamedWhereverAReportComesFrom) {
  Trajectory<double> run(kPendulum, {}, "rk4", "standard");
  for (const char* name : {"energy", "twoE", "r2"}) {
    Projector<double> projector(run.bench.manifold, {.projection = Projection::both, .invariants = {name}});
    projector.start(run.z);
    projector.targets()[0] = -5;
    auto z = run.z;
    const StepReport<double> failed = projector.project(z.change());
    ASSERT_EQ(failed.status, StepStatus::dependent_invariant);
    EXPECT_EQ(row_name(failed, *run.bench.elements), name);
  }
}

TEST(Invariants, ThatAreUnknownAreRefused) {
  Bench<double> bench(kKepler);
  const auto refusal = [&](const std::vector<std::string>& names) -> std::string {
    try {
      Projector<double> projector(bench.manifold, {.invariants = names});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({"enrgy"}).find("did you mean 'energy'"), std::string::npos) << refusal({"enrgy"});
  EXPECT_NE(refusal({"angular"}).find("L"), std::string::npos);
  EXPECT_NE(refusal({"L", "L"}).find("twice"), std::string::npos);
}

}  // namespace
}  // namespace cotangent
