#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

// Line 11 is [minimal].
std::string pendulum(const std::string& x, const std::string& y, const std::string& initial) {
  return "[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"(p_x^2 + p_y^2)/2 + y\"\n[constraints]\n"
         "rod = \"x^2 + y^2 = 1\"\n[initial]\n" +
         initial + "\n[minimal]\ncoordinates = [\"a\"]\nx = \"" + x + "\"\ny = \"" + y + "\"\n";
}

/// The message, with its place checked; nothing where the start is good.
std::string refused(const std::string& text, std::size_t line = 11) {
  const Model model = read_model_text(text, "model.toml");
  std::vector<std::string> notes;
  const auto elements = regular_elements(model, notes);
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const auto start = make_start(model, manifold, InitialPolicy::project, notes);
  try {
    expect_minimal_start(model, manifold, start.z);
    return {};
  } catch (const ModelError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    return error.message();
  }
}

constexpr const char* kLower = "x = 0.6\ny = -0.8\np_x = 0.4\np_y = 0.3";

TEST(MinimalStart, IsFoundOnTheRightBranch) {
  EXPECT_EQ(refused(pendulum("sin(a)", "-cos(a)", kLower)), "");
  EXPECT_EQ(refused(pendulum("a", "-sqrt(1 - a^2)", kLower)), "");
}

TEST(MinimalStart, IsRefusedOnTheWrongOne) {
  EXPECT_NE(
      refused(pendulum("a", "sqrt(1 - a^2)", kLower)).find("does not reach the initial position x = 0.6, y = -0.8"),
      std::string::npos);
}

// Of two constraints one follows from the other: there are two degrees of freedom, of which [minimal] has one.
TEST(MinimalStart, IsRefusedWhereVelocitiesAreMissing) {
  const std::string text = R"toml([system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2"
[constraints]
flat = "z = 0"
flatter = "z + z^3 = 0"
[initial]
x = 0
v_x = 1
rest = 0
[minimal]
coordinates = ["a"]
x = "a"
y = 0
z = 0
)toml";
  const auto moving = [&](const std::string& v_y) {
    const std::string rest = "rest = 0";
    return std::string(text).replace(text.find(rest), rest.size(), "y = 0\nz = 0\nv_y = " + v_y + "\nv_z = 0");
  };
  EXPECT_EQ(refused(moving("0")), "");
  EXPECT_NE(refused(moving("1"), 14).find("velocities"), std::string::npos);
}

}  // namespace
}  // namespace cotangent
