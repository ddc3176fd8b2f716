#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/model/reader.hpp"
#include "cotangent/projection/projection.hpp"
#include "tests/support/instance.hpp"

// Projections by scaling: which root is found, where there is none, and how sets are chosen.

namespace cotangent {
namespace {

using test::Instance;

// Equations whose invariants are what matters here; the first point is on I = I(0).
std::string model_of(const std::string& invariants, const std::string& states = "\"x\", \"y\"") {
  return "[system]\nstates = [" + states + "]\n[equations]\nx = 0\ny = 0\n[invariants]\n" + invariants +
         "\n[initial]\nx = 0\ny = 0\n";
}

template <class T>
struct Scaling {
  Scaling(const std::string& text, const std::vector<double>& on, const ScalingSets& sets)
      : instance(read_model_text(text, "model")),
        invariants(instance.system, declared_invariants(*instance.elements)),
        scale(instance.manifold, invariants, sets) {
    invariants.start(point(on));
  }

  static PhasePoint<T> point(const std::vector<double>& s) {
    PhasePoint<T> z(0, static_cast<std::int64_t>(s.size()));
    for (std::size_t j = 0; j < s.size(); ++j) z.s[j] = T(s[j]);
    return z;
  }

  Instance<T> instance;
  KeptInvariants<T> invariants;
  ScalingProjection<T> scale;
};

const ScalingSets kBoth{{{0}, {1}}};

TEST(Scaling, ScalesToRoundingAboutACentre) {
  const std::string circle = model_of("r = \"(x - 1)^2 + (y + 2)^2\"");
  Scaling<double> about(circle, {4, 2}, {{{0, 1}, {1, -2}}});
  auto z = about.point({3.9, 2.3});
  EXPECT_TRUE(about.scale(z).ok);
  EXPECT_NEAR(std::hypot(z.s[0] - 1, z.s[1] + 2), 5, 1e-14);
  EXPECT_NEAR((z.s[0] - 1) / (z.s[1] + 2), 2.9 / 4.3, 2e-15);
  EXPECT_NEAR(about.scale.condition(), 1.25, 0.05) << "an invariant of degree two about its centre";
  const auto before = z;
  EXPECT_TRUE(about.scale(z).ok);
  EXPECT_EQ(z.s, before.s) << "it meets the invariant as it is";
}

TEST(Scaling, LeavesVariablesOutsideAllSetsAlone) {
  Scaling<double> one(model_of("r = \"x^2 + y^2\""), {3, 4}, {{{0}}});
  auto z = one.point({2.9, 4});
  EXPECT_TRUE(one.scale(z).ok);
  EXPECT_NEAR(z.s[0], 3, 1e-14);
  EXPECT_EQ(z.s[1], 4);
}

// a^2 - 2 a + 0.99 = 0 at x = 1: of the roots 0.9 and 1.1 the one that d = 0 continues to is taken, from both sides.
TEST(Scaling, FindsTheRootThatContinuesThePoint) {
  for (const double x : {0.92, 1.08}) {
    Scaling<double> fold(model_of("i = \"x^2 - 2*x + 0*y\""), {1.1, 0}, {{{0}}});
    auto z = fold.point({x, 0});
    EXPECT_TRUE(fold.scale(z).ok) << x;
    EXPECT_NEAR(z.s[0], x < 1 ? 0.9 : 1.1, 1e-14);
    EXPECT_GT(fold.scale.condition(), 5);
  }
}

TEST(Scaling, SaysThatThereIsNoRoot) {
  const auto expect_none = [](const std::string& invariants, const std::vector<double>& on,
                              const std::vector<double>& off, const ScalingSets& sets) {
    Scaling<double> scaling(model_of(invariants), on, sets);
    auto z = scaling.point(off);
    EXPECT_FALSE(scaling.scale(z).ok) << invariants;
    EXPECT_EQ(z.s, off) << invariants;
  };
  // Below the bottom of a parabola; an invariant that feels no scaling; a set at its centre; two invariants that
  // depend on each other there and not elsewhere.
  expect_none("i = \"x^2 - 2*x + y\"", {1, 0}, {1.01, 0.01}, {{{0}}});
  expect_none("i = \"y/x\"", {1, 1}, {1, 1.01}, kBoth);
  expect_none("i = \"x^2 + y\"", {0, 1}, {0, 1.1}, {{{0}}});
  expect_none("i = \"x^2 + 2*y^2\"\nk = \"x + y\"", {2.1, 1.3}, {2, 1}, {{{0}}, {{1}}});
}

// Whether the sets are found, as many as invariants, or as many as independent ones.
TEST(Scaling, LeavesOutInvariantsThatFollowFromOthers) {
  const std::string powers = model_of("i = \"x^2 + y^2\"\nk = \"(x^2 + y^2)^2\"\nl = \"exp(-x^2 - y^2)\"");
  for (const ScalingSets& sets : {ScalingSets(), ScalingSets{{{0}}, {{1}}}, kBoth}) {
    Scaling<double> scaling(powers, {1, 1}, sets);
    auto z = scaling.point({1, 1.01});
    EXPECT_TRUE(scaling.scale(z).ok) << sets.size();
    EXPECT_NEAR(z.s[0] * z.s[0] + z.s[1] * z.s[1], 2, 1e-14) << sets.size();
    EXPECT_LT(scaling.scale.condition(), 5);
  }
  // A line and a circle, the square of the line beside them.
  Scaling<double> line(model_of("a = \"x + 5*y\"\nb = \"(x + 5*y)^2\"\nc = \"x^2 + y^2\""), {1, 2}, {{{0}}, {{1}}});
  auto z = line.point({1.01, 1.98});
  EXPECT_TRUE(line.scale(z).ok);
  EXPECT_NEAR(z.s[0], 1, 1e-14);
  EXPECT_NEAR(z.s[1], 2, 1e-14);
}

TEST(Scaling, RefusesMoreSetsThanInvariants) {
  EXPECT_THROW(Scaling<double>(model_of("i = \"x^2 + y^2\""), {1, 1}, {{{0}}, {{1}}}), std::invalid_argument);
}

// Two invariants and two sets, one of them found for each.
TEST(Scaling, FindsSets) {
  Scaling<double> top(model_of("length = \"x^2 + y^2\"\nenergy = \"x^2 + 3*y^2\""), {1, 2}, {});
  auto z = top.point({1.01, 1.98});
  EXPECT_TRUE(top.scale(z).ok);
  EXPECT_NEAR(z.s[0], 1, 1e-13);
  EXPECT_NEAR(z.s[1], 2, 1e-13);
}

TEST(MatchSets, JoinsVariablesThatDoTheSame) {
  SetMatching found;
  const std::vector<int>& sets = found.set;
  std::vector<double> w{1, 0.5, -0.5, 0};
  match_sets(w, 1, 4, found);
  EXPECT_EQ(sets, (std::vector<int>{0, 0, -1, -1})) << "one invariant: those of one sign that matter";
  // The first two variables are the pivots; the third does nearly what the first does, the fourth a little of both.
  w = {4, 0, 2, -2, 1, 5, 0.6, 1};
  match_sets(w, 2, 4, found);
  EXPECT_NE(sets[0], sets[1]);
  EXPECT_EQ(sets[2], sets[0]);
  EXPECT_EQ(sets[3], -1);
  // Both invariants feel the first one most: one of them has another.
  w = {5, 1, 5, 2};
  match_sets(w, 2, 2, found);
  EXPECT_NE(sets[0], sets[1]);
  ASSERT_EQ(found.pivots.size(), 2u);
  EXPECT_NE(found.pivots[0].invariant, found.pivots[1].invariant);
}

TEST(MatchSets, LeavesOutInvariantsThatFollowFromOthers) {
  SetMatching found;
  // The second is the sum of the others, but for rounding errors.
  std::vector<double> w{1, 2, 0, 1, 4 + 1e-15, 3, 0, 2, 3};
  match_sets(w, 3, 3, found);
  EXPECT_EQ(found.pivots.size(), 2u);
  for (const int set : found.set) EXPECT_LT(set, 2);
  w = {1, 2, 0, 1, 4.01, 3, 0, 2, 3};
  match_sets(w, 3, 3, found);
  EXPECT_EQ(found.pivots.size(), 3u);
}

// Whatever W is, the sets are hardly worse conditioned than their first variables: here than any one of each pair.
TEST(MatchSets, AreWellConditioned) {
  test::Noise noise(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> given(2 * 6), w;
    for (double& x : given) x = static_cast<double>(noise());
    SetMatching found;
    const std::vector<int>& sets = found.set;
    w = given;
    match_sets(w, 2, 6, found);
    double column[2][2] = {{0, 0}, {0, 0}}, size[2] = {0, 0}, best = 0;
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t i = 0; i < 2; ++i) {
        size[i] += std::abs(given[i * 6 + j]);
        if (sets[j] >= 0) column[i][sets[j]] += given[i * 6 + j];
        for (std::size_t l = 0; l < j; ++l)
          best = std::max(best, std::abs(given[l] * given[6 + j] - given[j] * given[6 + l]));
      }
    const double det = std::abs(column[0][0] * column[1][1] - column[0][1] * column[1][0]) / (size[0] * size[1]);
    EXPECT_GE(det, 0.49 * best / (size[0] * size[1])) << trial;
  }
}

TEST(Scaling, OfABatchIsThatOfEachLane) {
  const std::string text = model_of("length = \"x^2 + y^2\"\nenergy = \"x^2 + 3*y^2 + x*y\"");
  for (const ScalingSets& sets : {ScalingSets(), ScalingSets{{{0}}, {{1}}}}) {
    Scaling<double> single(text, {1, 2}, sets);
    Scaling<Lanes> batch(text, {1, 2}, sets);
    auto z = batch.point({1, 2});
    for (int l = 0; l < kLanes; ++l) {
      z.s[0][l] = 1 + 0.002 * l;
      z.s[1][l] = l == 5 ? 0 : 2 - 0.001 * l;
    }
    const auto before = z;
    const auto ok = batch.scale(z).ok;
    for (int l = 0; l < kLanes; ++l) {
      auto alone = single.point({before.s[0][l], before.s[1][l]});
      EXPECT_EQ(lane(ok, l), single.scale(alone).ok) << l;
      EXPECT_EQ(z.s[0][l], alone.s[0]) << l;
      EXPECT_EQ(z.s[1][l], alone.s[1]) << l;
    }
    EXPECT_FALSE(lane(ok, 5));
  }
}

TEST(Scaling, CarriesTangents) {
  const std::string text = model_of("length = \"x^2 + y^2\"\nenergy = \"x^2 + 3*y^2 + x*y\"");
  Scaling<Tangents> dual(text, {1, 2}, {});
  Scaling<Quad> exact(text, {1, 2}, {});
  auto z = dual.point({1.01, 1.98});
  const auto e = static_cast<Quad>(1e-12);
  z.s[0].d[0] = 1;
  z.s[1].d[1] = 1;
  ASSERT_TRUE(dual.scale(z).ok);
  for (std::size_t d = 0; d < 2; ++d) {
    PhasePoint<Quad> up = exact.point({1.01, 1.98}), down = up;
    up.s[d] += e;
    down.s[d] -= e;
    ASSERT_TRUE(exact.scale(up).ok && exact.scale(down).ok);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(z.s[j].d[d], static_cast<double>((up.s[j] - down.s[j]) / (2 * e)), 1e-11);
  }
}

}  // namespace
}  // namespace cotangent
