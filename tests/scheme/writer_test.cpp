#include "cotangent/scheme/writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

// What a method writes becomes a scheme that does not depend on how it was written; what could not be run is refused.

namespace cotangent {
namespace {

using namespace scheme;

const Structure kSystem{.n = 3, .m = 2, .is_separable = true, .is_split = true, .is_autonomous = true};

Scheme written(const WriteStep& step) { return write_scheme(step, kSystem); }

std::size_t count(const Scheme& scheme, SchemeOp op) {
  return static_cast<std::size_t>(
      std::count_if(scheme.nodes.begin(), scheme.nodes.end(), [&](const auto& node) { return node.op == op; }));
}

int region_of(const Scheme& scheme, SchemeOp op) {
  for (const auto& node : scheme.nodes)
    if (node.op == op) return node.region;
  return -1;
}

/// A kick along G' that brings g to zero; `make` may do more in the equations.
Vec solved(const Writer& w, const PhaseSums& z, Num h, Sum& Q, const std::function<Vec(Vec u)>& make) {
  return w.solve({.guess = w.zeros(w.system.m),
                  .F =
                      [&](Vec u) {
                        Q = z.q + h * make(u);
                        return w.at(Q).g();
                      },
                  .correct = [&](Vec r) { return w.K(w.at(Q), w.at(z.q, z.p)).solve(r) / h; }});
}

TEST(Writer, NumbersNodesFromTheirResults) {
  const auto one = written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
    const Vec v = w.at(z.q, z.p).H_p(), f = w.at(z.q, z.p).H_q();
    return {{z.q + h * v, z.p + -(h * f), z.s}};
  });
  const auto other = written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
    static_cast<void>(w.at(z.q, z.p).H_pp_times(z.p));  // nobody reads it
    const Vec f = w.at(z.q, z.p).H_q();
    const Sum P = z.p + -(h * f);
    const Vec v = w.at(z.q, z.p).H_p();
    return {{z.q + h * v, P, z.s}};
  });
  EXPECT_EQ(one.text(), other.text());
  EXPECT_EQ(count(other, SchemeOp::H_pp_times), 0);
}

TEST(Writer, MakesAVectorOnceAndWhereItIsNeeded) {
  const auto scheme = written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
    Sum Q;
    solved(w, z, h, Q, [&](Vec u) { return w.at(z.q, z.p).H_p() - w.at(z.q).Gt_times(u) - w.at(z.q, z.p).H_p(); });
    return {{Q, z.p + h * w.at(Q).H_q(), z.s}};
  });
  EXPECT_EQ(count(scheme, SchemeOp::H_p), 1);
  EXPECT_EQ(region_of(scheme, SchemeOp::H_p), 0) << "does not depend on the unknown";
  const Scheme::Solve& solve = scheme.solves.at(0);
  EXPECT_EQ(region_of(scheme, SchemeOp::Gt_times), solve.equations);
  EXPECT_EQ(region_of(scheme, SchemeOp::K), solve.correction);
  EXPECT_EQ(region_of(scheme, SchemeOp::position_scale), solve.scales);
}

TEST(Writer, LooksThroughSumsForWhatIsAddedUp) {
  const auto scheme = written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
    Sum Q;
    solved(w, z, h, Q, [&](Vec u) { return -w.at(z.q).Gt_times(u); });
    return {{Q, z.p, z.s}};
  });
  EXPECT_EQ(count(scheme, SchemeOp::force_scale), 1) << "|G'| |u|, not |G'u|";
}

TEST(Writer, KeepsCoefficientsExact) {
  const auto scheme = written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
    return {{z.q + sqrt(w.number(3)) / 6 * h * w.at(z.q, z.p).H_p(), z.p, z.s}};
  });
  for (const auto& node : scheme.nodes) {
    EXPECT_TRUE(node.op != SchemeOp::constant || node.number == cotangent::sqrt(3.0Q) / 6);
  }
}

TEST(Writer, RefusesWhatMayNotHaveBeenMade) {
  EXPECT_THROW(written([](const Writer& w, const PhaseSums& z, Num h, const Remembered&) -> Step {
                 Sum Q;
                 Vec change;
                 w.solve({.guess = w.zeros(w.system.m),
                          .F =
                              [&](Vec u) {
                                Q = z.q + h * w.at(z.q).Gt_times(u);
                                return w.at(Q).g();
                              },
                          .correct = [&](Vec r) { return change = w.R(w.at(z.q, z.p)).solve(r); }});
                 return {{Q, z.p + w.at(z.q).Gt_times(change), z.s}};
               }),
               std::logic_error);
}

TEST(Writer, RefusesVectorsOfDifferentSizes) {
  EXPECT_THROW(written([](const Writer& w, const PhaseSums& z, Num, const Remembered&) -> Step {
                 return {{z.q + w.zeros(0) + (w.at(z.q).G_times(z.p) + z.p.value), z.p, z.s}};
               }),
               std::logic_error);
}

TEST(Writer, RefusesToRememberWhatNoStepLeaves) {
  EXPECT_THROW(written([](const Writer&, const PhaseSums& z, Num, const Remembered& before) -> Step {
                 return {{z.q + before.guess("v", 3), z.p, z.s}};
               }),
               std::logic_error);
  EXPECT_THROW(written([](const Writer&, const PhaseSums& z, Num, const Remembered& before) -> Step {
                 return {{z.q, z.p, z.s}, {{"v", before.guess("v", 2)}, {"v", z.p}}};
               }),
               std::logic_error);
}

}  // namespace
}  // namespace cotangent
