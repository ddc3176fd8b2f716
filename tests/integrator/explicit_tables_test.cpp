#include "cotangent/integrator/runge_kutta/explicit_tables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "cotangent/integrator/registry/registry.hpp"
#include "tests/integrator/rooted_trees.hpp"

// The digits of the coefficients: every condition for the order of a method, and of its estimates, holds to the
// rounding of Quad, and one of the next order does not hold.

namespace cotangent {
namespace {

struct Table {
  const char* method;
  ExplicitTableau (*tableau)();
  int error, coarse_error;  // the first order whose conditions the weights of the estimates violate
};

constexpr std::array kTables{
    Table{"euler", euler_tableau, 0, 0}, Table{"rk2", rk2_tableau, 2, 0},       Table{"heun", heun_tableau, 2, 0},
    Table{"rk4", rk4_tableau, 0, 0},     Table{"dopri5", dopri5_tableau, 5, 0}, Table{"tsit5", tsit5_tableau, 5, 0},
    Table{"rkf78", rkf78_tableau, 8, 0}, Table{"dop853", dop853_tableau, 6, 4}, Table{"vern9", vern9_tableau, 9, 0}};

TEST(RootedTrees, AreAsManyAsThereAre) {
  std::array<int, 11> count{};
  for (const auto& tree : test::rooted_trees(10)) ++count[static_cast<std::size_t>(tree.order)];
  EXPECT_EQ(count, (std::array{0, 1, 1, 2, 4, 9, 20, 48, 115, 286, 719}));
}

/// Conditions on weights w: sum_i w_i phi_i(t) = value / gamma(t) up to an order, and not beyond.
class Conditions {
 public:
  explicit Conditions(const ExplicitTableau& tableau, int highest)
      : trees_(test::rooted_trees(highest)), phi_(test::elementary_weights(trees_, tableau.a)) {
    auto sizes = tableau.a;
    for (auto& row : sizes)
      for (Quad& x : row) x = abs(x);
    size_ = test::elementary_weights(trees_, sizes);
  }

  void expect_order(const std::vector<Quad>& w, int value, int order, const std::string& what) const {
    double beyond = 0;
    for (std::size_t t = 0; t < trees_.size() && trees_[t].order <= order + 1; ++t) {
      Quad defect = -value / trees_[t].density, level = abs(defect);
      for (std::size_t i = 0; i < w.size(); ++i) {
        defect += w[i] * phi_[t][i];
        level += abs(w[i]) * size_[t][i];
      }
      if (trees_[t].order > order) {
        beyond = std::max(beyond, static_cast<double>(abs(defect)));
      } else {
        EXPECT_LE(static_cast<double>(abs(defect)), static_cast<double>(4 * epsilon<Quad>() * level))
            << what << ": tree " << t << " of order " << trees_[t].order;
      }
    }
    EXPECT_GE(beyond, 1e-6) << what;
  }

 private:
  std::vector<test::RootedTree> trees_;
  std::vector<std::vector<Quad>> phi_, size_;
};

TEST(ExplicitTables, SatisfyTheConditionsOfTheirOrderAndNotOfTheNext) {
  for (const auto& [method, make, error, coarse_error] : kTables) {
    const MethodFacts facts = find_method<double>(method).facts;
    const ExplicitTableau tableau = make();
    const Conditions conditions(tableau, std::max(facts.order + 1, error));
    conditions.expect_order(tableau.b, 1, facts.order, method);
    ASSERT_EQ(tableau.error.empty(), error == 0) << method;
    ASSERT_EQ(tableau.coarse_error.empty(), coarse_error == 0) << method;
    if (error > 0) conditions.expect_order(tableau.error, 0, error - 1, method + std::string(", error"));
    if (coarse_error > 0)
      conditions.expect_order(tableau.coarse_error, 0, coarse_error - 1, method + std::string(", coarse error"));
    // |e|^2 / |c| where there are two of them.
    EXPECT_EQ(facts.error_order, coarse_error > 0 ? 2 * error - coarse_error : error) << method;
  }
}

}  // namespace
}  // namespace cotangent
