#include <gtest/gtest.h>

#include "cotangent/formulation/formulation.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Problem;

// (name of the formulation, problem): every law for every pair.
using Case = std::tuple<std::string, Problem>;

class FormulationContract : public testing::TestWithParam<Case> {
 protected:
  static const FormulationEntry<Quad>& entry() {
    for (const auto& candidate : formulations<Quad>())
      if (candidate.facts.name == std::get<0>(GetParam())) return candidate;
    throw std::out_of_range(std::get<0>(GetParam()));
  }

  struct Field {
    std::vector<Quad> q, p;
  };
  Field field(const PhasePoint<Quad>& z) {
    Field f{z.q, z.p};
    EXPECT_TRUE(formulation->field({z.q.data(), z.p.data(), nullptr, 0}, f.q.data(), f.p.data(), nullptr));
    return f;
  }

  const Problem& problem = std::get<1>(GetParam());
  Instance<Quad> instance{problem};
  const Model& model = instance.model;
  std::unique_ptr<Formulation<Quad>> formulation = entry().make(instance.manifold);
};

// q' = H_p, p' = -H_q - G' lambda, with the only lambda that keeps G H_p = 0. The oracle finds it without the
// library's formula: psi' is affine in lambda, so its values for lambda = 0 and for unit vectors determine
// it.
TEST_P(FormulationContract, EqualsTheConstrainedMotionOnTheManifold) {
  const auto z = test::consistent_point(problem, 1);
  const auto found = field(z);
  const auto v = test::dense_H_p(model, z.q, z.p), f = test::dense_H_q(model, z.q, z.p);
  const auto Gt = test::transposed(test::dense_G(model, z.q));
  const std::size_t m = instance.m(), n = v.size();
  const auto force = [&](const std::vector<Quad>& lambda) {
    auto p_dot = m > 0 ? test::product(Gt, lambda) : std::vector<Quad>(n, 0);
    for (std::size_t j = 0; j < n; ++j) p_dot[j] = -f[j] - p_dot[j];
    return p_dot;
  };
  const auto psi_dot = [&](const std::vector<Quad>& p_dot) {
    const auto psi_at = [&](Quad e) {
      auto x = z;
      for (std::size_t j = 0; j < n; ++j) {
        x.q[j] += e * v[j];
        x.p[j] += e * p_dot[j];
      }
      return test::product(test::dense_G(model, x.q), test::dense_H_p(model, x.q, x.p));
    };
    const auto e = static_cast<Quad>(1e-11);
    auto ahead = psi_at(e);
    const auto behind = psi_at(-e);
    for (std::size_t r = 0; r < m; ++r) ahead[r] = (ahead[r] - behind[r]) / (2 * e);
    return ahead;
  };
  std::vector<Quad> lambda(m, 0);
  const auto free = psi_dot(force(lambda));
  test::Matrix columns;
  for (std::size_t r = 0; r < m; ++r) {
    std::vector<Quad> unit(m, 0);
    unit[r] = 1;
    columns.push_back(psi_dot(force(unit)));
    for (std::size_t s = 0; s < m; ++s) columns.back()[s] = free[s] - columns.back()[s];
  }
  if (m > 0) lambda = test::solve(test::transposed(columns), free);

  // The central differences are good to about e^2 = 1e-22 times constants.
  EXPECT_LE(static_cast<double>(test::distance(found.q, v)), 1e-18);
  EXPECT_LE(static_cast<double>(test::distance(found.p, force(lambda))), 1e-18);
  EXPECT_LE(static_cast<double>(test::distance(formulation->multipliers(), lambda)), 1e-18);
}

// z' = J grad K has a symmetric J^-1 Dz'; a field that claims so off the manifold is measured there, and one
// that does not is seen to be something else.
TEST_P(FormulationContract, IsHamiltonianOffTheManifoldIffDeclared) {
  if (instance.m() == 0) return;  // every formulation is then Hamilton's equations
  const std::size_t n = instance.n();
  const auto z = test::noisy_point(model, 2, 0.1);
  const auto e = static_cast<Quad>(1e-11);
  test::Matrix A;  // rows: the change of J^-1 f = (-p', q') with each variable
  for (std::size_t k = 0; k < 2 * n; ++k) {
    auto x = z;
    Quad& entry = k < n ? x.q[k] : x.p[k - n];
    const Quad at = entry;
    entry = at + e;
    const Field ahead = field(x);
    entry = at - e;
    const Field behind = field(x);
    A.emplace_back();
    for (std::size_t j = 0; j < n; ++j) A.back().push_back(-(ahead.p[j] - behind.p[j]) / (2 * e));
    for (std::size_t j = 0; j < n; ++j) A.back().push_back((ahead.q[j] - behind.q[j]) / (2 * e));
  }
  double defect = 0;
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t j = 0; j < i; ++j) defect = std::max(defect, static_cast<double>(abs(A[i][j] - A[j][i])));
  if (formulation->facts().hamiltonian) {
    EXPECT_LE(defect, 1e-16);
  } else {
    EXPECT_GE(defect, 1e-6);
  }
}

// A constraint stated twice changes nothing but the multipliers, which share the force.
TEST_P(FormulationContract, IsTheSameFieldWithRedundantConstraints) {
  if (instance.m() == 0) return;
  Model twice = model;
  twice.constraints.push_back(twice.constraints[0]);
  twice.constraints.back().name = "copy";
  Instance<Quad> dependent(std::move(twice));
  const auto made = entry().make(dependent.manifold);
  const auto z = test::start<Quad>(std::get<1>(GetParam()), 1);
  std::vector<Quad> q_dot(z.q), p_dot(z.p);
  ASSERT_TRUE(made->field({z.q.data(), z.p.data(), nullptr, 0}, q_dot.data(), p_dot.data(), nullptr));
  const Field f = field(z);
  EXPECT_LE(static_cast<double>(test::distance(q_dot, f.q)), 1e-28);
  EXPECT_LE(static_cast<double>(test::distance(p_dot, f.p)), 1e-25);
  const auto& lambda = made->multipliers();
  const std::int64_t copied = dependent.elements->rows[0].count;
  for (std::int64_t r = 0; r < copied; ++r) {
    const Quad original = lambda[static_cast<std::size_t>(r)];
    const Quad copy = lambda[static_cast<std::size_t>(dependent.elements->m - copied + r)];
    EXPECT_LE(static_cast<double>(abs(original - copy)), 1e-18 * (1 + static_cast<double>(abs(original))));
  }
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const auto& formulation : formulations<Quad>())
    for (const Problem& problem : test::problems()) cases.emplace_back(formulation.facts.name, problem);
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& each) {
  std::string name = std::get<0>(each.param) + "_on_" + std::get<1>(each.param).name;
  for (char& c : name)
    if (c == '-' || c == ':') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, FormulationContract, testing::ValuesIn(every_case()), case_name);

}  // namespace
}  // namespace cotangent
