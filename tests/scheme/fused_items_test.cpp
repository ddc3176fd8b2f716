#include "cotangent/scheme/fused_items.hpp"

#include <gtest/gtest.h>

#include "cotangent/scheme/runner.hpp"
#include "cotangent/scheme/writer.hpp"
#include "tests/support/instance.hpp"

// In small systems a stretch of a scheme is one kernel, which makes what its operations make one by one.

namespace cotangent {
namespace {

using namespace scheme;

Step euler(const Writer& w, const PhaseSums& z, Num h, const Remembered&) {
  const Sum P = z.p + -(h * w.at(z.q, z.p).H_q());
  return {{z.q + h * w.at(z.q, P).H_p(), P, z.s}};
}

std::size_t kernels_of(const test::Problem& problem) {
  test::Instance<double> instance(problem);
  const Scheme scheme = write_scheme(euler, structure_of(instance.manifold));
  Schedule schedule(scheme);
  return fuse_items(scheme, schedule, instance.system.model(), {.columns = 1000, .row_size = 999}).size();
}

TEST(FusedItems, AreOneKernelWithoutFamilies) {
  EXPECT_EQ(kernels_of(test::problem("double_pendulum")), 1);
  EXPECT_EQ(kernels_of(test::problem("spherical_metric")), 1);
  EXPECT_EQ(kernels_of(test::chain(5)), 0);
}

TEST(FusedItems, MakeWhatOperationsMakeOneByOne) {
  for (const char* name : {"double_pendulum", "spherical_metric", "relativistic"}) {
    test::Instance<double> instance(test::problem(name));
    PhasePoint<double> z(instance.system.n());
    for (std::size_t j = 0; j < z.q.size(); ++j) {
      z.q[j] = 0.3 + 0.2 * static_cast<double>(j);
      z.p[j] = 0.7 - 0.1 * static_cast<double>(j);
    }
    const double h = 0.125;
    std::vector<double> f(z.q.size()), v(f), P(z.p), Q(z.q);
    instance.system.at(z.q, z.p).H_q(f);
    for (std::size_t j = 0; j < f.size(); ++j) P[j] -= h * f[j];
    instance.system.at(z.q, P).H_p(v);
    for (std::size_t j = 0; j < f.size(); ++j) Q[j] += h * v[j];

    SchemeRunner<double> runner(write_scheme(euler, structure_of(instance.manifold)), instance.manifold);
    PhasePoint<double> end(z);
    Memory<double> after;
    const auto report = runner.step(z, h, {}, end, after);
    EXPECT_EQ(report.evaluations, 1);
    for (std::size_t j = 0; j < f.size(); ++j) {
      EXPECT_NEAR(end.q[j], Q[j], 4 * epsilon<double>() * (1 + std::abs(Q[j]))) << name;
      EXPECT_NEAR(end.p[j], P[j], 4 * epsilon<double>() * (1 + std::abs(P[j]))) << name;
    }
  }
}

}  // namespace
}  // namespace cotangent
