#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/mechanisms.hpp"

// The tangent of every formulation: the field over dual numbers against differences of the field in Quad.

namespace cotangent {
namespace {

using test::Mechanism;

template <class T>
struct Field {
  Field(const Mechanism& mechanism, const std::string& name)
      : model(read_model_text(mechanism.text, mechanism.name)),
        elements(regular_elements(model, notes)),
        system(elements, Backend::interpreter),
        manifold(system),
        formulation(find_formulation<T>(name).make(manifold)) {}

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
  std::unique_ptr<Formulation<T>> formulation;
};

using Case = std::tuple<std::string, Mechanism>;

class Tangent : public testing::TestWithParam<Case> {};

// Variables and field, one after the other: x, y, s.
using Vector = std::vector<Quad>;

TEST_P(Tangent, IsTheDerivativeOfTheField) {
  const auto& [name, mechanism] = GetParam();
  Field<Quad> exact(mechanism, name);
  Field<Tangents> dual(mechanism, name);
  PhasePoint<Quad> z = make_initial_data(exact.model, exact.manifold).z;
  OwnVariables<Quad> own;
  own.q = z.q;
  own.p = z.p;
  PhasePoint<Tangents> z_dual(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  for (std::size_t j = 0; j < z.q.size(); ++j) {
    z_dual.q[j] = static_cast<double>(z.q[j]);
    z_dual.p[j] = static_cast<double>(z.p[j]);
  }
  if (!exact.formulation->is_physical()) {
    OwnVariables<Tangents> own_dual;
    exact.formulation->begin_step(z, {});
    dual.formulation->begin_step(z_dual, {});
    ASSERT_TRUE(exact.formulation->enter(z, own));
    ASSERT_TRUE(dual.formulation->enter(z_dual, own_dual));
  }
  // Off the manifold, in numbers that a double has, and two directions.
  test::Noise noise(3);
  const auto disturb = [&](Vector& x) {
    for (Quad& entry : x) entry = static_cast<double>(entry + static_cast<Quad>(0.03) * noise());
  };
  disturb(own.q);
  disturb(own.p);
  const std::size_t n = own.q.size(), states = z.s.size();
  std::vector<Vector> direction;
  for (int k = 0; k < 2; ++k) {
    direction.push_back(noise.vector(2 * n));
    for (Quad& entry : direction.back()) entry = static_cast<double>(entry);
  }
  const auto t = static_cast<Quad>(0.3);

  const auto field_at = [&](const Vector& along, Quad e) {
    Vector x = own.q, y = own.p, result(2 * n + states, 0);
    for (std::size_t j = 0; j < n; ++j) {
      x[j] += e * along[j];
      y[j] += e * along[n + j];
    }
    EXPECT_TRUE(exact.formulation->field({x.data(), y.data(), z.s.data(), t}, result.data(), result.data() + n,
                                         result.data() + 2 * n));
    return result;
  };
  std::vector<Tangents> x(n), y(n), s(states), found(2 * n + states);
  for (std::size_t j = 0; j < states; ++j) s[j] = static_cast<double>(z.s[j]);
  for (std::size_t j = 0; j < n; ++j) {
    x[j] = static_cast<double>(own.q[j]);
    y[j] = static_cast<double>(own.p[j]);
    for (int k = 0; k < 2; ++k) {
      x[j].d[k] = static_cast<double>(direction[static_cast<std::size_t>(k)][j]);
      y[j].d[k] = static_cast<double>(direction[static_cast<std::size_t>(k)][n + j]);
    }
  }
  ASSERT_TRUE(dual.formulation->field({x.data(), y.data(), s.data(), Tangents(static_cast<double>(t))}, found.data(),
                                      found.data() + n, found.data() + 2 * n));
  const Vector value = field_at(direction[0], 0);
  double size = 1;
  for (const Quad& entry : value) size = std::max(size, std::abs(static_cast<double>(entry)));
  for (std::size_t j = 0; j < found.size(); ++j)
    EXPECT_NEAR(found[j].value, static_cast<double>(value[j]), 1e-12 * size) << "value " << j;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto e = static_cast<Quad>(1e-10);
    const Vector ahead = field_at(direction[k], e), behind = field_at(direction[k], -e);
    double slope = 1;
    for (std::size_t j = 0; j < found.size(); ++j)
      slope = std::max(slope, std::abs(static_cast<double>((ahead[j] - behind[j]) / (2 * e))));
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j].d[k], static_cast<double>((ahead[j] - behind[j]) / (2 * e)), 1e-11 * slope)
          << "tangent " << k << " of " << j;
  }
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const auto& mechanism : test::all_systems())
    for (const auto& entry : formulations<Quad>())
      if (test::takes(entry.facts.name, mechanism)) cases.emplace_back(entry.facts.name, mechanism);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, Tangent, testing::ValuesIn(every_case()), [](const auto& each) {
  std::string name = std::get<0>(each.param) + "_on_" + std::get<1>(each.param).name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace cotangent
