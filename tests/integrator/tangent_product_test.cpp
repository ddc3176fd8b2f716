#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "cotangent/integrator/composed/projected.hpp"
#include "tests/integrator/method_contract.hpp"

// Tangents through every method on every formulation that it takes, with every projection after its steps: held against
// differences of neighbours in Quad that make the same steps and the same projections.

namespace cotangent {
namespace {

constexpr double kAgreement = 1e-9;
constexpr double kSteps[]{0.1, 0.07};

const test::Problem& problem() { return test::problem("double_pendulum"); }

struct Choice {
  std::string method, formulation;
  Projection projection;
};

/// Two steps from z, each with its projection. @return whether they could be made.
template <class T>
bool go(const Choice& choice, test::Instance<T>& instance, PhasePoint<T>& z) {
  const auto integrator = with_projection(find_method<T>(choice.method).make(instance.manifold, choice.formulation),
                                          instance.manifold, {.projection = choice.projection});
  Point<T> moved = z;
  for (const double h : kSteps)
    if (!test::is_ok(integrator->step(moved, static_cast<LaneOf<T>>(h)))) return false;
  z = moved;
  return true;
}

template <class T>
void move_onto_constraints(test::Instance<T>& instance, PhasePoint<T>& z) {
  ASSERT_TRUE(instance.manifold.project_position(z).converged);
  ASSERT_TRUE(instance.manifold.project_momentum(z).converged);
}

class TangentProduct : public testing::TestWithParam<std::string> {
 protected:
  TangentProduct() : tangents_(problem()), quads_(problem()) {}

  void compare(const Choice& choice) {
    SCOPED_TRACE(choice.formulation + ", projection " + name_of(choice.projection));
    const auto start = test::start<Quad>(problem());
    const std::size_t n = start->q.size();
    test::Noise noise(11);
    const auto q = noise.vector(n), p = noise.vector(n);
    PhasePoint<Tangents> z(static_cast<std::int64_t>(n));
    for (std::size_t j = 0; j < n; ++j) {
      z.q[j] = static_cast<double>(start->q[j]);
      z.p[j] = static_cast<double>(start->p[j]);
      z.q[j].d[0] = static_cast<double>(q[j]);
      z.p[j].d[0] = static_cast<double>(p[j]);
    }
    move_onto_constraints(tangents_, z);
    ASSERT_TRUE(go(choice, tangents_, z));

    const auto e = static_cast<Quad>(1e-9);
    std::array<PhasePoint<Quad>, 2> ends;
    for (std::size_t k = 0; k < 2; ++k) {
      ends[k] = start;
      const Quad distance = k == 0 ? -e : e;
      for (std::size_t j = 0; j < n; ++j) ends[k].q[j] += distance * q[j], ends[k].p[j] += distance * p[j];
      move_onto_constraints(quads_, ends[k]);
      ASSERT_TRUE(go(choice, quads_, ends[k]));
    }
    double largest = 0, defect = 0;
    const auto take = [&](const std::vector<Tangents>& x, std::vector<Quad> PhasePoint<Quad>::*part) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto difference = static_cast<double>(((ends[1].*part)[j] - (ends[0].*part)[j]) / (2 * e));
        largest = std::max(largest, std::abs(difference));
        defect = std::max(defect, std::abs(difference - x[j].d[0]));
      }
    };
    take(z.q, &PhasePoint<Quad>::q);
    take(z.p, &PhasePoint<Quad>::p);
    EXPECT_GT(largest, 1e-3);
    EXPECT_LE(defect, kAgreement * largest);
  }

 private:
  test::Instance<Tangents> tangents_;
  test::Instance<Quad> quads_;
};

class SlowTangentProduct : public TangentProduct {};

bool is_made(const std::string& method, const std::string& formulation) {
  test::Instance<double> instance(problem());
  try {
    static_cast<void>(find_method<double>(method).make(instance.manifold, formulation));
    return true;
  } catch (const std::invalid_argument&) {
    return false;  // it does not apply; that is tested elsewhere
  }
}

TEST_P(SlowTangentProduct, AgreesWithDifferences) {
  const MethodFacts facts = find_method<double>(GetParam()).facts;
  int made = 0;
  for (const auto& formulation : facts.formulations) {
    if (!is_made(GetParam(), formulation)) continue;
    for (const Projection projection :
         {Projection::none, Projection::position, Projection::momentum, Projection::both, Projection::joint}) {
      compare({GetParam(), formulation, projection});
      ++made;
    }
  }
  EXPECT_GT(made, 0);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& method : methods<double>())
    if (test::applies(method.facts, problem())) names.push_back(method.facts.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SlowTangentProduct, testing::ValuesIn(method_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace cotangent
