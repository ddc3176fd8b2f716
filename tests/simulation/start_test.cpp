#include "cotangent/simulation/start/start.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

// A model in which each test breaks one thing. Line numbers of the tests refer to this text.
constexpr const char* kModel = R"toml([definitions]
wall = "x^2"
"spring(a)" = "a^2"
[system]
coordinates = ["x", "y", "u[9]"]
states = ["z"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y + sum(i in 1..9, p_u[i]^2/2 + u[i])"
dissipation = "v_x^2"
[constraints]
rod = "x^2 + y^2 = 1"
link = { each = "i in 2..9", equation = "u[i] - u[i-1] = 1" }
[forces]
y = "-v_y"
u = "-v_u[i]"
[equations]
z = "x - z"
[observables]
angle = "atan2(x, -y)"
[invariants]
height = "x^2"
[initial]
x = 1
y = 0
u = "i - 4"
z = 0
p_x = 0
p_y = -1
p_u = 0
)toml";

std::string broken(const std::string& from, const std::string& to) {
  std::string text = kModel;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Outcome {
  std::optional<ModelError> error;
  std::vector<std::string> notes;
};

Outcome start(const std::string& text, InitialPolicy policy = InitialPolicy::project) {
  const Model model = read_model_text(text, "model.toml");
  Outcome outcome;
  try {
    System<double> system(regular_elements(model, outcome.notes), Backend::interpreter);
    Manifold<double> manifold(system);
    static_cast<void>(make_start(model, manifold, policy, outcome.notes));
  } catch (const ModelError& error) {
    outcome.error = error;
  }
  return outcome;
}

struct Undefined {
  const char* from;     // is replaced ...
  const char* to;       // ... by this
  std::size_t line;     // where the error is,
  std::size_t column;   // counted from 1,
  std::size_t length;   // and how much is underlined
  const char* message;  // the whole of it
};

void expect_refused(const std::vector<Undefined>& all, InitialPolicy policy = InitialPolicy::project) {
  for (const auto& each : all) {
    const Outcome outcome = start(broken(each.from, each.to), policy);
    ASSERT_TRUE(outcome.error) << "accepted: " << each.to;
    EXPECT_EQ(outcome.error->file(), "model.toml");
    EXPECT_EQ(outcome.error->line(), each.line) << outcome.error->what();
    EXPECT_EQ(outcome.error->column(), each.column) << outcome.error->what();
    EXPECT_EQ(outcome.error->length(), each.length) << outcome.error->what();
    EXPECT_EQ(outcome.error->message(), each.message) << outcome.error->what();
  }
}

TEST(Start, TakesWhatIsFinite) {
  const Outcome outcome = start(kModel);
  EXPECT_FALSE(outcome.error) << outcome.error->what();
  EXPECT_TRUE(outcome.notes.empty());
}

TEST(Start, PointsAtTheOperationThatIsNotDefined) {
  for (const auto policy : {InitialPolicy::project, InitialPolicy::as_given})
    expect_refused(
        {
            {"/2 + y", "/2 + log(y - 1)", 7, 36, 10, "the Hamiltonian is nan at the initial data: logarithm of -1"},
            {"/2 + y", "/2 + 3/(2*y)", 7, 36, 7, "the Hamiltonian is inf at the initial data: division by 0"},
            {"/2 + y", "/2 + (y - 1)^0.5", 7, 36, 11,
             "the Hamiltonian is nan at the initial data: -1 to the power 0.5"},
            {"/2 + y", "/2 + exp(1000*x)", 7, 36, 11, "the Hamiltonian is inf at the initial data: exp(1000)"},
            {"/2 + y", "/2 + sqrt(y)", 7, 36, 7,
             "the derivative of the Hamiltonian by y is inf at the initial data: square root of 0, whose derivative is "
             "inf"},
            {"+ u[i])", "+ sqrt(u[i] + 2))", 7, 68, 14,
             "the Hamiltonian is nan at the initial data: square root of -1, at i = 1"},
            {"\"x^2 + y^2 = 1\"", "\"x^2 + y^2 = acos(2*x)\"", 10, 20, 9,
             "the constraint 'rod' is nan at the initial data: acos(2)"},
            {"u[i] - u[i-1] = 1\"", "u[i] - u[i-1] = 1 + 1/(u[i] - 2)\"", 11, 62, 12,
             "the constraint 'link[6]' is inf at the initial data: division by 0"},
            {"\"v_x^2\"", "\"log(y)*v_x^2\"", 8, 16, 6,
             "the derivative of the dissipation by v_x is nan at the initial data: logarithm of 0"},
            {"\"-v_y\"", "\"-sqrt(v_y)\"", 13, 7, 9, "the force on 'y' is nan at the initial data: square root of -1"},
            {"\"-v_u[i]\"", "\"sqrt(7.5 - i)\"", 14, 6, 13,
             "the force on 'u[8]' is nan at the initial data: square root of -0.5"},
            {"\"-v_u[i]\"", "\"log(lambda_rod - 9)\"", 14, 6, 19,
             "the force on 'u[1]' is nan at the initial data: logarithm of -8"},
            {"\"x - z\"", "\"asin(2*x) - z\"", 16, 6, 9, "the rate of 'z' is nan at the initial data: asin(2)"},
            {"height = \"x^2\"", "height = \"log(y)\"", 20, 11, 6,
             "the invariant 'height' is -inf at the initial data: logarithm of 0"},
            {"y = 0", "y = \"log(x - 1)\"", 23, 6, 10,
             "the initial value of 'y' is not a finite number: logarithm of 0"},
            {"\"i - 4\"", "\"1/(i - x)\"", 24, 6, 9,
             "the initial value of 'u[1]' is not a finite number: division by 0"},
        },
        policy);
}

TEST(Start, PointsIntoTheDefinitionThatIsNotDefined) {
  std::string text = broken("wall = \"x^2\"", "wall = \"log(y)\"");
  text.replace(text.find("/2 + y"), 6, "/2 + wall");
  const Outcome outcome = start(text);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->line(), 2U);
  EXPECT_EQ(outcome.error->column(), 9U);
  EXPECT_EQ(outcome.error->suggestion(), "it is used at model.toml:7:16");

  text = broken("= \"a^2\"", "= \"1/a\"");
  text.replace(text.find("/2 + y"), 6, "/2 + spring(x - 1)");
  const Outcome expanded = start(text);
  ASSERT_TRUE(expanded.error);
  EXPECT_EQ(expanded.error->line(), 3U);
  EXPECT_EQ(expanded.error->column(), 16U);
}

// The same expression stands in the observables first.
TEST(Start, PointsAtTheUseThatWasEvaluated) {
  std::string text = broken("\"-v_y\"", "\"1/y\"");
  text.replace(text.find("atan2(x, -y)"), 12, "1/y");
  const Outcome outcome = start(text);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->line(), 13U);
}

TEST(Start, BranchesThatAreNotChosenMayBeUndefined) {
  EXPECT_FALSE(start(broken("/2 + y", "/2 + if(x > 0, y, log(-x))")).error);
  expect_refused({{"/2 + y", "/2 + if(x > 0, log(y), 1/y)", 7, 46, 6,
                   "the Hamiltonian is -inf at the initial data: logarithm of 0"}});
}

TEST(Start, NotesAnObservableThatIsNotFinite) {
  const Outcome outcome = start(broken("atan2(x, -y)", "1/y"));
  EXPECT_FALSE(outcome.error);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_EQ(outcome.notes[0], "model.toml:18:10: the observable 'angle' is inf at the initial data: division by 0");
}

TEST(Start, NotesEveryObservableThatIsNotFinite) {
  const Outcome outcome = start(broken("angle = \"atan2(x, -y)\"",
                                       "angle = \"1/y\"\nfine = \"x\"\ndepth = \"log(y - 1)\"\n"
                                       "root = { each = \"i in 1..9\", value = \"sqrt(u[i])\" }"));
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.notes,
            (std::vector<std::string>{
                "model.toml:18:10: the observable 'angle' is inf at the initial data: division by 0",
                "model.toml:20:10: the observable 'depth' is nan at the initial data: logarithm of -1",
                "model.toml:21:39: the observable 'root[1]' is nan at the initial data: square root of -3 (and 2 more "
                "of 'root')"}));
}

TEST(Start, PointsAtTheConstraintThatCannotBeMet) {
  const auto error = [](const char* from, const char* to) { return start(broken(from, to)).error.value(); };
  const ModelError contradiction = error("x^2 + y^2 = 1", "x^2 + y^2 = -1");
  EXPECT_EQ(contradiction.line(), 10U);
  EXPECT_EQ(contradiction.column(), 8U);
  EXPECT_NE(contradiction.message().find("contradict"), std::string::npos);
  EXPECT_NE(contradiction.message().find("'rod'"), std::string::npos);

  const ModelError member = error("u[i] - u[i-1] = 1", "(u[i] + 9)^2 = if(i == 7, -1, (i + 5)^2)");
  EXPECT_EQ(member.line(), 11U);
  EXPECT_EQ(member.column(), 42U);
  EXPECT_NE(member.message().find("'link[7]'"), std::string::npos);
}

// Whether it holds there or not.
TEST(Start, PointsAtTheConstraintWithoutAGradient) {
  for (const char* equation : {"(x - 1)^2 = 1", "(x - 1)^2 + y^2 = 0"})
    for (const auto policy : {InitialPolicy::project, InitialPolicy::as_given}) {
      const Outcome outcome = start(broken("x^2 + y^2 = 1", equation), policy);
      ASSERT_TRUE(outcome.error) << equation;
      EXPECT_EQ(outcome.error->line(), 10U);
      EXPECT_EQ(outcome.error->column(), 8U);
      EXPECT_EQ(outcome.error->length(), std::string(equation).size());
      EXPECT_EQ(outcome.error->message(),
                "the gradient of the constraint 'rod' vanishes at the initial data, so that no force can keep it");
    }
}

TEST(Start, NamesAllConstraintsThatContradictEachOther) {
  const auto error = [](const std::string& constraints) {
    return start(broken("rod = \"x^2 + y^2 = 1\"", constraints)).error.value();
  };
  const ModelError two = error("a = \"x + y = 1\"\nb = \"2*x + 2*y = 3\"");
  EXPECT_EQ(two.line(), 11U);
  EXPECT_EQ(two.column(), 6U);
  EXPECT_EQ(two.message(),
            "the constraints 'a', 'b' contradict each other: near the initial data their gradients are dependent and "
            "their values are not");
  EXPECT_EQ(two.suggestion(), "'a' is at model.toml:10:6");

  const ModelError three = error("a = \"x + y = 1\"\nb = \"x - y = 1\"\nc = \"x = 2\"");
  EXPECT_NE(three.message().find("'a', 'b', 'c' contradict"), std::string::npos) << three.what();
  EXPECT_EQ(three.suggestion(), "'a' is at model.toml:10:6, 'b' is at model.toml:11:6");

  const ModelError member = error("last = \"u[9] - u[1] = 9\"");
  EXPECT_NE(member.message().find("'last', 'link[2]', 'link[3]'"), std::string::npos) << member.what();

  const ModelError circles = error("a = \"x^2 + y^2 = 1\"\nb = \"sqrt(x^2 + y^2) = 2\"");
  EXPECT_NE(circles.message().find("'a', 'b' contradict"), std::string::npos) << circles.what();

  // Dependent at the initial data only: the circle is out of reach, but nothing is wrong with the line.
  const ModelError apart = error("a = \"x = 4\"\nb = \"x^2 + y^2 = 1\"");
  EXPECT_EQ(apart.message().find("contradict each other"), std::string::npos) << apart.what();
}

// A force of lambda beside the -lambda of the constraint itself.
TEST(Start, PointsAtTheForceThatTakesBackItsMultiplier) {
  const auto outcome = [](const std::string& force) {
    std::string text = broken("rod = \"x^2 + y^2 = 1\"", "rod = \"y = 0\"");
    text.replace(text.find("y = \"-v_y\""), 10, "y = \"" + force + "\"");
    return start(text.replace(text.find("p_y = -1"), 8, "p_y = 0 "));
  };
  const Outcome lost = outcome("lambda_rod - v_x");
  ASSERT_TRUE(lost.error);
  EXPECT_EQ(lost.error->line(), 13U);
  EXPECT_EQ(lost.error->column(), 5U);
  EXPECT_EQ(lost.error->message(),
            "the multipliers cannot be determined at the initial data: the force on 'y' takes back what the multiplier "
            "of 'rod' does, whatever its value");
  EXPECT_FALSE(outcome("lambda_rod/2").error);
  EXPECT_FALSE(outcome("-lambda_rod").error);
}

TEST(Start, PointsAtTheVelocityThatNoMomentumHas) {
  std::string text = broken("p_y^2)/2", "0)/2 + p_y");
  text.replace(text.find("rod = \"x^2 + y^2 = 1\""), 21, "rod = \"x = 1\"");
  text.replace(text.find("p_y = -1"), 8, "v_y = -1");
  const Outcome outcome = start(text);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->line(), 27U);
  EXPECT_EQ(outcome.error->column(), 7U);
  EXPECT_NE(outcome.error->message().find("no momenta were found"), std::string::npos);
}

TEST(Start, PointsAtALagrangianThatIsSingularOrNotDefined) {
  const auto lagrangian = [](const std::string& L) {
    return start("[system]\ncoordinates = [\"x\", \"y\"]\nlagrangian = \"" + L +
                 "\"\n[initial]\nx = 0\ny = 0\nv_x = 0\nv_y = 1\n");
  };
  const Outcome singular = lagrangian("v_x^2/2 - y");
  ASSERT_TRUE(singular.error);
  EXPECT_EQ(singular.error->line(), 3U);
  EXPECT_EQ(singular.error->column(), 15U);
  EXPECT_NE(singular.error->message().find("'v_y'"), std::string::npos);

  const Outcome undefined = lagrangian("(1 + x^2)*v_x^2 + v_y^2*log(x)");
  ASSERT_TRUE(undefined.error);
  EXPECT_EQ(undefined.error->column(), 39U);
  EXPECT_EQ(undefined.error->message(), "the Lagrangian is not defined at the initial data: logarithm of 0");
}

// Friction at rest: the root has a kink there, as abs has, and no slope counts as zero.
TEST(Start, TakesTheNormOfAVelocityAtRest) {
  std::string text = broken("\"v_x^2\"", "\"norm([v_x, v_y]) + sqrt(v_x^2 + v_y^2)\"");
  text.replace(text.find("p_y = -1"), 8, "p_y = 0 ");
  const Outcome outcome = start(text);
  EXPECT_FALSE(outcome.error) << outcome.error->what();
}

// What nobody wrote has no place; the model is named.
TEST(Start, NamesAModelWithoutText) {
  Model model = read_model_text(broken("/2 + y", "/2 + log(y)"), "model.toml");
  model.energy_where = {};
  model.places = {};
  System<double> system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
  Manifold<double> manifold(system);
  std::vector<std::string> notes;
  try {
    static_cast<void>(make_start(model, manifold, InitialPolicy::project, notes));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "model: error: the Hamiltonian is -inf at the initial data: logarithm of 0");
  }
}

}  // namespace
}  // namespace cotangent
