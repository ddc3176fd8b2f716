#include "cotangent/integrator/constrained/hem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integrator/structure.hpp"

// What is special about hem3, hem4 and hem5.

namespace cotangent {
namespace {

using test::full_distance;
using test::Mechanism;
using test::mechanism;
using test::Runner;

// The trees of the order conditions for y' = f(y, z), 0 = g(y) with f linear in z. A node for f has trees of either
// kind on it, of z one at most; a node for z has at least two for y, since z comes from derivatives of g. In units of
// t^order the exact solution has
//
//   y = prod(children)/order,    z = (order + 1) prod(children)          (an integral, a derivative)
//
// and a half-explicit method sum_j a_ij (..)_j and sum_j w_ij (..)_{j+1} with w = inverse of (a_{i+1,j}).
struct Tree {
  bool is_z;
  std::vector<std::size_t> children;
  int order;
  Quad exact;
};

class Trees {
 public:
  explicit Trees(int most) {
    for (int order = 1; order <= most; ++order) {
      grow(false, order, order - 1, 0, {});
      take();
      grow(true, order, order + 1, 0, {});
      take();
    }
  }
  const std::vector<Tree>& all() const { return all_; }

 private:
  // More children whose orders add up to `rest`, from the k-th tree on.
  void grow(bool is_z, int order, int rest, std::size_t k, const std::vector<std::size_t>& children) {
    if (rest == 0) {
      if (is_z && children.size() < 2) return;
      Quad exact = is_z ? Quad(order + 1) : Quad(1) / order;
      for (const std::size_t child : children) exact *= all_[child].exact;
      made_.push_back({is_z, children, order, exact});
      return;
    }
    const bool has_z =
        std::any_of(children.begin(), children.end(), [&](std::size_t child) { return all_[child].is_z; });
    for (; k < all_.size(); ++k) {
      const Tree& child = all_[k];
      if (child.order > rest || (child.is_z && (is_z || has_z))) continue;
      auto more = children;
      more.push_back(k);
      grow(is_z, order, rest - child.order, k, more);
    }
  }
  void take() {
    all_.insert(all_.end(), made_.begin(), made_.end());
    made_.clear();
  }

  std::vector<Tree> all_, made_;
};

// Of each tree at all stages; the last one is the end of the step.
std::vector<std::vector<Quad>> weights(const std::vector<Tree>& trees, const HalfExplicitTableau& a) {
  const std::size_t s = a.size();
  std::vector<std::vector<Quad>> result;
  for (const Tree& tree : trees) {
    std::vector<Quad> product(s + 1, 1), weight(s + 1, 0);
    for (const std::size_t child : tree.children)
      for (std::size_t i = 0; i <= s; ++i) product[i] *= result[child][i];
    for (std::size_t i = 0; i < s; ++i) {
      Quad sum = 0;
      if (tree.is_z) {
        for (std::size_t j = 0; j < i; ++j) sum += a[i][j] * weight[j];
        weight[i] = (product[i + 1] - sum) / a[i][i];
      } else {
        for (std::size_t j = 0; j <= i; ++j) sum += a[i][j] * product[j];
        weight[i + 1] = sum;
      }
    }
    result.push_back(weight);
  }
  return result;
}

TEST(HemTableau, SatisfiesTheOrderConditions) {
  const std::vector<Tree> trees = Trees(6).all();
  std::vector<int> conditions(7, 0);
  for (const Tree& tree : trees) conditions[static_cast<std::size_t>(tree.order)] += tree.is_z ? 0 : 1;
  EXPECT_EQ(std::vector<int>(conditions.begin(), conditions.end() - 1), (std::vector<int>{0, 1, 2, 7, 29, 130}));
  for (const int order : {3, 4, 5}) {
    const auto of_method = weights(trees, hem_tableau(order));
    double next = 0;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      if (trees[k].is_z) continue;
      const double defect = std::abs(static_cast<double>(of_method[k].back() - trees[k].exact));
      if (trees[k].order <= order) {
        EXPECT_LE(defect, 1e-31) << "order " << order << ", tree " << k;
      }
      if (trees[k].order == order + 1) next = std::max(next, defect);
    }
    EXPECT_GE(next, 1e-3) << "no more than its order";
  }
}

class HemOf : public testing::TestWithParam<Mechanism> {};

TEST_P(HemOf, HasItsOrder) {
  for (const int order : {3, 4, 5}) {
    Runner<Quad> runner(GetParam(), "hem" + std::to_string(order));
    EXPECT_NEAR(test::measured_order(runner, 16, 0.2Q, order), order, 0.25) << order;
  }
}

TEST_P(HemOf, ConvergesToTheMotionThatRk4Finds) {
  const Quad end = 0.4Q;
  const auto exact = Runner<Quad>(GetParam(), "rk4").run(400, end);
  EXPECT_LE(full_distance(Runner<Quad>(GetParam(), "hem4").run(100, end), exact), 1e-8);
}

TEST_P(HemOf, StaysOnTheManifold) {
  Runner<double> runner(GetParam(), "hem4");
  auto z = runner.start();
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(runner.step(z, 0.02));
    ASSERT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-14);
    ASSERT_LE(runner.manifold.momentum_residual(z).value, 1e-13);
  }
}

TEST_P(HemOf, IsNeitherSymmetricNorSymplectic) {
  Runner<Quad> runner(GetParam(), "hem4");
  EXPECT_GE(test::asymmetry(runner, 0.05Q), 1e-12);
  EXPECT_GE(test::area_change(runner, 0.05Q), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Every, HemOf,
                         testing::Values(test::kHeavyChain, test::kCurvedMass, test::kQuaternion, test::kMovingSupport,
                                         test::kDriven, test::kDamped, test::kRedundant,
                                         mechanism(test::problem("spherical_metric"))),
                         [](const auto& each) { return each.param.name; });

TEST(Hem, RefusesForcesOfMultipliersAndLeavesThePointUntouchedWhereItFails) {
  EXPECT_THROW(Runner<double>(test::kFriction, "hem4"), std::invalid_argument);
  EXPECT_THROW(Runner<double>(test::kThermostat, "hem4"), std::invalid_argument);
  Runner<double> runner(test::kDriven, "hem4");
  auto z = runner.start();
  ASSERT_TRUE(runner.step(z, 0.02));
  const auto before = z;
  EXPECT_NE(runner.integrator->step(z, 1e150).status, StepStatus::ok);
  EXPECT_EQ(z->q, before->q);
  EXPECT_EQ(z->p, before->p);
  EXPECT_EQ(z->s, before->s);
}

}  // namespace
}  // namespace cotangent
