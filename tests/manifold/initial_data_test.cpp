#include "cotangent/manifold/initial_data.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

template <class T = double>
struct Problem {
  explicit Problem(const std::string& text)
      : model(read_model_text(text, "test.toml")),
        elements(std::make_shared<const Elements>(extract_elements(model))),
        system(elements, Backend::interpreter),
        manifold(system) {}

  InitialData<T> data(InitialPolicy policy = InitialPolicy::project) {
    return make_initial_data(model, manifold, policy);
  }

  /// H_p(q, p).
  std::vector<T> velocity(const PhasePoint<T>& z) {
    std::vector<T> v(z.q.size());
    system.at(z.q, z.p).H_p(v);
    return v;
  }

  Model model;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
};

template <class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// A free particle with this Hamiltonian and these initial values.
std::string particle(const std::string& hamiltonian, const std::string& initial) {
  return "[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"" + hamiltonian + "\"\n[initial]\n" + initial;
}

std::string pendulum(const std::string& initial) {
  return "[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"(p_x^2 + p_y^2)/2 + y\"\n"
         "[constraints]\nrod = \"x^2 + y^2 = 1\"\n[initial]\n" +
         initial;
}

TEST(InitialData, StoresArraysWithTheFirstIndexFastest) {
  Problem problem(R"toml(
[parameters]
N = 3
[system]
coordinates = ["s", "r[N,2]"]
hamiltonian = "p_s^2/2 + sum(i in 1..N, (p_r[i,1]^2 + p_r[i,2]^2)/2)"
[initial]
s = 7
r = "10*i + j"
p_s = 0
p_r = { each = "i in 1..N, j in 1..2", value = "i - j" }
)toml");
  const auto data = problem.data();
  EXPECT_EQ(data.z.q, (std::vector<double>{7, 11, 21, 31, 12, 22, 32}));
  EXPECT_EQ(data.z.p, (std::vector<double>{0, 0, 1, 2, -1, 0, 1}));
  EXPECT_EQ(entry_name(problem.model, 0), "s");
  EXPECT_EQ(entry_name(problem.model, 6), "r[3,2]");
}

TEST(InitialData, EvaluatesSumsOverTheIndex) {
  Problem problem(R"toml(
[system]
coordinates = ["x[4]"]
hamiltonian = "sum(i in 1..4, p_x[i]^2/2)"
[initial]
x = "sum(j in 1..i, j)"
p_x = 0
)toml");
  EXPECT_EQ(problem.data().z.q, (std::vector<double>{1, 3, 6, 10}));
}

TEST(InitialData, HasTheDigitsOfItsPrecision) {
  Problem<Quad> problem(particle("(p_x^2 + p_y^2)/2", "x = 0.1\ny = \"1/3\"\np_x = 0\np_y = 0\n"));
  const auto z = problem.data().z;
  EXPECT_TRUE(z.q[0] == static_cast<Quad>(1) / 10);
  EXPECT_TRUE(z.q[1] == static_cast<Quad>(1) / 3);
}

TEST(InitialData, FindsTheMomentaOfVelocities) {
  // A constant diagonal mass; a field linear in p; an indefinite mass matrix; a mass that depends on q; a
  // saturating velocity; a mixture of given momenta and velocities.
  const char* hamiltonians[] = {"p_x^2/6 + p_y^2", "((p_x - y)^2 + (p_y + x)^2)/2", "p_x*p_y + x*y",
                                "(p_x^2 + p_x*p_y + p_y^2)/(1 + x^2)", "sqrt(1 + p_x^2 + p_y^2)"};
  for (const char* hamiltonian : hamiltonians) {
    Problem problem(particle(hamiltonian, "x = 2\ny = -1\nv_x = 0.75\nv_y = -0.5\n"));
    const auto v = problem.velocity(problem.data().z);
    EXPECT_NEAR(v[0], 0.75, 4e-16) << hamiltonian;
    EXPECT_NEAR(v[1], -0.5, 4e-16) << hamiltonian;
  }
  Problem mixed(particle("(p_x^2 + p_x*p_y + p_y^2)/(1 + x^2)", "x = 2\ny = -1\np_x = 3\nv_y = -0.5\n"));
  const auto z = mixed.data().z;
  EXPECT_EQ(z.p[0], 3);
  EXPECT_NEAR(mixed.velocity(z)[1], -0.5, 4e-16);
}

TEST(InitialData, FindsTheMomentaOfManyVelocitiesThroughAFullMassMatrix) {
  // H_pp = 1 + N e e' / N: every momentum drives every coordinate.
  Problem problem(R"toml(
[parameters]
N = 200
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, (1 + i/N)*p_x[i]^2/2) + (sum(i in 1..N, p_x[i]))^2/2"
[initial]
x = 0
v_x = "sin(i)"
)toml");
  const auto v = problem.velocity(problem.data().z);
  for (int i = 1; i <= 200; ++i) EXPECT_NEAR(v[static_cast<std::size_t>(i - 1)], std::sin(i), 1e-14);
}

TEST(InitialData, RefusesVelocitiesThatNoMomentumHas) {
  Problem light(particle("sqrt(1 + p_x^2 + p_y^2)", "x = 0\ny = 0\nv_x = 1.5\nv_y = 0\n"));
  EXPECT_NE(message_of([&] { light.data(); }).find("v_x"), std::string::npos);
  Problem without(particle("p_x^2/2", "x = 0\ny = 0\nv_x = 1\nv_y = 1\n"));
  EXPECT_NE(message_of([&] { without.data(); }).find("v_y"), std::string::npos);
}

TEST(InitialData, KeepsConsistentDataBitForBit) {
  Problem problem(pendulum("x = 0.6\ny = 0.8\np_x = 0.8\np_y = -0.6\n"));
  const auto data = problem.data();
  EXPECT_EQ(data.z.q, (std::vector<double>{0.6, 0.8}));
  EXPECT_EQ(data.z.p, (std::vector<double>{0.8, -0.6}));
  EXPECT_EQ(data.position_change, 0);
  EXPECT_EQ(data.momentum_change, 0);
}

TEST(InitialData, ProjectsAndSaysHowFar) {
  Problem problem(pendulum("x = 1.2\ny = 0\np_x = 0.5\np_y = -2\n"));
  const auto data = problem.data();
  // The nearest point of the circle is (1, 0); the radial part of p goes.
  EXPECT_NEAR(data.z.q[0], 1, 2e-16);
  EXPECT_NEAR(data.z.p[0], 0, 2e-16);
  EXPECT_EQ(data.z.p[1], -2);
  EXPECT_NEAR(data.position_change, 0.2, 2e-16);
  EXPECT_NEAR(data.momentum_change, 0.5, 2e-16);
  const auto given = problem.data(InitialPolicy::as_given);
  EXPECT_EQ(given.z.q, (std::vector<double>{1.2, 0}));
  EXPECT_EQ(given.position_change, 0);
}

TEST(InitialData, RefusesDataThatContradictTheConstraints) {
  Problem problem(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
easy = "y = 0"
impossible = "x^2 + 1 = 0"
[initial]
x = 3
y = 0
p_x = 0
p_y = 0
)toml");
  const std::string message = message_of([&] { problem.data(); });
  EXPECT_NE(message.find("impossible"), std::string::npos) << message;
}

TEST(InitialData, GoesToTheManifoldOfRedundantConstraints) {
  Problem problem(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
rod = "x^2 + y^2 = 1"
again = "2*x^2 + 2*y^2 = 2"
[initial]
x = 1.5
y = 0
p_x = 0
p_y = 0
)toml");
  const auto data = problem.data();
  EXPECT_NEAR(static_cast<double>(data.z.q[0]), 1, 1e-15);
  EXPECT_EQ(static_cast<double>(data.z.q[1]), 0);
}

TEST(InitialData, RefusesWhatIsNotFinite) {
  Problem problem(R"toml(
[system]
coordinates = ["x[4]"]
hamiltonian = "sum(i in 1..4, p_x[i]^2/2)"
[initial]
x = "1/(i - 3)"
p_x = 0
)toml");
  const std::string message = message_of([&] { problem.data(); });
  EXPECT_NE(message.find("'x[3]'"), std::string::npos) << message;
}

TEST(InitialData, TakesAMillionEntries) {
  Problem problem(R"toml(
[parameters]
N = 250000
[system]
coordinates = ["r[N,2]"]
hamiltonian = "sum(i in 1..N, (p_r[i,1]^2 + p_r[i,2]^2)/2)"
[initial]
r = "cos(i) + j"
v_r = "sin(i)/j"
)toml");
  const auto data = problem.data();
  EXPECT_NEAR(data.z.p[250000 + 6], std::sin(7.0) / 2, 1e-15);
}

}  // namespace
}  // namespace cotangent
