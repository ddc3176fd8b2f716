#include "cotangent/integrator/registry/method_name.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"

namespace cotangent {
namespace {

std::size_t column_of(const std::string& text) {
  try {
    static_cast<void>(parse_method_name(text));
  } catch (const MethodNameError& error) {
    return error.column();
  }
  return 0;
}

TEST(MethodName, IsReadWhateverItsSpacesAndCapitals) {
  EXPECT_EQ(parse_method_name(" Compose:6 (Gauss : 2)").text(), "compose:6(gauss:2)");
  EXPECT_EQ(parse_method_name("symmetric(symmetric(rattle))").text(), "symmetric(symmetric(rattle))");
}

// Names of the model are kept as they are: those of invariants, after what is projected.
TEST(MethodName, KeepsTheCapitalsOfInvariants) {
  EXPECT_EQ(parse_method_name("Project:Both:twoE:L (RK4)").text(), "project:both:twoE:L(rk4)");
  EXPECT_EQ(parse_method_name("project:none:E(Project:JOINT:E(Gauss:2))").text(),
            "project:none:E(project:joint:E(gauss:2))");
  EXPECT_EQ(parse_method_name("Compose:6:Kahan-Li(Rattle)").text(), "compose:6:kahan-li(rattle)");
  EXPECT_EQ(find_method<double>("project:both:Euclidean(rk4)").facts.description, "rk4, then the projection 'both'");
  EXPECT_EQ(find_method<double>("project:none:E(rk4)").facts.description, "rk4, then a return to E");
  // Settings may stand there, too.
  const std::string name = "project:both:euclidean:every=10:above=1e-06:E(rk4)";
  EXPECT_EQ(find_method<double>("Project:Both:euclidean:every=10:above=1e-06:E(RK4)").facts.name, name);
  const ProjectionPolicy policy{
      .projection = Projection::both, .every = 10, .above = 1e-6, .metric = Metric::euclidean, .invariants = {"E"}};
  EXPECT_EQ(projected_name(policy, "rk4"), name);
  EXPECT_FALSE(find_method<double>(name).facts.keeps_position) << "not after every step";
  for (const char* wrong : {"project:both:every=x(rk4)", "project:both:often=2(rk4)", "gauss=2", "gauss:a=2"})
    EXPECT_THROW(find_method<double>(wrong), std::invalid_argument) << wrong;
}

TEST(MethodName, IsRefusedAtThePlaceOfTheMistake) {
  EXPECT_EQ(column_of("compose:4(rattle"), 10U);
  EXPECT_EQ(column_of("compose:4 ( rattle"), 11U);
  EXPECT_EQ(column_of("rattle)"), 7U);
  EXPECT_EQ(column_of("compose:4(rattle))"), 18U);
  EXPECT_EQ(column_of("compose:4(rattle)x"), 18U);
  EXPECT_EQ(column_of("compose:4(gauss::2)"), 17U);
  EXPECT_EQ(column_of("gauss:2$"), 7U);
  EXPECT_GT(column_of("gauss:"), 0U);
  EXPECT_GT(column_of(""), 0U);
  EXPECT_EQ(column_of("rattle"), 0U);
}

TEST(MethodAlias, StandsForAMethodThatThereIs) {
  const auto meant = [](const char* alias) { return without_alias(parse_method_name(alias)).text(); };
  EXPECT_EQ(meant("verlet"), "stormer-verlet:kick");
  EXPECT_EQ(meant("radau5"), "radau-iia:3");
  EXPECT_EQ(meant("radau:5"), "radau-iia:5");
  EXPECT_EQ(meant("compose:4(leapfrog)"), "compose:4(stormer-verlet:kick)");
  EXPECT_EQ(meant("gauss:2"), "gauss:2");
  for (const char* alias :
       {"verlet",         "leapfrog",       "velocity-verlet", "position-verlet",   "yoshida4",
        "yoshida6",       "explicit-euler", "forward-euler",   "explicit-midpoint", "rk",
        "rk45",           "ode45",          "dormand-prince",  "bulirsch-stoer",    "implicit-euler",
        "backward-euler", "radau",          "radau5",          "trapezoidal",       "crank-nicolson",
        "dirk",           "sdirk"})
    EXPECT_NO_THROW(static_cast<void>(find_method<double>(alias))) << alias;
  for (const char* none : {"midpoint", "bdf", "lsoda", "symplectic-euler", "newmark"})
    EXPECT_THROW(static_cast<void>(find_method<double>(none)), std::invalid_argument) << none;
}

// "gauss:1..12" has members from 1 to 12, of orders from the first to the second of "2..24", and no others.
TEST(MethodFamily, HasTheMembersThatItsPatternSays) {
  int ranges = 0;
  for (const auto& family : method_families<double>()) {
    const std::size_t dots = family.pattern.find("..");
    if (dots == std::string::npos) continue;
    ++ranges;
    const std::size_t begin = family.pattern.find(':') + 1;
    const int first = std::atoi(family.pattern.c_str() + begin), last = std::atoi(family.pattern.c_str() + dots + 2);
    const auto member = [&](int s) { return find_method<double>(fmt::format("{}:{}", family.word, s)); };
    for (int s = first; s <= last; ++s) EXPECT_NO_THROW(static_cast<void>(member(s))) << family.pattern << ", " << s;
    EXPECT_THROW(static_cast<void>(member(first - 1)), std::invalid_argument) << family.pattern;
    EXPECT_THROW(static_cast<void>(member(last + 1)), std::invalid_argument) << family.pattern;
    const int least = member(first).facts.order, most = member(last).facts.order;
    EXPECT_EQ(family.order, least == most ? fmt::format("{}", least) : fmt::format("{}..{}", least, most));
  }
  EXPECT_GE(ranges, 7);
}

TEST(MethodFamily, HasOtherMembersThatItsPatternSays) {
  for (const int order : {4, 6, 8, 10})
    EXPECT_EQ(find_method<double>(fmt::format("compose:{}(rattle)", order)).facts.order, order);
  EXPECT_THROW(static_cast<void>(find_method<double>("compose:12(rattle)")), std::invalid_argument);
  for (const auto& family : method_families<double>()) {
    if (!family.pattern.ends_with("[:kick]")) continue;
    EXPECT_NO_THROW(static_cast<void>(find_method<double>(family.word)));
    EXPECT_NO_THROW(static_cast<void>(find_method<double>(family.word + ":kick")));
  }
  for (const char* name : {"blanes-moan-rkn6", "blanes-moan-rkn6:11", "blanes-moan-rkn6:14"})
    EXPECT_EQ(find_method<double>(name).facts.order, 6);
}

// What has no use for projections around its steps is refused, with what to use instead.
TEST(MethodFamily, RefusesProjectionsAroundWhatNeedsNone) {
  for (const char* name : {"symmetric(symmetric(gauss:2))", "reich(symmetric(gauss:2))", "symmetric(rattle)",
                           "reich(rattle)", "reich(lobatto:3)", "symmetric(stormer-verlet)", "reich(gonzalez)",
                           "symmetric(gonzalez)", "reich(kahan)", "symmetric(compose:4(stormer-verlet))",
                           "reich(compose:4(stormer-verlet))", "symmetric(reich(gauss:2))", "reich(reich(gauss:2))"}) {
    try {
      static_cast<void>(find_method<double>(name));
      ADD_FAILURE() << name;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("; use "), std::string::npos) << refusal.what();
    }
  }
  for (const char* name : {"symmetric(gauss:2)", "symmetric(compose:4(gauss:1))", "reich(stormer-verlet)",
                           "reich(gauss:2)", "compose:4(symmetric(gauss:1))"})
    EXPECT_NO_THROW(static_cast<void>(find_method<double>(name))) << name;
}

}  // namespace
}  // namespace cotangent
