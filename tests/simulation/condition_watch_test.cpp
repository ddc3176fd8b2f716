#include "cotangent/simulation/watch/condition_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"

namespace cotangent {
namespace {

/// Two constraints in the plane whose gradients (1, 0) and (1, 2 y) become parallel at y = 0.
struct Tangent {
  explicit Tangent(const std::string& second = "x + y^2 = 0")
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(fmt::format(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
wall = "x = 0"
curve = "{}"
[initial]
x = 0
y = 0
p_x = 0
p_y = 0
)toml",
                                                                                               second),
                                                                                   "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system),
        watch(manifold) {}

  PhasePoint<double> at(double y, double t) const {
    PhasePoint<double> z(2, system.state_count());
    z.q = {0, y};
    z.t = t;
    return z;
  }

  std::shared_ptr<const Elements> elements;
  System<double> system;
  Manifold<double> manifold;
  ConditionWatch<double> watch;
  std::vector<Warning> warnings;
};

TEST(Redundancy, NamesWhatFollowsFromWhat) {
  Tangent same("2*x = 0");
  const auto found = redundant_constraints(same.manifold, same.at(1, 0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "curve");
  EXPECT_EQ(found[0].follows_from, std::vector<std::string>{"wall"});
  EXPECT_EQ(describe(found[0]), "'curve' follows from wall");

  Tangent flat("y^2 = 0");
  const auto without_gradient = constraints_dependent_at(flat.manifold, flat.at(0, 0));
  ASSERT_EQ(without_gradient.size(), 1u);
  EXPECT_EQ(describe(without_gradient[0]), "'curve' has no gradient");
  EXPECT_TRUE(constraints_dependent_at(flat.manifold, flat.at(1, 0)).empty());
}

/// A parallelogram, whose middle crank follows from the others where there is one, in its flat position.
struct Parallelogram {
  explicit Parallelogram(const std::string& middle)
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(fmt::format(R"toml(
[system]
coordinates = ["xb", "yb", "xc", "yc"]
hamiltonian = "(p_xb^2 + p_yb^2 + p_xc^2 + p_yc^2)/2"
[constraints]
left = "xb^2 + yb^2 = 1"
platform = "(xc - xb)^2 + (yc - yb)^2 = 4"
right = "(xc - 2)^2 + yc^2 = 1"
{}
[initial]
xb = 1
yb = 0
xc = 3
yc = 0
p_xb = 0
p_yb = 0
p_xc = 0
p_yc = 0
)toml",
                                                                                               middle),
                                                                                   "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system),
        z(4) {
    z.q = {1, 0, 3, 0};
  }

  std::shared_ptr<const Elements> elements;
  System<double> system;
  Manifold<double> manifold;
  PhasePoint<double> z;
};

TEST(Redundancy, IsThatOfTheNeighbourhoodOfASingularStart) {
  Parallelogram flat("");
  EXPECT_EQ(constraints_dependent_at(flat.manifold, flat.z).size(), 1u);
  EXPECT_TRUE(redundant_constraints(flat.manifold, flat.z).empty());
  EXPECT_EQ(flat.manifold.matrix().nullity(), 0u);

  // One of two that are dependent there is so everywhere.
  Parallelogram twice("again = \"2*xb^2 + 2*yb^2 = 2\"");
  EXPECT_EQ(constraints_dependent_at(twice.manifold, twice.z).size(), 2u);
  const auto found = redundant_constraints(twice.manifold, twice.z);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(describe(found[0]), "'again' follows from left");
  EXPECT_EQ(twice.manifold.matrix().nullity(), 1u);

  ConditionWatch<double> watch(flat.manifold);
  std::vector<Warning> warnings;
  watch.start(flat.z, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, "rank-loss");
  EXPECT_NE(warnings[0].text.find("singular position"), std::string::npos) << warnings[0].text;
}

TEST(ConditionWatch, TellsTheFirstAndTheWorstStretch) {
  Tangent tangent;
  tangent.watch.start(tangent.at(1, 0), tangent.warnings);
  EXPECT_TRUE(tangent.warnings.empty());
  double t = 0;
  for (const double y : {1.0, 1e-4, 3e-4, 1.0, 1e-8, 1.0, 1e-4, 1.0}) tangent.watch.observe(tangent.at(y, t += 1));
  tangent.watch.finish(tangent.warnings);
  ASSERT_EQ(tangent.warnings.size(), 2u);
  EXPECT_EQ(tangent.warnings[0].kind, "near-singular");
  EXPECT_EQ(tangent.warnings[0].time, 2);
  EXPECT_NE(tangent.warnings[0].text.find("from t = 2 to 3"), std::string::npos) << tangent.warnings[0].text;
  EXPECT_NE(tangent.warnings[0].text.find("first of 3"), std::string::npos) << tangent.warnings[0].text;
  EXPECT_EQ(tangent.warnings[1].kind, "rank-loss");
  EXPECT_EQ(tangent.warnings[1].time, 5);
}

TEST(ConditionWatch, DoesNotRepeatWhatWasToldAtTheStart) {
  Tangent same("2*x = 0");
  same.watch.start(same.at(1, 0), same.warnings);
  ASSERT_EQ(same.warnings.size(), 1u);
  EXPECT_EQ(same.warnings[0].kind, "redundant-constraints");
  for (int k = 1; k < 5; ++k) same.watch.observe(same.at(1, k));
  same.watch.finish(same.warnings);
  EXPECT_EQ(same.warnings.size(), 1u);
}

TEST(ConditionWatch, IsSilentWhereAllIsWell) {
  Tangent tangent;
  tangent.watch.start(tangent.at(1, 0), tangent.warnings);
  for (int k = 1; k < 5; ++k) tangent.watch.observe(tangent.at(k, k));
  tangent.watch.finish(tangent.warnings);
  EXPECT_TRUE(tangent.warnings.empty());
}

}  // namespace
}  // namespace cotangent
