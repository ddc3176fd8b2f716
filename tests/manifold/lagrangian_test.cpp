#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/saddle_matrix.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/system/forcing.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "cotangent/system/matrix/hessian.hpp"
#include "tests/support/problems.hpp"

// Legendre, Hessian, Forcing and SaddleMatrix against differences and dense matrices, in Quad.

namespace cotangent {
namespace {

struct Case {
  std::string name, text;
};

const Case kCurved{"curved", R"toml(
[system]
coordinates = ["a", "b", "x"]
lagrangian = "(1 + 0.2*sin(t))*v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b)/2 + (1 + sin(b)^2)*v_x^2/2 + 0.3*x*v_a*t + 2*cos(a) - x^2/2*cos(t)"
[constraints]
cam = "x + 0.3*x^3 - a - 0.2*sin(b)*t = 0"
link = "a^2 + b^2 = 1 + 0.1*t"
[initial]
a = 0.5
b = -0.4
x = 0.4
v_a = 1
v_b = 0.3
v_x = 1
)toml"};

const Case kRelativistic{"relativistic", R"toml(
[system]
coordinates = ["x", "y"]
lagrangian = "-sqrt(1 - v_x^2 - v_y^2)*(1 + 0.1*x^2) + 0.5*(x*v_y - y*v_x) - 0.3*y*t"
[constraints]
circle = "x^2 + y^2 = 1 + 0.1*t"
[initial]
x = 1
y = 0
v_x = 0
v_y = 0.6
)toml"};

const Case kGroups{"groups", R"toml(
[system]
coordinates = ["x[6]"]
lagrangian = "sum(i in 1..6, v_x[i]^2/2) + sqrt(1 + sum(i in 1..6, v_x[i]^2*(1 + x[i]^2)))"
[constraints]
c = "sum(i in 1..6, x[i]^2) = 2"
[initial]
x = "0.1*i"
v_x = "0.3 - 0.1*i"
)toml"};

class LagrangianOf : public testing::TestWithParam<Case> {
 protected:
  Model model = read_model_text(GetParam().text, GetParam().name);
  std::shared_ptr<Elements> elements = std::make_shared<Elements>(extract_elements(model));
  System<Quad> system{elements, Backend::interpreter};
  std::size_t n = static_cast<std::size_t>(elements->n), m = static_cast<std::size_t>(elements->m);
  std::vector<Quad> q = test::given_point(model).q, p = std::vector<Quad>(n);
  Quad t = 0.7Q;

  void SetUp() override {
    ASSERT_EQ(elements->dynamics, Dynamics::lagrangian);
    test::Noise noise(3);
    for (Quad& x : p) x = 0.4Q * noise();
  }

  At<Quad> at() { return system.at(q, p, t); }

  /// What a function of At writes, such as &At<Quad>::H_q, with arguments.
  template <class Function, class... Arguments>
  std::vector<Quad> call(Function function, const Arguments&... arguments) {
    std::vector<Quad> result(n);
    (at().*function)(arguments..., result);
    return result;
  }

  template <class Function>
  auto difference(Quad& x, const Function& f) {
    const Quad e = 1e-10Q, x0 = x;
    x = x0 + e;
    auto ahead = f();
    x = x0 - e;
    const auto behind = f();
    x = x0;
    for (std::size_t j = 0; j < ahead.size(); ++j) ahead[j] = (ahead[j] - behind[j]) / (2 * e);
    return ahead;
  }
  static void expect_near(const std::vector<Quad>& a, const std::vector<Quad>& b, double tolerance = 1e-17) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(static_cast<double>(a[j] - b[j]), 0, tolerance) << j;
  }
};

TEST_P(LagrangianOf, VelocitiesSolveTheLegendreEquation) {
  const auto v = call(&At<Quad>::H_p);
  std::vector<Quad> momenta(n);
  at().with(v).L_v(momenta);
  expect_near(momenta, p, 1e-31);
}

TEST_P(LagrangianOf, FirstDerivativesOfHAreThoseOfItsValues) {
  const auto value = [&] { return std::vector<Quad>{at().H()}; };
  const auto H_q = call(&At<Quad>::H_q), H_p = call(&At<Quad>::H_p);
  for (std::size_t j = 0; j < n; ++j) {
    expect_near({H_q[j]}, difference(q[j], value));
    expect_near({H_p[j]}, difference(p[j], value));
  }
  expect_near({at().H_t()}, difference(t, value));
}

TEST_P(LagrangianOf, SecondDerivativesOfHAreThoseOfTheFirst) {
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Quad> e_q(n, 0), e_p(n, 0), zero(n, 0);
    e_q[j] = e_p[j] = 1;
    const auto H_q = [&] { return call(&At<Quad>::H_q); };
    const auto H_p = [&] { return call(&At<Quad>::H_p); };
    expect_near(call(&At<Quad>::H_q_along, e_q, zero), difference(q[j], H_q));
    expect_near(call(&At<Quad>::H_q_along, zero, e_p), difference(p[j], H_q));
    expect_near(call(&At<Quad>::H_p_along, e_q, zero, Time::held), difference(q[j], H_p));
    expect_near(call(&At<Quad>::H_p_along, zero, e_p, Time::held), difference(p[j], H_p));
    expect_near(call(&At<Quad>::H_pp_times, e_p), difference(p[j], H_p));
  }
  const std::vector<Quad> zero(n, 0);
  expect_near(call(&At<Quad>::H_p_along, zero, zero, Time::moves), difference(t, [&] { return call(&At<Quad>::H_p); }));
}

TEST_P(LagrangianOf, MassesAreTheInverseOfH_pp) {
  Legendre<Quad>& legendre = *system.legendre();
  std::vector<Quad> values(legendre.mass_entries().size());
  legendre.mass(q.data(), p.data(), t, values.data());
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Quad> e(n, 0), product(n, 0);
    e[j] = 1;
    const auto column = call(&At<Quad>::H_pp_times, e);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto& entry = legendre.mass_entries()[k];
      product[static_cast<std::size_t>(entry.row)] += values[k] * column[static_cast<std::size_t>(entry.column)];
    }
    expect_near(product, e, 1e-30);
  }
}

// (R x)_r = (G H_pp G' x)_r, by operations; the saddle matrix inverts it.
TEST_P(LagrangianOf, TheSaddleMatrixInvertsR) {
  SaddleMatrix<Quad> saddle(system);
  ASSERT_TRUE(saddle.factor(q.data(), t, {q.data(), p.data(), nullptr, t}).regular);
  test::Noise noise(5);
  const auto x = noise.vector(m);
  std::vector<Quad> b(m);
  at().G_times(call(&At<Quad>::H_pp_times, call(&At<Quad>::Gt_times, x)), b);
  saddle.solve(b.data());
  expect_near(b, x, 1e-28);
}

INSTANTIATE_TEST_SUITE_P(All, LagrangianOf, testing::Values(kCurved, kRelativistic, kGroups),
                         [](const auto& each) { return each.param.name; });

// A constraint stated twice, and with masses that are coupled: both carry one half, and R x = b is solved to rounding
// although R + delta is what was factored.
template <class T>
void expect_smallest_solution(double tolerance) {
  const auto system_of = [](const std::string& constraints) {
    return std::make_shared<Elements>(extract_elements(read_model_text(R"toml(
[system]
coordinates = ["a", "b", "c"]
lagrangian = "v_a^2 + v_b^2 + v_c^2 + v_a*v_b + v_b*v_c"
[initial]
a = 1
b = 2
c = 2
v_a = 0
v_b = 0
v_c = 0
[constraints]
sphere = "a^2 + b^2 + c^2 = 9"
plane = "a - b + c = 1"
)toml" + constraints,
                                                                       "saddle")));
  };
  System<T> once(system_of(""), Backend::interpreter);
  System<T> twice(system_of("again = \"a^2 + b^2 + c^2 = 9\"\n"), Backend::interpreter);
  SaddleMatrix<T> regular(once), degenerate(twice);
  const std::vector<T> q = {T(1), T(2), T(2)}, p(3, T(0));
  const PointRef<T> z(q.data(), p.data(), nullptr, T(0));
  ASSERT_TRUE(all(regular.factor(q.data(), T(0), z).regular));
  ASSERT_TRUE(all(degenerate.factor(q.data(), T(0), z).regular));
  EXPECT_FALSE(regular.is_degenerate());
  EXPECT_TRUE(degenerate.is_degenerate());
  std::vector<T> x = {T(0.7), T(-0.3)}, y = {T(0.7), T(-0.3), T(0.7)};
  EXPECT_TRUE(regular.solve(x.data()));
  EXPECT_TRUE(degenerate.solve(y.data()));
  EXPECT_NEAR(static_cast<double>(y[0] + y[2] - x[0]), 0, tolerance);
  EXPECT_NEAR(static_cast<double>(y[1] - x[1]), 0, tolerance);
  EXPECT_NEAR(static_cast<double>(y[0] - y[2]), 0, static_cast<double>(rank_tolerance<T>()));

  // One and the same row cannot be two numbers.
  std::vector<T> none = {T(0.7), T(-0.3), T(0.8)};
  EXPECT_FALSE(degenerate.solve(none.data()));
}

TEST(SaddleMatrix, SharesWhatRepeatedConstraintsCarry) {
  expect_smallest_solution<double>(1e-14);
  expect_smallest_solution<Quad>(1e-31);
}

// p' = F - G' lambda and the work: dH/dt along the motion is the rate of the work.
TEST(Forcing, WorkIsWhatChangesTheEnergy) {
  const Model model = read_model_text(R"toml(
[system]
coordinates = ["x", "y"]
states = ["u"]
hamiltonian = "(p_x^2 + (1 + x^2)*p_y^2)/2 + y*cos(t)"
dissipation = "0.3*v_x^2/2 + 0.1*v_x^2*v_y^2*u^2"
[forces]
x = "0.2*cos(2*t) - u*p_y + 0.1*lambda_rod"
[equations]
u = "x*v_y - u + lambda_rod*p_x"
[constraints]
rod = "x^2 + y^2 = 1 + 0.1*sin(t)"
[initial]
x = 0.6
y = 0.8
p_x = 0.3
p_y = 0.2
u = 0.5
)toml",
                                      "forced");
  const auto elements = std::make_shared<Elements>(extract_elements(model));
  System<Quad> system(elements, Backend::interpreter);
  ASSERT_EQ(system.state_count(), 2);
  Forcing<Quad> forcing(system);
  EXPECT_TRUE(forcing.uses_multipliers());
  std::vector<Quad> q = {0.6Q, 0.8Q}, p = {0.3Q, 0.2Q}, s = {0.5Q, 0}, v(2), F(2), s_dot(2), lambda = {0.7Q};
  Quad t = 0.4Q, power = 0;
  const auto velocity = [&] { system.at(q, p, t).H_p(v); };
  velocity();
  const PointRef<Quad> z(q.data(), p.data(), s.data(), t);
  forcing.force(z, v.data(), lambda.data(), F.data(), power);
  forcing.rates(z, v.data(), lambda.data(), power, s_dot.data());

  // By hand.
  const Quad x = q[0], y = q[1], u = s[0];
  const Quad drag_x = 0.3Q * v[0] + 0.2Q * v[0] * v[1] * v[1] * u * u, drag_y = 0.2Q * v[0] * v[0] * v[1] * u * u;
  const Quad force_x = 0.2Q * cosq(2 * t) - u * p[1] + 0.1Q * lambda[0];
  EXPECT_NEAR(static_cast<double>(F[0] - (-x * p[1] * p[1] + force_x - drag_x)), 0, 1e-30);
  EXPECT_NEAR(static_cast<double>(F[1] - (-cosq(t) - drag_y)), 0, 1e-30);
  EXPECT_NEAR(static_cast<double>(s_dot[0] - (x * v[1] - u + lambda[0] * p[0])), 0, 1e-30);
  const Quad H_t = -y * sinq(t), g_t = -0.1Q * cosq(t);
  EXPECT_NEAR(static_cast<double>(s_dot[1] - ((force_x - drag_x) * v[0] - drag_y * v[1] + H_t + lambda[0] * g_t)), 0,
              1e-30);

  // The derivatives of force and rates along a direction of the kick are differences of them.
  const std::vector<Quad> a_p = {0.4Q, -0.7Q}, a_s = {0.9Q, 0}, a_lambda = {-0.3Q};
  std::vector<Quad> a_v(2), dF(2), ds(2);
  system.at(q, p, t).H_pp_times(a_p, a_v);
  forcing.force_along(z, v.data(), lambda.data(), a_p.data(), a_v.data(), a_s.data(), a_lambda.data(), dF.data());
  forcing.rates_along(z, v.data(), lambda.data(), a_p.data(), a_v.data(), a_s.data(), a_lambda.data(), ds.data());
  const Quad e = 1e-10Q;
  const auto moved = [&](Quad by) {
    std::vector<Quad> result(4);
    for (std::size_t j = 0; j < 2; ++j) p[j] += by * a_p[j];
    s[0] += by * a_s[0];
    lambda[0] += by * a_lambda[0];
    velocity();
    const PointRef<Quad> there(q.data(), p.data(), s.data(), t);
    forcing.force(there, v.data(), lambda.data(), result.data(), power);
    std::vector<Quad> rates(2);
    forcing.rates(there, v.data(), lambda.data(), power, rates.data());
    result[2] = rates[0];
    for (std::size_t j = 0; j < 2; ++j) p[j] -= by * a_p[j];
    s[0] -= by * a_s[0];
    lambda[0] -= by * a_lambda[0];
    return result;
  };
  const auto ahead = moved(e), behind = moved(-e);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_NEAR(static_cast<double>(dF[j] - (ahead[j] - behind[j]) / (2 * e)), 0, 1e-17);
  EXPECT_NEAR(static_cast<double>(ds[0] - (ahead[2] - behind[2]) / (2 * e)), 0, 1e-17);
}

}  // namespace
}  // namespace cotangent
