#include "cotangent/model/building/model_builder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

// The same formulas in numbers and in terms: parentheses are right if the values are.
template <class T>
std::vector<T> formulas(const T& a, const T& b, const T& c) {
  const auto square = [](const T& x) { return x * x; };
  return {a - (b - c),       (a - b) - c,   a - (b + c),     a / (b / c),   (a / b) / c, a / (b * c),
          (a + b) * (a - c), -(a - b) * -c, a - -b,          -a - b,        -(a * b),    square(a + b) / -(-c),
          a * (b * c),       (a * b) * c,   a + (b - c) / 2, 2 - (a - 0.1), -2 * a,      a - (-3),
          (a + b) + (c + a)};
}

static_assert(std::is_constructible_v<Term, int> && std::is_constructible_v<Term, std::uint8_t>);
static_assert(!std::is_constructible_v<Term, bool> && !std::is_constructible_v<Term, char>);

TEST(Terms, MeanWhatTheOperatorsMean) {
  const auto terms = formulas(Term::named("a"), Term::named("b"), Term::named("c"));
  const auto values = formulas<double>(0.75, 3, -0.625);
  std::string text = "[parameters]\na = 0.75\nb = 3\nc = -0.625\n";
  for (std::size_t k = 0; k < terms.size(); ++k) text += "f" + std::to_string(k) + " = \"" + terms[k].text() + "\"\n";
  text += "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2\"\n[initial]\nx = 0\np_x = 0\n";
  const Model model = read_model_text(text, "formulas.toml");
  for (std::size_t k = 0; k < values.size(); ++k)
    EXPECT_NEAR(static_cast<double>(model.parameters[k + 3].value), values[k], 1e-15) << terms[k].text();
}

TEST(Terms, AreWrittenAsOneWouldWriteThem) {
  const Term x = Term::named("x"), r = Term::named("r");
  const Index i("i", 2, Term::named("N"));
  EXPECT_EQ(((pow(x, 2) + 1) / (2 * x)).text(), "(x^2 + 1)/(2*x)");
  EXPECT_EQ(pow(-x, pow(x, 2)).text(), "(-x)^(x^2)");
  EXPECT_EQ(sum(i, norm2(r(i) - r(i - 1))).text(), "sum(i in 2..N, norm2(r[i] - r[i - 1]))");
  EXPECT_EQ(choose(x < 0, -x, x).text(), "if(x < 0, -x, x)");
  EXPECT_EQ(vector_of({1, x, 0.1}).text(), "[1, x, 0.1]");
  EXPECT_EQ((atan2(x, -x) - 1e-20).text(), "atan2(x, -x) - 1e-20");
  EXPECT_THROW(Term(1.0 / 0.0), std::invalid_argument);
}

TEST(ModelBuilder, WritesAModelFile) {
  ModelBuilder b("A \"chain\"");
  const Term N = b.parameter("N", 4);
  const Term m = b.table("m", {1, 2, 3, 4.5});
  const CoordinateTerm x = b.coordinate("x", {N}), y = b.coordinate("y", {N});
  const Term z = b.state("z");
  const Index i("i", 1, N), next("i", 2, N);
  b.hamiltonian(sum(i, (pow(x.p(i), 2) + pow(y.p(i), 2)) / (2 * m(i)) + y(i)));
  b.dissipation(sum(i, pow(x.v(i), 2)) / 100);
  const Term tension = b.constraint("rod", pow(x(next) - x(next - 1), 2) + pow(y(next) - y(next - 1), 2) == 1, {next});
  b.constraint("anchor", pow(x(1), 2) + pow(y(1), 2) == 1);
  b.observable("pull", 2 * tension(next), {next});
  b.invariant("share", z);
  b.force(x, z, {Index("i", 1, 1)});
  b.rate(z, b.t() - z);
  b.initial(x, i, {Index("i", 1, 2)});
  b.initial(x, i, {Index("i", 3, N)});
  b.initial(y, 0), b.initial(x.p, 0), b.initial(y.p(2), 1), b.initial(y.p, 0), b.initial(z, 1);
  const Model model = read_model_text(b.text(), "chain.toml");
  EXPECT_EQ(model.title, "A \"chain\"");
  EXPECT_EQ(model.dimension(), 8);
  ASSERT_EQ(model.constraints.size(), 2U);
  EXPECT_EQ(model.constraints[0].loops.size(), 1U);
  EXPECT_EQ(model.states.size(), 1U);
  EXPECT_EQ(model.observables[0].name, "pull");
}

TEST(ModelBuilder, StatesMinimalCoordinates) {
  ModelBuilder b;
  const CoordinateTerm x = b.coordinate("x"), y = b.coordinate("y");
  b.lagrangian((pow(x.v, 2) + pow(y.v, 2)) / 2 - y);
  b.constraint("rod", pow(x, 2) + pow(y, 2) == 1);
  const Term a = b.minimal("a");
  b.phi(x, sin(a)), b.phi(y, -cos(a)), b.guess(a, atan2(x, -y));
  b.initial(x, 1), b.initial(y, 0), b.initial(x.v, 0), b.initial(y.v, 0);
  const Model model = read_model_text(b.text(), "pendulum.toml");
  ASSERT_TRUE(model.minimal);
  EXPECT_EQ(model.minimal->phi.size(), 2U);
  EXPECT_EQ(model.minimal->guess.size(), 1U);
}

TEST(ModelBuilder, StatesEquations) {
  ModelBuilder b;
  const Term N = b.parameter("N", 5), u = b.state("u", {N}), c = b.state("c"), v = Term::named("v_u");
  const Index i("i", 2, N);
  b.second_rate(u(1), -u(1));
  b.second_rate(u, u(i - 1) - 2 * u(i), {i});
  b.rate(c, -c * v(1));
  b.invariant("first", pow(u(1), 2) + pow(v(1), 2));
  b.initial(u, 1), b.initial(v, 0), b.initial(c, 1);
  const Model model = read_model_text(b.text(), "equations.toml");
  EXPECT_EQ(model.dynamics, Dynamics::equations);
  ASSERT_EQ(model.states.size(), 3U);
  EXPECT_EQ(model.states[2].name, "v_u");
  EXPECT_EQ(model.invariants.size(), 1U);
}

TEST(ModelBuilder, LeavesMistakesToTheReader) {
  ModelBuilder b;
  b.coordinate("x");
  b.hamiltonian(Term::named("p_y"));
  EXPECT_THROW(read_model_text(b.text(), "wrong.toml"), ModelError);
}

}  // namespace
}  // namespace cotangent
