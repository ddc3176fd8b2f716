#include <gtest/gtest.h>

#include <cmath>

#include "tests/zoo/model_run.hpp"

namespace cotangent::zoo {
namespace {

// x[1], y[1], x[2], y[2], ... of the points first..last.
std::vector<std::string> points(int first, int last) {
  std::vector<std::string> names;
  for (int i = first; i <= last; ++i)
    for (const char* axis : {"x", "y"}) names.push_back(axis + ("[" + std::to_string(i) + "]"));
  return names;
}

// A chain in the plane by the angles of its rods from the downward vertical, from the origin.
Jets by_angles(const Jets& s, const Jet&) {
  Jets places;
  Jet x = 0, y = 0;
  for (const Jet& angle : s) {
    places.push_back(x = x + sin(angle));
    places.push_back(y = y - cos(angle));
  }
  return places;
}

TEST(Chain, MovesLikeTheAnglesOfItsRods) {
  const std::size_t N = 5;
  const Mechanism angles{.place = by_angles, .mass = diagonal(Vec(2 * N, 1)), .force = gravity(Vec(N, 1), 2)};
  ModelRun run("chain", {"N=5"});
  const Vec s(N, kPi / 2), rest(N);
  expect_starts_at(run, expected(points(1, 5), follow(angles, s, rest, 0)));
  expect_converges(run, 3, 200, expected(points(1, 5), follow(angles, s, rest, 3)));
}

TEST(HeavyChain, MovesLikeTheAnglesOfItsRods) {
  const std::size_t N = 4;
  Mat mass(2 * N, Vec(2 * N));
  for (std::size_t i = 0; i < N; ++i) {
    const auto here = static_cast<std::ptrdiff_t>(2 * i);
    add_rod(mass, 1, i == 0 ? kFixed : here - 2, here, 2);
  }
  // The weight of a rod acts on both ends alike.
  const Mechanism angles{.place = by_angles, .mass = mass, .force = gravity({1, 1, 1, 0.5L}, 2)};
  ModelRun run("heavy_chain", {"N=4"});
  const Vec s(N, kPi / 2), rest(N);
  expect_starts_at(run, expected(entries("r", 4, 2), follow(angles, s, rest, 0)));
  expect_converges(run, 3, 200, expected(entries("r", 4, 2), follow(angles, s, rest, 3)));
}

// A chain between two fixed points by the angles of its rods from the x axis, but for the last two: these form a
// triangle with the line between their ends.
Mechanism between(Real ax, Real ay, Real bx, Real by, std::size_t free_points) {
  return {.place =
              [=](const Jets& s, const Jet&) {
                Jets places;
                Jet2 point{ax, ay};
                for (const Jet& angle : s) append(places, point = point + direction(angle));
                append(places, meeting_point(point, {bx, by}, 1, 1));
                return places;
              },
          .mass = diagonal(Vec(2 * free_points, 1)),
          .force = gravity(Vec(free_points, 1), 2)};
}

TEST(Ring, MovesLikeTwoChainsBetweenItsPins) {
  // A regular octagon, run through clockwise. Point i is at the angle a(i) from the y axis, clockwise; rod i, from
  // point i to the next, has the direction -(a(i) + a(i+1))/2 from the x axis.
  const Real R = 1 / (2 * std::sin(kPi / 8));
  const auto a = [](Real i) { return 2 * kPi * (i - 1) / 8 - 3 * kPi / 8 + 0.4L; };
  const auto direction = [&](Real i) { return -(a(i) + kPi / 8); };
  const Real x1 = R * std::sin(a(1)), y1 = R * std::cos(a(1)), x4 = R * std::sin(a(4)), y4 = R * std::cos(a(4));
  const Mechanism upper = between(x1, y1, x4, y4, 2), lower = between(x4, y4, x1, y1, 4);
  const auto both = [&](Real T) {
    Expected values = expected(points(2, 3), follow(upper, {direction(1)}, {0}, T));
    values.merge(expected(points(5, 8), follow(lower, {direction(4), direction(5), direction(6)}, {0, 0, 0}, T)));
    return values;
  };
  ModelRun run("ring");
  expect_starts_at(run, both(0));
  expect_converges(run, 0.8L, 80, both(0.8L));
}

}  // namespace
}  // namespace cotangent::zoo
