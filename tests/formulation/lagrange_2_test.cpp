#include <gtest/gtest.h>
#include <quadmath.h>

#include "cotangent/formulation/chart/minimal_coordinates.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<Quad>;

constexpr const char* kPendulum = R"toml(
[parameters]
m = 1.3
l = 0.9
g = 1.1
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2*m) + m*g*y"
[constraints]
rod = "x^2 + y^2 = l^2"
[minimal]
coordinates = ["a"]
x = "l*sin(a)"
y = "-l*cos(a)"
[initial]
x = 0.54
y = -0.72
p_x = 0.4
p_y = 0.3
)toml";

template <class T = Quad>
test::Instance<T> instance_of(std::string text, const std::string& from = "", const std::string& to = "") {
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return test::Instance<T>(read_model_text(text, "test.toml"));
}

template <class T>
std::unique_ptr<Formulation<T>> made_for(Manifold<T>& manifold) {
  return find_formulation<T>("lagrange-2").make(manifold);
}

struct Motion {
  Vector u, u_dot;
};
Motion field(Formulation<Quad>& formulation, const Vector& s, const Vector& u) {
  Motion result{u, u};
  EXPECT_TRUE(formulation.field({s.data(), u.data(), nullptr, 0}, result.u.data(), result.u_dot.data(), nullptr));
  return result;
}

// a'' = -(g / l) sin a
TEST(Lagrange2, IsThePendulumOfTheTextbook) {
  auto instance = instance_of(kPendulum);
  const auto pendulum = made_for(instance.manifold);
  const Quad l = static_cast<Quad>(9) / 10, g = static_cast<Quad>(11) / 10;
  for (int k = 0; k < 12; ++k) {
    const Quad a = k * static_cast<Quad>(0.5), u = static_cast<Quad>(1.3) - k * static_cast<Quad>(0.25);
    const Motion motion = field(*pendulum, {a}, {u});
    EXPECT_EQ(motion.u[0], u);
    EXPECT_LE(static_cast<double>(abs(motion.u_dot[0] + g / l * sinq(a))), 1e-31);
  }
}

// (m1 + m2) l1 a1'' + m2 l2 a2'' cos d + m2 l2 a2'^2 sin d + (m1 + m2) g sin a1 = 0
// l2 a2'' + l1 a1'' cos d - l1 a1'^2 sin d + g sin a2 = 0,   d = a1 - a2
TEST(Lagrange2, IsTheDoublePendulumOfTheTextbook) {
  test::Instance<Quad> instance(test::problem("double_pendulum"));
  const auto pendulum = made_for(instance.manifold);
  const Quad m1 = 2, m2 = static_cast<Quad>(0.5), l1 = 1, l2 = static_cast<Quad>(7) / 10,
             g = static_cast<Quad>(12) / 10;
  test::Noise noise(1);
  for (int k = 0; k < 12; ++k) {
    const Quad a1 = 3 * noise(), a2 = 3 * noise(), u1 = 2 * noise(), u2 = 2 * noise();
    const Quad c = cosq(a1 - a2), s = sinq(a1 - a2);
    const auto expected =
        test::solve({{(m1 + m2) * l1, m2 * l2 * c}, {l1 * c, l2}},
                    {-m2 * l2 * u2 * u2 * s - (m1 + m2) * g * sinq(a1), l1 * u1 * u1 * s - g * sinq(a2)});
    EXPECT_LE(static_cast<double>(test::distance(field(*pendulum, {a1, a2}, {u1, u2}).u_dot, expected)), 1e-29);
  }
}

// Chains fold in many ways: the angles are found without a guess, and from one.
TEST(Lagrange2, FindsMinimalCoordinatesOfAnyPoint) {
  for (const char* name : {"coupled_momenta", "uneven_chain"}) {
    test::Instance<Quad> instance(test::problem(name));
    const auto chain = made_for(instance.manifold);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto z = test::consistent_point(test::problem(name), seed);
      OwnVariables<Quad> own;
      ASSERT_TRUE(chain->enter(z, own)) << name << " " << seed;
      auto back = z;
      ASSERT_TRUE(chain->leave(own, back));
      EXPECT_LE(static_cast<double>(test::distance(z, back)), 1e-30);
    }
  }
}

TEST(Lagrange2, StaysOnItsBranchWhenThereIsAGuessFromBefore) {
  auto instance = instance_of(kPendulum);
  const auto pendulum = made_for(instance.manifold);
  auto z = test::given_point(instance.model);
  ASSERT_TRUE(instance.manifold.project_momentum(z).converged);
  OwnVariables<Quad> own;
  own.q = {static_cast<Quad>(0.6) + 4 * M_PIq};
  ASSERT_TRUE(pendulum->enter(z, own));
  EXPECT_NEAR(static_cast<double>(own.q[0] - 4 * M_PIq), std::atan2(0.54, 0.72), 1e-15);
}

TEST(Lagrange2, FailsWherePhiDoesNotReach) {
  // The upper half of the circle is out of its range.
  auto instance = instance_of(kPendulum, "y = \"-l*cos(a)\"", "y = \"-l*sqrt(cos(a)^2)\"");
  const auto pendulum = made_for(instance.manifold);
  auto z = test::given_point(instance.model);
  OwnVariables<Quad> own;
  EXPECT_TRUE(pendulum->enter(z, own));
  z.q[1] = -z.q[1];
  EXPECT_FALSE(pendulum->enter(z, own));
}

// phi(s) of an enormous s is not known well enough to tell whether it is q: the search begins elsewhere.
TEST(Lagrange2, IsNotLedAstrayByAGuess) {
  for (const char* guess : {"1e8", "1e12", "1e30", "-1e300"}) {
    auto instance = instance_of<double>(kPendulum, "y = \"-l*cos(a)\"",
                                        "y = \"-l*cos(a)\"\nguess = { a = " + std::string(guess) + " }");
    const auto pendulum = made_for(instance.manifold);
    PhasePoint<double> z(2, 0), back(2, 0);
    z.q = {0.54, -0.72};
    z.p = {0.4, 0.3};
    OwnVariables<double> own;
    ASSERT_TRUE(pendulum->enter(z, own)) << guess;
    ASSERT_TRUE(pendulum->leave(own, back)) << guess;
    EXPECT_NEAR(back.q[0], 0.54, 1e-10) << guess;
    EXPECT_NEAR(back.q[1], -0.72, 1e-10) << guess;
  }
}

// The terms of phi may be much larger than q: rounding then leaves more than that of q.
TEST(Lagrange2, FindsWhatItCanWhereTermsCancel) {
  auto instance = instance_of<double>(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[minimal]
coordinates = ["a", "b"]
x = "a - b"
y = "a + b - 2e6"
[initial]
x = 1e-3
y = 2e-3
p_x = 1
p_y = 0
)toml");
  const auto particle = made_for(instance.manifold);
  PhasePoint<double> z(2, 0);
  z.q = {1e-3, 2e-3};
  z.p = {1, 0};
  OwnVariables<double> own;
  ASSERT_TRUE(particle->enter(z, own));
  EXPECT_NEAR(own.q[0], 1e6, 1e-2);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  auto instance = instance_of<double>(kPendulum, from, to);
  try {
    const auto made = made_for(instance.manifold);
    ADD_FAILURE() << "accepted: " << to;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    // What is there and wrong is to blame, not what is missing.
    EXPECT_EQ(dynamic_cast<const MinimalError*>(&error) != nullptr, message.find("add [minimal]") == message.npos);
  }
}

TEST(Lagrange2, RefusesWhatItCannotTake) {
  const std::string minimal = "[minimal]\ncoordinates = [\"a\"]\nx = \"l*sin(a)\"\ny = \"-l*cos(a)\"\n";
  expect_refused(minimal, "", "add [minimal] to the model");
  expect_refused("\"-l*cos(a)\"", "\"-cos(a)\"", "violates the constraint 'rod'");
  expect_refused(minimal, "[minimal]\ncoordinates = [\"a\", \"b\"]\nx = \"l*sin(a+b)\"\ny = \"-l*cos(a+b)\"\n",
                 "not independent");
  expect_refused("rod = \"x^2 + y^2 = l^2\"", "", "1 minimal coordinates are too few");
}

}  // namespace
}  // namespace cotangent
