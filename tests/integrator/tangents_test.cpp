#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "tests/integrator/method_contract.hpp"

// Tangents are carried through steps by dual numbers. Here they are held against differences of neighbouring
// trajectories, which are made in Quad with the same steps: an error e^2 and rounding errors 1e-33/e, both far below
// what is asked for.

namespace cotangent {
namespace {

using test::is_ok;

constexpr double kDifference = 1e-9;
constexpr std::array<int, 2> kPlaces{-1, 1};
constexpr double kAgreement = 1e-9;

template <class T>
void move_onto_constraints(test::Instance<T>& instance, PhasePoint<T>& z) {
  if (instance.m() == 0) return;
  ASSERT_TRUE(instance.manifold.project_position(z).converged);
  ASSERT_TRUE(instance.manifold.project_momentum(z).converged);
}

/// q, p and s of a point.
template <class Z>
auto parts(Z& z) {
  return std::array{&z.q, &z.p, &z.s};
}

/// A trajectory with two tangents, twice: by dual numbers, and by differences.
class Neighbours {
 public:
  Neighbours(const std::string& method, const test::Problem& problem, const std::string& formulation)
      : tangents_(method, problem, test::fastest(), formulation) {
    const auto start = test::start<Quad>(problem);
    std::array<PhasePoint<Quad>, 2> along{start.state(), start.state()};
    test::Noise noise(7);
    for (auto& v : along)
      for (auto* part : parts(v)) *part = noise.vector(part->size());

    z_ = Point<Tangents>(static_cast<std::int64_t>(start->q.size()), static_cast<std::int64_t>(start->s.size()));
    PhasePoint<Tangents>& first = z_.change();
    for (std::size_t part = 0; part < 3; ++part) {
      auto& x = *parts(first)[part];
      for (std::size_t j = 0; j < x.size(); ++j) {
        x[j] = static_cast<double>((*parts(start.state())[part])[j]);
        for (std::size_t d = 0; d < 2; ++d)
          x[j].d[static_cast<int>(d)] = static_cast<double>((*parts(along[d])[part])[j]);
      }
    }
    move_onto_constraints(tangents_.instance, first);

    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t k = 0; k < kPlaces.size(); ++k) {
        runners_[d].push_back(
            std::make_unique<test::MethodRunner<Quad>>(method, problem, Backend::interpreter, formulation));
        points_[d][k] = start;
        PhasePoint<Quad>& z = points_[d][k].change();
        const Quad distance = static_cast<Quad>(kDifference) * kPlaces[k];
        for (std::size_t part = 0; part < 3; ++part)
          for (std::size_t j = 0; j < parts(z)[part]->size(); ++j)
            (*parts(z)[part])[j] += distance * (*parts(along[d])[part])[j];
        move_onto_constraints(runners_[d][k]->instance, z);
      }
  }

  void step(double h) {
    const auto report = tangents_.step(z_, h);
    ASSERT_TRUE(is_ok(report));
    iterations_ = report.iterations;
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t k = 0; k < kPlaces.size(); ++k)
        ASSERT_TRUE(is_ok(runners_[d][k]->step(points_[d][k], static_cast<Quad>(h))));
  }

  /// Of the last step with tangents.
  std::int64_t iterations() const { return iterations_; }

  void compare(const std::string& when, double agreement = kAgreement) const {
    for (std::size_t d = 0; d < 2; ++d) {
      const auto& at = points_[d];
      double largest = 0, defect = 0;
      const auto take = [&](const std::vector<Tangents>& x, std::vector<Quad> PhasePoint<Quad>::*part) {
        for (std::size_t j = 0; j < x.size(); ++j) {
          const auto difference = static_cast<double>(((at[1].state().*part)[j] - (at[0].state().*part)[j]) /
                                                      (2 * static_cast<Quad>(kDifference)));
          largest = std::max(largest, std::abs(difference));
          defect = std::max(defect, std::abs(difference - x[j].d[d]));
        }
      };
      take(z_->q, &PhasePoint<Quad>::q);
      take(z_->p, &PhasePoint<Quad>::p);
      take(z_->s, &PhasePoint<Quad>::s);
      EXPECT_GT(largest, 1e-3);
      EXPECT_LE(defect, agreement * largest) << when << ", tangent " << d;
    }
  }

 private:
  test::MethodRunner<Tangents> tangents_;
  Point<Tangents> z_;
  std::int64_t iterations_ = 0;
  std::array<std::vector<std::unique_ptr<test::MethodRunner<Quad>>>, 2> runners_;
  std::array<std::array<Point<Quad>, kPlaces.size()>, 2> points_;
};

void expect_tangents(const std::string& method, const test::Problem& problem, const std::string& formulation) {
  SCOPED_TRACE(formulation);
  Neighbours neighbours(method, problem, formulation);
  neighbours.compare("at the start");
  int k = 0;
  // Guesses of a step come from those before; another length makes others of them.
  for (const double h : {0.05, 0.05, 0.03}) {
    neighbours.step(h);
    if (testing::Test::HasFatalFailure()) return;
    neighbours.compare("after step " + std::to_string(++k));
  }
}

// The last correction of multipliers, for derivatives only, is made with the matrix of the one before. In a long chain
// rows are of many sizes, and g of the last links is a small difference of large numbers.
TEST(RattleTangents, AreExactInLongChains) {
  Neighbours neighbours("rattle", test::chain(40), "");
  for (int k = 0; k < 12; ++k) {
    neighbours.step(k < 6 ? 1e-3 : 5e-2);
    if (testing::Test::HasFatalFailure()) return;
  }
  neighbours.compare("at the end", 2e-12);
}

// A small system goes by one kernel once its guesses are good: one correction of l and one projection of P, after which
// derivatives of the multipliers come from the implicit function theorem.
TEST(RattleTangents, AreExactInTheStepThatIsOneKernel) {
  constexpr double kExact = 1e-12;
  for (const char* name : {"pendulum", "double_pendulum", "torus", "ellipsoid", "paraboloid"}) {
    SCOPED_TRACE(name);
    Neighbours neighbours("rattle", test::problem(name), "");
    int by_kernel = 0;
    for (int k = 0; k < 20; ++k) {
      neighbours.step(0.002);
      if (testing::Test::HasFatalFailure()) return;
      if (neighbours.iterations() == 2) ++by_kernel;
    }
    EXPECT_GE(by_kernel, 10);
    neighbours.compare("after steps by the kernel", kExact);
  }
}

class MethodTangents : public test::MethodTest {};

TEST_P(MethodTangents, AgreeWithDifferences) { expect_tangents(method, problem, ""); }

INSTANTIATE_TEST_SUITE_P(All, MethodTangents, testing::ValuesIn(test::method_cases()), test::method_case_name);

class FormulationTangents : public testing::TestWithParam<std::string> {};

TEST_P(FormulationTangents, AgreeWithDifferencesUnderEveryKindOfMethod) {
  for (const std::string method : {"rk4", "gauss:2", "implicit-midpoint", "gonzalez"})
    for (const std::string name : {"double_pendulum", "spherical_metric", "relativistic", "euler_top"}) {
      SCOPED_TRACE(method + " on " + name);
      const auto& problem = test::problem(name);
      try {
        expect_tangents(method, problem, GetParam());
      } catch (const std::invalid_argument&) {
        // It does not apply; that is tested elsewhere.
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, FormulationTangents, testing::ValuesIn(field_formulations("standard")),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cotangent
