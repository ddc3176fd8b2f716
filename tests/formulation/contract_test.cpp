#include <gtest/gtest.h>

#include "cotangent/formulation/field/standard.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "tests/formulation/variables.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"
#include "tests/support/mechanisms.hpp"

// The contract of formulation.hpp, measured for every formulation of the registry on every system that it takes. A
// claim is checked from both sides: what is declared holds to rounding, what is not declared is seen to fail.

namespace cotangent {
namespace {

using test::Mechanism;

using Vector = std::vector<Quad>;

using Setting = test::Setting<Quad>;
using Variables = test::Variables<Quad>;

// Central differences with this step are good to about e^2 = 1e-22 times constants.
const auto kStep = static_cast<Quad>(1e-11);
constexpr double kDifferenceLevel = 1e-16;

/// A formulation of the registry, with options; what it claims then it says itself.
struct Way {
  std::string title, name;
  FormulationOptions options = {};
};

std::vector<Way> ways() {
  std::vector<Way> list;
  for (const auto& entry : formulations<Quad>()) list.push_back({entry.facts.name, entry.facts.name});
  list.push_back({"dirac_with_gauge", "dirac", {.gauge = -1.5}});
  list.push_back({"dirac_weak_with_gauge", "dirac-weak", {.gauge = -1.5}});
  list.push_back({"baumgarte_without_stiffness", "baumgarte", {.baumgarte_alpha = 3, .baumgarte_beta = 0}});
  list.push_back({"baumgarte_without_damping", "baumgarte", {.baumgarte_alpha = 0, .baumgarte_beta = 3}});
  list.push_back({"baumgarte_without_either", "baumgarte", {.baumgarte_alpha = 0, .baumgarte_beta = 0}});
  list.push_back({"state_space_by_qr", "state-space", {.chart = ChartKind::qr}});
  list.push_back({"state_space_by_svd", "state-space", {.chart = ChartKind::svd}});
  return list;
}

using Case = std::tuple<Way, Mechanism>;

class FormulationContract : public testing::TestWithParam<Case> {
 protected:
  const Way& way = std::get<0>(GetParam());
  const std::string& name = way.name;
  const Mechanism& mechanism = std::get<1>(GetParam());
  Setting setting{mechanism};
  Variables variables{setting, name, way.options};
  const FormulationFacts facts = variables.formulation->facts();
};

// Off the manifold, where the formulation's variables permit that.
Variables::Point disturbed(Variables::Point point) {
  test::Noise noise(7);
  for (Quad& x : point.x) x += static_cast<Quad>(0.05) * noise();
  for (Quad& x : point.y) x += static_cast<Quad>(0.05) * noise();
  return point;
}

// After mapping to q and p every field equals that of `standard`, whose own field is held against an oracle below.
TEST_P(FormulationContract, EqualsTheConstrainedMotionOnTheManifold) {
  Variables standard(setting, "standard");
  const auto z = setting.start();
  const auto expected = standard.field(standard.enter(z));
  const auto point = variables.enter(z);
  const auto found = variables.field(point);
  EXPECT_LE(static_cast<double>(test::distance(found.s, expected.s)), 1e-24);
  if (variables.formulation->is_physical()) {
    EXPECT_LE(static_cast<double>(test::distance(found.x, expected.x)), 1e-28);
    EXPECT_LE(static_cast<double>(test::distance(found.y, expected.y)), 1e-24);
    EXPECT_LE(
        static_cast<double>(test::distance(variables.formulation->multipliers(), standard.formulation->multipliers())),
        1e-24);
    return;
  }
  const auto ahead = variables.leave(Variables::moved(point, found, kStep));
  const auto behind = variables.leave(Variables::moved(point, found, -kStep));
  for (std::size_t j = 0; j < z.q.size(); ++j) {
    EXPECT_LE(static_cast<double>(abs((ahead.q[j] - behind.q[j]) / (2 * kStep) - expected.x[j])), kDifferenceLevel);
    EXPECT_LE(static_cast<double>(abs((ahead.p[j] - behind.p[j]) / (2 * kStep) - expected.y[j])), kDifferenceLevel);
  }
}

// Nothing of one call is left for the next.
TEST_P(FormulationContract, GivesTheSameFieldWheneverItIsCalled) {
  const auto point = disturbed(variables.enter(setting.start()));
  const auto first = variables.field(point);
  static_cast<void>(variables.field(variables.enter(setting.start())));
  const auto again = variables.field(point);
  EXPECT_TRUE(first.x == again.x && first.y == again.y && first.s == again.s);
}

TEST_P(FormulationContract, ComesBackToTheSamePoint) {
  const auto z = setting.start();
  const auto back = variables.leave(variables.enter(z));
  EXPECT_LE(static_cast<double>(test::distance(z.q, back.q)), 1e-30);
  EXPECT_LE(static_cast<double>(test::distance(z.p, back.p)), 1e-30);
}

// z' = J grad K has a symmetric J^-1 Dz'.
double hamiltonian_defect(Variables& variables, const Variables::Point& z) {
  const std::size_t n = z.x.size();
  test::Matrix A;  // rows: the change of J^-1 f = (-y', x') with each variable
  for (std::size_t k = 0; k < 2 * n; ++k) {
    const auto at = [&](Quad e) {
      auto moved = z;
      (k < n ? moved.x[k] : moved.y[k - n]) += e;
      return variables.field(moved);
    };
    const auto ahead = at(kStep), behind = at(-kStep);
    A.emplace_back();
    for (std::size_t j = 0; j < n; ++j) A.back().push_back(-(ahead.y[j] - behind.y[j]) / (2 * kStep));
    for (std::size_t j = 0; j < n; ++j) A.back().push_back((ahead.x[j] - behind.x[j]) / (2 * kStep));
  }
  double defect = 0;
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t j = 0; j < i; ++j) defect = std::max(defect, static_cast<double>(abs(A[i][j] - A[j][i])));
  return defect;
}

TEST_P(FormulationContract, IsHamiltonianOffTheManifoldIffDeclared) {
  if (setting.system.m() == 0 || !mechanism.symplectic) return;  // then every formulation is alike
  const double defect = hamiltonian_defect(variables, disturbed(variables.enter(setting.start())));
  if (facts.hamiltonian) {
    EXPECT_LE(defect, kDifferenceLevel);
  } else if (name != "state-space-velocity" || mechanism.name != "affine_moving") {
    // (With one straight coordinate, the velocity is the momentum but for a factor.)
    EXPECT_GE(defect, 1e-6);
  }
}

// How fast g, psi and H change along the field.
struct Changes {
  double g = 0, psi = 0, H = 0;
};
Changes changes(Setting& setting, Variables& variables, const Variables::Point& point) {
  const auto f = variables.field(point);
  struct Values {
    Vector g, psi, H;
  };
  const auto at = [&](Quad e) {
    const auto z = variables.leave(Variables::moved(point, f, e));
    const At<Quad> here = setting.system.at(z);
    Vector v(z.q.size()), g(static_cast<std::size_t>(setting.system.m())), psi(g);
    here.g(g);
    here.psi(v, psi);
    return Values{g, psi, {here.H()}};
  };
  const auto ahead = at(kStep), behind = at(-kStep);
  const auto rate = [](const Vector& a, const Vector& b) {
    return static_cast<double>(test::distance(a, b) / (2 * kStep));
  };
  return {rate(ahead.g, behind.g), rate(ahead.psi, behind.psi), rate(ahead.H, behind.H)};
}

TEST_P(FormulationContract, HasTheFirstIntegralsThatItDeclares) {
  if (setting.system.m() == 0 || !setting.is_autonomous_and_free()) return;
  const auto found = changes(setting, variables, disturbed(variables.enter(setting.start())));
  const auto check = [](bool declared, double change, const char* what) {
    if (declared) {
      EXPECT_LE(change, kDifferenceLevel) << what;
    } else {
      EXPECT_GE(change, 1e-6) << what;
    }
  };
  check(facts.keeps_g, found.g, "g");
  check(facts.keeps_psi, found.psi, "psi");
  // Where constraints are affine psi_q = 0, and ggl is the field of dirac-weak.
  check(facts.keeps_H || (name == "ggl" && mechanism.name == "affine"), found.H, "H");
}

// A constraint stated twice changes nothing but the multipliers, which share the force.
TEST_P(FormulationContract, IsTheSameFieldWithRedundantConstraints) {
  // Where forces depend on the multiplier of one of the two they are not the same.
  if (setting.system.m() == 0 || mechanism.name == "redundant" || mechanism.name == "friction") return;
  Model twice = setting.model;
  twice.constraints.push_back(twice.constraints[0]);
  twice.constraints.back().name = "copy";
  Setting redundant(twice);
  Variables dependent(redundant, name, way.options);
  const auto z = setting.start();
  const auto point = variables.enter(z), same = dependent.enter(z);
  ASSERT_EQ(point.x.size(), same.x.size());
  EXPECT_LE(static_cast<double>(max(test::distance(point.x, same.x), test::distance(point.y, same.y))), 1e-28);
  const auto field = variables.field(point), found = dependent.field(point);
  EXPECT_LE(static_cast<double>(test::distance(found.x, field.x)), 1e-20);
  EXPECT_LE(static_cast<double>(test::distance(found.y, field.y)), 1e-20);
  const auto ahead = variables.leave(point), also = dependent.leave(point);
  EXPECT_LE(static_cast<double>(test::distance(ahead, also)), 1e-20);
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const auto& mechanism : test::all_systems())
    for (const Way& way : ways())
      if (test::takes(way.name, mechanism)) cases.emplace_back(way, mechanism);
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& each) {
  std::string name = std::get<0>(each.param).title + "_on_" + std::get<1>(each.param).name;
  for (char& c : name)
    if (c == '-' || c == ':') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, FormulationContract, testing::ValuesIn(every_case()), case_name);

TEST(Formulations, AreRefusedByTheOtherSystems) {
  for (const auto& mechanism : test::all_systems()) {
    Setting setting(mechanism);
    for (const auto& entry : formulations<Quad>()) {
      if (test::takes(entry.facts.name, mechanism)) continue;
      EXPECT_THROW(entry.make(setting.manifold), std::invalid_argument) << entry.facts.name << " on " << mechanism.name;
    }
  }
}

// q' = H_p, p' = -H_q - G' lambda, with the only lambda that keeps G H_p = 0. The oracle finds it without the library's
// formula: psi' is affine in lambda, so its values for lambda = 0 and for unit vectors determine it.
class StandardOracle : public testing::TestWithParam<test::Problem> {};

TEST_P(StandardOracle, IsTheConstrainedMotion) {
  const test::Problem& problem = GetParam();
  test::Instance<Quad> instance{problem};
  const Model& model = instance.model;
  Standard<Quad> standard(instance.manifold);
  const auto z = test::consistent_point(problem, 1);
  Vector q_dot(z.q), p_dot(z.p);
  ASSERT_TRUE(standard.field(z, q_dot.data(), p_dot.data(), nullptr));
  const auto v = test::dense_H_p(model, z.q, z.p), f = test::dense_H_q(model, z.q, z.p);
  const auto Gt = test::transposed(test::dense_G(model, z.q));
  const std::size_t m = instance.m(), n = v.size();
  const auto force = [&](const Vector& lambda) {
    auto result = m > 0 ? test::product(Gt, lambda) : Vector(n, 0);
    for (std::size_t j = 0; j < n; ++j) result[j] = -f[j] - result[j];
    return result;
  };
  const auto psi_dot = [&](const Vector& along) {
    const auto psi_at = [&](Quad e) {
      auto x = z;
      for (std::size_t j = 0; j < n; ++j) {
        x.q[j] += e * v[j];
        x.p[j] += e * along[j];
      }
      return test::product(test::dense_G(model, x.q), test::dense_H_p(model, x.q, x.p));
    };
    auto ahead = psi_at(kStep);
    const auto behind = psi_at(-kStep);
    for (std::size_t r = 0; r < m; ++r) ahead[r] = (ahead[r] - behind[r]) / (2 * kStep);
    return ahead;
  };
  Vector lambda(m, 0);
  const auto free = psi_dot(force(lambda));
  test::Matrix columns;
  for (std::size_t r = 0; r < m; ++r) {
    Vector unit(m, 0);
    unit[r] = 1;
    columns.push_back(psi_dot(force(unit)));
    for (std::size_t s = 0; s < m; ++s) columns.back()[s] = free[s] - columns.back()[s];
  }
  if (m > 0) lambda = test::solve(test::transposed(columns), free);
  EXPECT_LE(static_cast<double>(test::distance(q_dot, v)), 1e-18);
  EXPECT_LE(static_cast<double>(test::distance(p_dot, force(lambda))), 1e-18);
  EXPECT_LE(static_cast<double>(test::distance(standard.multipliers(), lambda)), 1e-18);
}

INSTANTIATE_TEST_SUITE_P(Every, StandardOracle, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cotangent
