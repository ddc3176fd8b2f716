#include "cotangent/monitor/discovery/symmetry.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/discovery/momentum_candidates.hpp"

namespace cotangent {
namespace {

using Texts = std::vector<std::string>;

// Of a model with these coordinates, written "r[5,3]"; what its motion is does not matter.
Texts candidates_of(const Texts& coordinates) {
  std::string initial;
  for (const auto& text : coordinates) {
    const std::string name = text.substr(0, text.find('['));
    initial += fmt::format("{0} = 1\np_{0} = 1\n", name);
  }
  const Model model =
      read_model_text(fmt::format("[system]\ncoordinates = [\"{}\"]\nhamiltonian = \"0\"\n[initial]\n{}",
                                  fmt::join(coordinates, "\", \""), initial),
                      "test.toml");
  Texts expressions;
  for (const auto& candidate : momentum_candidates(model)) expressions.push_back(candidate.expression);
  return expressions;
}

TEST(MomentumCandidates, AreSuggestedByNamesAndShapes) {
  EXPECT_EQ(candidates_of({"x", "y"}), (Texts{"p_x", "p_y", "x*p_y - y*p_x"}));
  EXPECT_EQ(candidates_of({"phi"}), (Texts{"p_phi"}));
  EXPECT_EQ(candidates_of({"b[2]", "s"}), (Texts{"p_b[1]", "p_b[2]", "b[1]*p_b[2] - b[2]*p_b[1]", "p_s"}));
  EXPECT_EQ(candidates_of({"x1", "y1", "x2", "y2"}),
            (Texts{"p_x1", "p_y1", "x1*p_y1 - y1*p_x1", "p_x2", "p_y2", "x2*p_y2 - y2*p_x2"}));
  EXPECT_EQ(candidates_of({"x[4]", "y[4]"}),
            (Texts{"sum(i in 1..4, p_x[i])", "sum(i in 1..4, p_y[i])", "sum(i in 1..4, x[i]*p_y[i] - y[i]*p_x[i])"}));
  const Texts space = candidates_of({"r[5,3]"});
  ASSERT_EQ(space.size(), 6u);
  EXPECT_EQ(space[2], "sum(i in 1..5, p_r[i,3])");
  EXPECT_EQ(space[3], "sum(i in 1..5, r[i,2]*p_r[i,3] - r[i,3]*p_r[i,2])");
  EXPECT_EQ(space[5], "sum(i in 1..5, r[i,1]*p_r[i,2] - r[i,2]*p_r[i,1])");
  // A matrix turns from both sides.
  EXPECT_EQ(candidates_of({"a[3,3]"}).size(), 9u);
}

/// What is found for a model.
Texts found(const std::string& text) {
  const Model model = read_model_text(text, "test.toml");
  System<Quad> system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
  Manifold<Quad> manifold(system);
  const auto start = make_initial_data(model, manifold);
  const Symmetries symmetries = find_symmetries(model, manifold, start.z);
  EXPECT_TRUE(symmetries.were_sought);
  Texts texts;
  for (const auto& momentum : symmetries.momenta)
    texts.push_back(momentum.name + ": " + momentum.expression + (momentum.is_local ? " near" : ""));
  return texts;
}

std::string planar(const std::string& hamiltonian, const std::string& constraint) {
  return fmt::format(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + {}"
[constraints]
c = "{}"
[initial]
x = 1
y = 0.5
p_x = 0.3
p_y = 1
)toml",
                     hamiltonian, constraint);
}

TEST(Symmetries, AreThoseOfHAndTheConstraints) {
  const std::string turn = "angular momentum: x*p_y - y*p_x";
  EXPECT_EQ(found(planar("0", "x^2 + y^2 = 1.25")), (Texts{turn}));
  EXPECT_EQ(found(planar("y", "x^2 + y^2 = 1.25")), Texts{});
  EXPECT_EQ(found(planar("y", "y = 0.5")), (Texts{"linear momentum along x: p_x"}));
  EXPECT_EQ(found(planar("1/sqrt(x^2 + y^2)", "x^2 + y^2 = 1.25")), (Texts{turn}));
  EXPECT_EQ(found(planar("0", "x^2 + 2*y^2 = 1.5")), Texts{});
}

std::string free_line(const std::string& coordinate, const std::string& potential) {
  return fmt::format(R"toml(
[system]
coordinates = ["{0}", "u"]
hamiltonian = "(p_{0}^2 + p_u^2)/2 + {1}"
[initial]
{0} = 1
u = 0.4
p_{0} = 0.3
p_u = 1
)toml",
                     coordinate, potential);
}

TEST(Symmetries, OfPiecesThatNoPointIsOnCount) {
  const std::string shift = "linear momentum along x: p_x";
  EXPECT_EQ(found(free_line("x", "u^2")), (Texts{shift}));
  // Walls far away, and one without a force.
  for (const char* wall : {"u^2 + max(x - 100, 0)^2", "u^2 + if(x > 100, (x - 100)^2, 0)", "u^2 + if(x > 100, 1, 0)",
                           "u^2 + if(x*u > 100, 1, 0)", "u^2 + (abs(x - 100) + x)*u"})
    EXPECT_EQ(found(free_line("x", wall)), (Texts{shift + " near"})) << wall;
  // What does not depend on x stays conserved.
  EXPECT_EQ(found(free_line("x", "max(u - 100, 0)^2 + if(u > 100, 1, 0)")), (Texts{shift, "momentum of u: p_u near"}));
}

TEST(Symmetries, OfBodiesThatTouchAreThoseOfBodies) {
  EXPECT_EQ(found(R"toml(
[system]
coordinates = ["x[3]"]
hamiltonian = "sum(i in 1..3, p_x[i]^2/2) + sum(i in 2..3, j in 1..i-1, max(0.1 - abs(x[i] - x[j]), 0)^2)"
[initial]
x = "i"
p_x = "i^2"
)toml"),
            (Texts{"linear momentum along x: sum(i in 1..3, p_x[i])"}));
}

TEST(Symmetries, HaveAnAxisOnlyIfTheirNamesSaySo) {
  EXPECT_EQ(found(free_line("dummy", "u^2")), (Texts{"momentum of dummy: p_dummy"}));
  EXPECT_EQ(found(free_line("phi", "u^2")), (Texts{"momentum of phi: p_phi"}));
  EXPECT_EQ(found(free_line("z2", "u^2")), (Texts{"linear momentum along z: p_z2"}));
}

TEST(Symmetries, AreCombinedOfPartsThatAreNotKeptAlone) {
  // A turn about (2, 0).
  const Texts shifted = found(planar("0", "(x - 2)^2 + y^2 = 1.25"));
  ASSERT_EQ(shifted.size(), 1u);
  EXPECT_EQ(shifted[0], "momentum: p_y - 0.5*(x*p_y - y*p_x)");
  // Two bodies and a spring.
  const Texts pair = found(R"toml(
[system]
coordinates = ["x1", "y1", "x2", "y2"]
hamiltonian = "(p_x1^2 + p_y1^2)/2 + (p_x2^2 + p_y2^2)/6 + (x1 - x2)^2 + (y1 - y2)^2"
[initial]
x1 = 1
y1 = 0
x2 = 0
y2 = 0
p_x1 = 1
p_y1 = 1
p_x2 = 0
p_y2 = 0
)toml");
  EXPECT_EQ(pair, (Texts{"linear momentum along x: p_x1 + p_x2", "linear momentum along y: p_y1 + p_y2",
                         "angular momentum: x1*p_y1 - y1*p_x1 + x2*p_y2 - y2*p_x2"}));
}

TEST(Symmetries, OfBodiesThatAttractEachOtherAreSix) {
  const Texts six = found(R"toml(
[system]
coordinates = ["x[3]", "y[3]", "z[3]"]
hamiltonian = """sum(i in 1..3, (p_x[i]^2 + p_y[i]^2 + p_z[i]^2)/(2*i))
  - 1e-4*sum(i in 2..3, j in 1..i-1, i/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2))"""
[initial]
x = "i"
y = "i^2"
z = "1/i"
p_x = 0
p_y = 1
p_z = "i"
)toml");
  ASSERT_EQ(six.size(), 6u);
  EXPECT_EQ(six[0], "linear momentum along x: sum(i in 1..3, p_x[i])");
  EXPECT_EQ(six[5], "angular momentum about z: sum(i in 1..3, x[i]*p_y[i] - y[i]*p_x[i])");
}

TEST(Symmetries, OfALongChainAreNoneAlthoughItsAnchorIsFarFromMostOfIt) {
  EXPECT_EQ(found(R"toml(
[parameters]
N = 500
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i])"
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = { each = "i in 2..N", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }
[initial]
x = "i"
y = 0
p_x = 0
p_y = 0
)toml"),
            Texts{});
}

TEST(Symmetries, OfASphericalPendulumAreTurnsAboutTheVertical) {
  EXPECT_EQ(found(R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + 9.81*z"
[constraints]
rod = "x^2 + y^2 + z^2 = 1"
[initial]
x = 1
y = 0
z = 0
p_x = 0
p_y = 1
p_z = 0
)toml"),
            (Texts{"angular momentum about z: x*p_y - y*p_x"}));
}

}  // namespace
}  // namespace cotangent
