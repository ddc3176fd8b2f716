#include "cotangent/model/black_box.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "cotangent/integrator/rattle/implicit_rattle.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/coupling_pattern.hpp"
#include "cotangent/system/matrix/jacobian.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/support/instance.hpp"
#include "tests/system/black_boxes.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Twins;

/// A black box with a method.
struct Boxed {
  Boxed(const BlackBox& box, const std::string& method)
      : system(box), manifold(system), integrator(find_method<double>(method).make(manifold)) {}

  System<double> system;
  Manifold<double> manifold;
  std::unique_ptr<Integrator<double>> integrator;
};

void advance(Integrator<double>& integrator, Point<double>& z, double h, int steps) {
  for (int k = 0; k < steps; ++k) {
    const auto report = integrator.step(z, h);
    ASSERT_EQ(report.status, StepStatus::ok)
        << describe(report.status) << ", step " << k << ": " << report.residual << " above " << report.tolerance;
  }
}

/// A consistent point, with the work done so far: none.
PhasePoint<double> start(const Twins& twins, const System<double>& system) {
  auto z = test::start<double>(twins.problem);
  z.change().s.assign(static_cast<std::size_t>(system.state_count()), 0.0);
  z.change().s_low = z->s;
  return z;
}

class BlackBoxes : public testing::TestWithParam<Twins> {
 protected:
  /// How far the black box is from the expressions after some steps.
  double distance(const BlackBox& box, const std::string& method, int steps) {
    Boxed boxed(box, method);
    Instance<double> instance(GetParam().problem);
    const auto integrator = find_method<double>(method).make(instance.manifold);
    EXPECT_EQ(boxed.system.state_count(), instance.system.state_count());
    Point<double> a = start(GetParam(), instance.system), b = a;
    advance(*boxed.integrator, a, 0.01, steps);
    advance(*integrator, b, 0.01, steps);
    return std::max(test::distance(a, b), test::distance(a->s, b->s));
  }
};

TEST_P(BlackBoxes, MoveLikeTheExpressions) {
  EXPECT_LE(distance(GetParam().box, "rattle", 1000), 5e-12);
  EXPECT_LE(distance(GetParam().box, "rk4", 1000), 5e-12);
}

// Solves of RATTLE go on to rounding whatever matrix they use.
TEST_P(BlackBoxes, NeedNoSecondDerivativesForRattle) {
  EXPECT_LE(distance(test::without_second_derivatives(GetParam().box), "rattle", 1000), 5e-12);
}

TEST_P(BlackBoxes, HaveAccurateDifferencesForRk4) {
  EXPECT_LE(distance(test::without_second_derivatives(GetParam().box), "rk4", 1000), 1e-8);
}

TEST_P(BlackBoxes, HaveTheOrderOfTheMethod) {
  const auto end = [&](const char* method, int steps) {
    Boxed boxed(GetParam().box, method);
    Point<double> z = start(GetParam(), boxed.system);
    advance(*boxed.integrator, z, 1.0 / steps, steps);
    return z;
  };
  const auto exact = end("rk4", 2000);
  const double coarse = test::distance(end("rattle", 40), exact), fine = test::distance(end("rattle", 80), exact);
  EXPECT_GT(fine, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST_P(BlackBoxes, AllocateNothingInAStep) {
  for (const char* method : {"rattle", "rk4"}) {
    Boxed boxed(test::without_second_derivatives(GetParam().box), method);
    Point<double> z = start(GetParam(), boxed.system);
    advance(*boxed.integrator, z, 0.01, 3);
    const long before = test::allocations();
    static_cast<void>(boxed.integrator->step(z, 0.01));
    EXPECT_EQ(test::allocations() - before, 0) << method;
  }
}

// Everything that a system may be asked of, against the kernels of the same system.
TEST_P(BlackBoxes, GiveTheSameOperations) {
  using Of = Contraction::Of;
  using Result = Contraction::Result;
  const auto values = [&](System<double>& system, const Contraction& c, std::vector<double>& norms) {
    static const std::vector<double> q{0.3, -0.8, 0.6, -1.3}, p{0.2, 0.5, -0.4, 0.1}, a{0.7, 0.1, -0.2, 0.4},
        b{-0.3, 0.2, 0.9, 0.5}, u{0.6, -0.7};
    static const double t = 0.4;
    Frame<double> f = system.frame();
    f.in[in::q] = q.data();
    f.in[in::p] = p.data();
    f.in[in::t] = &t;
    f.in[in::a_q] = f.in[in::b_p] = a.data();
    f.in[in::a_p] = f.in[in::b_q] = b.data();
    f.in[in::weights] = u.data();
    std::vector<double> result(4, 0.0);
    f.out[out::result] = result.data();
    f.out[out::norms] = norms.data();
    system.operation(c)(f);
    return result;
  };
  const auto contractions = [] {
    std::vector<Contraction> list;
    const std::vector<Contraction::Direction> directions = {{.q = true},
                                                            {.q = false, .p = true},
                                                            {.q = true, .p = true},
                                                            {.q = true, .p = true, .t = true},
                                                            {.q = true, .t = true},
                                                            {.q = false, .t = true}};
    for (const Result result : {Result::value, Result::gradient_q, Result::gradient_p}) {
      list.push_back({.result = result});
      for (const auto& d : directions) list.push_back({.directions = {d}, .result = result});
    }
    list.push_back({.of = Of::g, .norms = true});
    list.push_back({.of = Of::weighted_g});
    list.push_back({.of = Of::weighted_g, .result = Result::gradient_q});
    for (const auto& d : directions) {
      list.push_back({.of = Of::g, .directions = {d}, .norms = true});
      list.push_back({.of = Of::weighted_g, .directions = {d}});
      list.push_back({.of = Of::weighted_g, .directions = {d}, .result = Result::gradient_q});
      if (d.q) list.push_back({.of = Of::g, .directions = {d, d}});
    }
    return list;
  }();
  Instance<double> instance(GetParam().problem);
  System<double> given(GetParam().box), differences(test::without_second_derivatives(GetParam().box));
  for (std::size_t k = 0; k < contractions.size(); ++k) {
    const Contraction& c = contractions[k];
    std::vector<double> norms(2), given_norms(2), none(2);
    const auto expected = values(instance.system, c, norms);
    EXPECT_LE(test::distance(values(given, c, given_norms), expected), 1e-9) << "contraction " << k;
    EXPECT_LE(test::distance(values(differences, c, none), expected), 1e-9) << "contraction " << k;
    if (!c.norms) continue;
    EXPECT_NEAR(given_norms[0], norms[0], 1e-14);
    // Kernels see terms that cancel within an entry of G.
    EXPECT_LE(given_norms[1], norms[1] * (1 + 1e-14)) << "contraction " << k;
    EXPECT_GE(given_norms[1], norms[1] / 4) << "contraction " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, BlackBoxes, testing::ValuesIn(test::all_twins()),
                         [](const auto& each) { return each.param.problem.name; });

TEST(BlackBox, IsExplicitWhereItIsSeparable) {
  Boxed separable(test::pendulum_twins().box, "rattle"), other(test::metric_twins().box, "rattle");
  EXPECT_EQ(dynamic_cast<ImplicitRattle<double>*>(separable.integrator.get()), nullptr);
  EXPECT_NE(dynamic_cast<ImplicitRattle<double>*>(other.integrator.get()), nullptr);
}

TEST(BlackBox, HasDifferencesThatAreExactForQuadratics) {
  System<double> system(test::without_second_derivatives(test::pendulum_twins().box));
  const std::vector<double> q{0.3, -0.8}, p{0.2, 0.5}, a{0.1, 1.0 / 3};
  std::vector<double> H_pp_a(2), second(1);
  system.at(q, p).H_pp_times(a, H_pp_a);
  system.at(q, p).g_second(a, a, Time::moves, second);
  EXPECT_LE(test::distance(H_pp_a, a), 4e-15);
  EXPECT_NEAR(second[0], a[0] * a[0] + a[1] * a[1], 4e-15);
}

TEST(BlackBox, NamesWhatIsMissing) {
  const auto message = [](const BlackBox& box) -> std::string {
    try {
      System<double> system(box);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(BlackBox{}),
            "black box: n, the number of coordinates, is not set; H is missing; H_q is missing; H_p is missing");
  auto box = test::pendulum_twins().box;
  EXPECT_EQ(message(box), "");
  box.G = nullptr;
  EXPECT_EQ(message(box), "black box: G is missing");
  box = test::pendulum_twins().box;
  box.G_pattern = {{0, 0}, {1, 1}};
  EXPECT_EQ(message(box), "black box: G_pattern has the place (1, 1), outside 1 x 2");
  box = test::pendulum_twins().box;
  box.m = 0;
  EXPECT_NE(message(box).find("g is given, but m, the number of constraints, is not set"), std::string::npos);
  box = test::pendulum_twins().box;
  box.constraint_names = {"a", "b"};
  EXPECT_EQ(message(box), "black box: there are 2 constraint_names for 1 constraints");
}

TEST(BlackBox, NamesItsConstraints) {
  EXPECT_EQ(System<double>(test::pendulum_twins().box).elements().row_name(0), "rod");
  EXPECT_EQ(System<double>(test::double_pendulum_twins().box).elements().row_name(1), "g[2]");
  EXPECT_EQ(System<double>(test::metric_twins().box).elements().row_name(0), "g");
}

TEST(BlackBox, RefusesHigherDerivatives) {
  System<double> system(test::pendulum_twins().box);
  const Contraction::Direction q;
  EXPECT_THROW(system.operation({.directions = {q, q}, .result = Contraction::Result::gradient_q}),
               std::invalid_argument);
  EXPECT_THROW(system.operation({.of = Contraction::Of::g, .directions = {q, q, q}}), std::invalid_argument);
}

TEST(BlackBox, MayThrowInAStep) {
  for (const Twins& twins : test::all_twins()) {
    for (const char* method : {"rattle", "rk4"}) {
      BlackBox box = twins.box;
      bool is_angry = false;
      box.G = [G = box.G, &is_angry](const double* q, double t, double* out) {
        if (is_angry) throw std::runtime_error("no");
        G(q, t, out);
      };
      Boxed boxed(box, method), calm(twins.box, method);
      Point<double> z = start(twins, boxed.system), other = z;
      advance(*boxed.integrator, z, 0.01, 5);
      advance(*calm.integrator, other, 0.01, 5);
      is_angry = true;
      EXPECT_THROW(static_cast<void>(boxed.integrator->step(z, 0.01)), std::runtime_error);
      is_angry = false;
      EXPECT_EQ(test::distance(z, other), 0) << "the point has changed";
      advance(*boxed.integrator, z, 0.01, 5);
      advance(*calm.integrator, other, 0.01, 5);
      EXPECT_LE(test::distance(z, other), 1e-14);
    }
  }
}

// What is asked of the functions in a step does not depend on the number of links, and each answer is O(N).
TEST(BlackBox, KeepsTheChainSparse) {
  const auto counts_per_step = [](std::int64_t N) {
    test::Counts counts;
    Boxed boxed(test::chain_box(N, &counts), "rattle");
    EXPECT_EQ(Jacobian<double>(boxed.system).entries().size(), static_cast<std::size_t>(4 * N - 2));
    EXPECT_EQ(coupling_pattern(boxed.system.elements()).off_diagonal.size(), static_cast<std::size_t>(N - 1));
    Point<double> z(2 * N);
    for (std::int64_t i = 0; i < N; ++i) z.change().q[static_cast<std::size_t>(2 * i)] = static_cast<double>(i + 1);
    advance(*boxed.integrator, z, 0.001, 4);
    counts = {};
    const auto report = boxed.integrator->step(z, 0.001);
    EXPECT_EQ(report.status, StepStatus::ok);
    // Three colours for each factorisation, of which there is one in an iteration; G at no more than one new point.
    EXPECT_LE(counts.H_pp_times, 3 * report.iterations + 1);
    EXPECT_LE(counts.G, report.iterations + 2);
    return counts;
  };
  const auto small = counts_per_step(1000), large = counts_per_step(4000);
  EXPECT_LE(large.H_pp_times, small.H_pp_times + 6);
  EXPECT_LE(large.G, small.G + 2);
}

}  // namespace
}  // namespace cotangent
