#include "cotangent/system/legendre/legendre.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/support/problems.hpp"

// Derivatives of the H of a Lagrangian, of every order that a contraction may have: against differences of those of
// one order less, and against a Hamiltonian written out by hand.

namespace cotangent {
namespace {

using Direction = Contraction::Direction;
using Result = Contraction::Result;

constexpr const char* kInitial = "[initial]\nx = 0\ny = 0\np_x = 0\np_y = 0\n";  // not used

struct Case {
  const char *name, *L, *H;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

// A kinetic energy that is not quadratic, a mass that depends on q and t, a vector potential:
// L = -m sqrt(1 - v^2) + A'v - V has H = sqrt(m^2 + (p - A)^2) + V.
const Case kRelativistic{
    "relativistic", "-(1 + 0.3*x^2 + 0.1*y*t)*sqrt(1 - v_x^2 - v_y^2) + 0.4*y^2*t*v_x + sin(x*y)*v_y - cos(x + t)*y",
    "sqrt((1 + 0.3*x^2 + 0.1*y*t)^2 + (p_x - 0.4*y^2*t)^2 + (p_y - sin(x*y))^2) + cos(x + t)*y"};

// A full mass that depends on q and t; its inverse by hand.
const Case kCoupled{"coupled", "(1 + 0.5*t^2)*v_x^2/2 + v_y^2 + cos(x - y)*v_x*v_y + x*t*v_y - x^2*y",
                    "(2*p_x^2 - 2*cos(x - y)*p_x*(p_y - x*t) + (1 + 0.5*t^2)*(p_y - x*t)^2)"
                    "/(2*(2*(1 + 0.5*t^2) - cos(x - y)^2)) + x^2*y"};

// A function of a sum: derivatives go through group variables. Nobody can write its H.
const Case kGrouped{
    "grouped",
    "(v_x^2 + v_y^2)/2 + (1 + sum(i in 1..2, v_x^2*i + v_y^2*x^2))^1.5*(1 + t^2) + exp(sum(i in 1..2, x*v_y/i))", ""};

template <class T>
struct Fixture {
  explicit Fixture(const std::string& energy, bool lagrangian)
      : model(read_model_text("[system]\ncoordinates = [\"x\", \"y\"]\n" +
                                  std::string(lagrangian ? "lagrangian" : "hamiltonian") + " = \"" + energy + "\"\n" +
                                  kInitial,
                              "test")),
        elements(std::make_shared<Elements>(extract_elements(model))),
        system(elements, Backend::interpreter) {}

  Model model;
  std::shared_ptr<const Elements> elements;
  System<T> system;
};

template <class T>
struct Point {
  std::vector<T> q = std::vector<T>(2, T(0.3)), p = std::vector<T>(2, T(0.4));
  T t = T(0.6);

  Point() {
    q[1] = T(-0.2);
    p[1] = T(-0.7);
  }
};

template <class T>
struct Vector {
  std::vector<T> q, p;
};

template <class T>
std::vector<Vector<T>> random_vectors() {
  test::Noise noise(11);
  std::vector<Vector<T>> vectors;
  for (int d = 0; d < 3; ++d) {
    Vector<T> each;
    for (auto* part : {&each.q, &each.p})
      for (const Quad& x : noise.vector(2)) part->push_back(T(static_cast<LaneOf<T>>(x)));
    vectors.push_back(each);
  }
  return vectors;
}

template <class T>
Frame<T> frame_at(System<T>& system, const Point<T>& z, const std::vector<Vector<T>>& vectors) {
  Frame<T> frame = system.frame();
  frame.in[in::q] = z.q.data();
  frame.in[in::p] = z.p.data();
  frame.in[in::t] = &z.t;
  for (std::size_t d = 0; d < vectors.size(); ++d) {
    frame.in[static_cast<std::size_t>(in::argument(Space::q, d))] = vectors[d].q.data();
    frame.in[static_cast<std::size_t>(in::argument(Space::p, d))] = vectors[d].p.data();
  }
  return frame;
}

template <class T>
std::vector<T> derivative(System<T>& system, const Point<T>& z, const std::vector<Direction>& directions,
                          const std::vector<Vector<T>>& vectors, Result result) {
  std::vector<T> found(result == Result::value ? 1 : 2);
  Frame<T> frame = frame_at(system, z, vectors);
  frame.out[out::result] = found.data();
  system.operation({.directions = directions, .result = result})(frame);
  return found;
}

// Every choice of up to three directions, each with one or more of the parts q, p, t.
std::vector<std::vector<Direction>> choices() {
  std::vector<Direction> each;
  for (unsigned parts = 1; parts < 8; ++parts)
    each.push_back({.q = (parts & 1) != 0, .p = (parts & 2) != 0, .t = (parts & 4) != 0});
  std::vector<std::vector<Direction>> all;
  for (const auto& a : each) {
    all.push_back({a});
    for (const auto& b : each) {
      all.push_back({a, b});
      for (const auto& c : each) all.push_back({a, b, c});
    }
  }
  return all;
}

constexpr std::array kResults{Result::value, Result::gradient_q, Result::gradient_p};

std::string name(const std::vector<Direction>& directions, Result result) {
  std::string text = std::to_string(static_cast<int>(result));
  for (const auto& d : directions) text += std::string(" (") + (d.q ? "q" : "") + (d.p ? "p" : "") + (d.t ? "t)" : ")");
  return text;
}

template <class T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j)
    EXPECT_NEAR(static_cast<double>(a[j] - b[j]), 0, tolerance * (1 + static_cast<double>(abs(b[j])))) << what;
}

class LegendreOf : public testing::TestWithParam<Case> {};

TEST_P(LegendreOf, DerivativesAreDifferencesOfThoseOfOneOrderLess) {
  Fixture<Quad> fixture(GetParam().L, true);
  const auto vectors = random_vectors<Quad>();
  const Quad e = 1e-10Q;
  for (const auto& directions : choices()) {
    const std::vector<Direction> fewer(directions.begin(), directions.end() - 1);
    const Direction& last = directions.back();
    const Vector<Quad>& along = vectors[fewer.size()];
    for (const Result result : kResults) {
      const auto moved = [&](Quad by) {
        Point<Quad> z;
        for (std::size_t j = 0; j < 2; ++j) {
          if (last.q) z.q[j] += by * along.q[j];
          if (last.p) z.p[j] += by * along.p[j];
        }
        if (last.t) z.t += by;
        return derivative(fixture.system, z, fewer, vectors, result);
      };
      auto difference = moved(e);
      const auto behind = moved(-e);
      for (std::size_t j = 0; j < difference.size(); ++j) difference[j] = (difference[j] - behind[j]) / (2 * e);
      expect_near(derivative(fixture.system, {}, directions, vectors, result), difference, 1e-16,
                  name(directions, result));
    }
  }
}

TEST_P(LegendreOf, DerivativesAreSymmetricInTheDirections) {
  Fixture<Quad> fixture(GetParam().L, true);
  const auto vectors = random_vectors<Quad>();
  for (const auto& directions : choices()) {
    std::vector<std::size_t> order(directions.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    for (const Result result : kResults) {
      const auto expected = derivative(fixture.system, {}, directions, vectors, result);
      while (std::next_permutation(order.begin(), order.end())) {
        std::vector<Direction> permuted;
        std::vector<Vector<Quad>> their_vectors;
        for (const std::size_t d : order) {
          permuted.push_back(directions[d]);
          their_vectors.push_back(vectors[d]);
        }
        expect_near(derivative(fixture.system, {}, permuted, their_vectors, result), expected, 1e-30,
                    name(directions, result));
      }
    }
  }
}

TEST_P(LegendreOf, LanesGiveWhatScalarsGive) {
  Fixture<double> scalar(GetParam().L, true);
  Fixture<Lanes> lanes(GetParam().L, true);
  const auto vectors = random_vectors<double>();
  const auto lane_vectors = random_vectors<Lanes>();
  const std::vector<Direction> directions(3, {.q = true, .p = true, .t = true});
  Point<Lanes> batch;
  for (int i = 0; i < lane_count<Lanes>; ++i) batch.p[0][i] += 0.05 * i;
  for (const Result result : kResults) {
    const auto found = derivative(lanes.system, batch, directions, lane_vectors, result);
    for (int i = 0; i < lane_count<Lanes>; ++i) {
      Point<double> z;
      z.p[0] += 0.05 * i;
      const auto expected = derivative(scalar.system, z, directions, vectors, result);
      for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_EQ(lane(found[j], i), expected[j]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LegendreOf, testing::Values(kRelativistic, kCoupled, kGrouped),
                         [](const auto& each) { return each.param.name; });

class LegendreAgainstH : public testing::TestWithParam<Case> {};

TEST_P(LegendreAgainstH, DerivativesAreThoseOfTheHamiltonianWrittenOutByHand) {
  Fixture<Quad> lagrangian(GetParam().L, true), hamiltonian(GetParam().H, false);
  ASSERT_NE(lagrangian.system.legendre(), nullptr);
  ASSERT_EQ(hamiltonian.system.legendre(), nullptr);
  const auto vectors = random_vectors<Quad>();
  auto all = choices();
  all.push_back({});
  for (const auto& directions : all)
    for (const Result result : kResults)
      expect_near(derivative(lagrangian.system, {}, directions, vectors, result),
                  derivative(hamiltonian.system, {}, directions, vectors, result), 1e-29, name(directions, result));
}

INSTANTIATE_TEST_SUITE_P(Every, LegendreAgainstH, testing::Values(kRelativistic, kCoupled),
                         [](const auto& each) { return each.param.name; });

TEST(Legendre, HigherDerivativesDoNotAllocate) {
  Fixture<double> fixture(kRelativistic.L, true);
  const auto vectors = random_vectors<double>();
  const std::vector<Direction> directions(3, {.q = true, .p = true, .t = true});
  for (const Result result : kResults) {
    const auto& operation = fixture.system.operation({.directions = directions, .result = result});
    Point<double> z;
    Frame<double> frame = frame_at(fixture.system, z, vectors);
    std::vector<double> found(2);
    frame.out[out::result] = found.data();
    operation(frame);
    const long before = test::allocations();
    for (int k = 0; k < 10; ++k) {
      z.p[0] += 0.01;
      operation(frame);
    }
    EXPECT_EQ(test::allocations(), before);
  }
}

// M = diag(1, x) is singular where x = 0, and u = M^-1 u not a number there.
TEST(Legendre, SolvesWithNoSingularMass) {
  Fixture<Lanes> fixture("(v_x^2 + x*v_y^2)/2", true);
  std::vector<Lanes> q(2, Lanes(2)), p(2, Lanes(0)), u = {Lanes(3), Lanes(4)};
  q[0][1] = 0;
  fixture.system.legendre()->solve_mass(q.data(), p.data(), Lanes(0), u.data());
  for (int i = 0; i < kLanes; ++i) {
    if (i == 1) {
      EXPECT_TRUE(std::isnan(u[0][i]) && std::isnan(u[1][i]));
    } else {
      EXPECT_EQ(u[0][i], 3);
      EXPECT_EQ(u[1][i], 2);
    }
  }
}

// A point that is known again is found where it was; any other takes the place of the oldest.
TEST(Legendre, ALaneWithoutAPointDoesNotMakeOthersSearchAgain) {
  Fixture<Lanes> fixture(kRelativistic.L, true);
  Legendre<Lanes>& legendre = *fixture.system.legendre();
  for (const bool in_q : {true, false}) {
    Point<Lanes> z;
    (in_q ? z.q : z.p)[0][1] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Lanes>& v = legendre.velocity(z.q.data(), z.p.data(), z.t);
    EXPECT_TRUE(std::isnan(v[0][1]));
    EXPECT_TRUE(std::isfinite(v[0][0]));
    EXPECT_EQ(&legendre.velocity(z.q.data(), z.p.data(), z.t), &v);
    const Point<Lanes> other;
    EXPECT_NE(&legendre.velocity(other.q.data(), other.p.data(), other.t), &v);
  }
}

TEST(Legendre, RefusesWhatNoContractionHas) {
  Fixture<double> fixture(kCoupled.L, true);
  EXPECT_THROW(fixture.system.operation({.result = Result::gradient_v}), std::invalid_argument);
  EXPECT_THROW(fixture.system.operation({.directions = std::vector<Direction>(4)}), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
