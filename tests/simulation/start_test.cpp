#include "cotangent/simulation/start.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

// What is said about a start at (x, y), or nothing.
std::string refusal(const std::string& hamiltonian, const std::string& constraint, double x,
                    InitialPolicy policy = InitialPolicy::project) {
  const Model model = read_model_text(fmt::format(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + {}"
[constraints]
curve = "{}"
[initial]
x = {}
y = 1
p_x = 0
p_y = 0
)toml",
                                                  hamiltonian, constraint, x),
                                      "test.toml");
  System<double> system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
  Manifold<double> manifold(system);
  try {
    static_cast<void>(make_start(model, manifold, policy));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(Start, TakesWhatIsFinite) { EXPECT_EQ(refusal("log(x)", "y = sqrt(x)", 1), ""); }

TEST(Start, NamesTheFunctionThatIsNotDefined) {
  for (const auto policy : {InitialPolicy::project, InitialPolicy::as_given}) {
    EXPECT_NE(refusal("log(x)", "y = 1", -1, policy).find("the Hamiltonian is nan"), std::string::npos);
    EXPECT_NE(refusal("1/x", "y = 1", 0, policy).find("the Hamiltonian is inf"), std::string::npos);
    EXPECT_NE(refusal("y", "y = log(x)", -1, policy).find("the constraint 'curve' is nan"), std::string::npos);
    EXPECT_NE(refusal("x^0.5", "y = 1", 0, policy).find("the derivative of H by x is inf"), std::string::npos);
  }
}

TEST(Start, LeavesOtherRefusalsAsTheyAre) {
  EXPECT_NE(refusal("y", "x^2 + y^2 = -1", 1).find("contradict"), std::string::npos);
}

}  // namespace
}  // namespace cotangent
