#include <gtest/gtest.h>

#include "cotangent/system/system.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Problem;

class StructureOf : public testing::TestWithParam<Problem> {};

TEST_P(StructureOf, IsFoundFromTheSymbols) {
  Instance<Quad> instance(GetParam());
  EXPECT_EQ(instance.system.is_separable(), GetParam().separable);
  EXPECT_EQ(instance.system.diagonal_mass().has_value(), GetParam().diagonal_mass);
}

// A verdict that a number contradicts is wrong whatever the symbols say.
TEST_P(StructureOf, AgreesWithTheNumbers) {
  Instance<Quad> instance(GetParam());
  const Model& model = instance.model;
  const auto z = test::noisy_point(model, 1, 0.2), other = test::noisy_point(model, 2, 0.2);
  const Quad difference = test::distance(test::dense_H_q(model, z.q, z.p), test::dense_H_q(model, z.q, other.p));
  EXPECT_EQ(static_cast<double>(difference) < 1e-28, instance.system.is_separable());

  const auto W = test::dense_H_pp(model, z.q, z.p), W_other = test::dense_H_pp(model, other.q, other.p);
  bool diagonal_and_constant = true;
  for (std::size_t i = 0; i < W.size(); ++i)
    for (std::size_t j = 0; j < W.size(); ++j)
      if (abs(W[i][j] - W_other[i][j]) > static_cast<Quad>(1e-28) ||
          (i != j && abs(W[i][j]) > static_cast<Quad>(1e-28)))
        diagonal_and_constant = false;
  EXPECT_EQ(diagonal_and_constant, instance.system.diagonal_mass().has_value());
  if (!instance.system.diagonal_mass()) return;
  for (std::size_t i = 0; i < W.size(); ++i)
    EXPECT_LE(static_cast<double>(abs(W[i][i] - (*instance.system.diagonal_mass())[i])), 1e-30);
}

INSTANTIATE_TEST_SUITE_P(AllProblems, StructureOf, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

constexpr const char* kTwoCoordinates = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "HAMILTONIAN"
[initial]
x = 1
y = 2
p_x = 3
p_y = 4
)toml";

Problem with_hamiltonian(const std::string& H) {
  std::string text = kTwoCoordinates;
  return {.name = "test", .text = text.replace(text.find("HAMILTONIAN"), 11, H)};
}

TEST(Mass, IsHomogeneousOnlyIfMomentaWithoutVelocityVanish) {
  EXPECT_TRUE(Instance<double>(with_hamiltonian("p_x^2 + 3*p_y^2 + x*y")).system.has_homogeneous_mass());
  EXPECT_FALSE(Instance<double>(with_hamiltonian("p_x^2 + p_x + 3*p_y^2")).system.has_homogeneous_mass());
  EXPECT_FALSE(Instance<double>(with_hamiltonian("(p_x - 1)^2 + 3*p_y^2")).system.has_homogeneous_mass());
}

TEST(Mass, IsZeroForACoordinateWhoseMomentumDoesNotOccur) {
  const Instance<double> instance(with_hamiltonian("p_x^2/2 + x*y"));
  ASSERT_TRUE(instance.system.diagonal_mass().has_value());
  EXPECT_EQ(*instance.system.diagonal_mass(), (std::vector<double>{1, 0}));
}

TEST(Mass, IsNotDiagonalWhereMomentaMeetInAnotherTerm) {
  EXPECT_FALSE(Instance<double>(with_hamiltonian("p_x^2/2 + p_y^2/2 + p_x*p_y/3")).system.diagonal_mass());
  EXPECT_FALSE(Instance<double>(with_hamiltonian("p_x^2/2 + p_y^2*cos(x)")).system.diagonal_mass());
  EXPECT_FALSE(Instance<double>(with_hamiltonian("p_x^4 + p_y^2")).system.diagonal_mass());
}

TEST(Separability, AllowsNoTermWithBoth) {
  EXPECT_FALSE(Instance<double>(with_hamiltonian("p_x^2/2 + p_y^2/2 + 0.001*x*p_y")).system.is_separable());
  EXPECT_TRUE(Instance<double>(with_hamiltonian("exp(p_x)*p_y^2 + x^y")).system.is_separable());
}

TEST(Operations, AreMadeOnce) {
  Instance<double> instance(test::problem("double_pendulum"));
  const Contraction H_q{.result = Contraction::Result::gradient_q}, H_p{.result = Contraction::Result::gradient_p};
  const auto* first = &instance.system.operation(H_q);
  EXPECT_NE(&instance.system.operation(H_p), first);
  EXPECT_EQ(&instance.system.operation(H_q), first);
}

// What the geometry of the manifold and the field of a formulation need, for a length.
KernelCompiler<double>::Statistics compiled_for_chain(int N) {
  Instance<double> instance(test::chain(N), has_jit() ? Backend::jit : Backend::interpreter);
  auto z = test::converted<double>(test::given_point(instance.model));
  EXPECT_TRUE(instance.manifold.project_position(z).converged);
  EXPECT_TRUE(instance.manifold.project_momentum(z).converged);
  std::vector<double> lambda(instance.m()), F(instance.n());
  double power = 0;
  EXPECT_TRUE(instance.manifold.multipliers(z, z.p.data(), lambda.data(), F.data(), power).regular);
  return instance.system.compiler().statistics();
}

TEST(CompiledCode, OfAChainDoesNotDependOnItsLength) {
  const auto shorter = compiled_for_chain(20), longer = compiled_for_chain(1000);
  EXPECT_GT(shorter.kernels, 0);
  EXPECT_EQ(shorter.kernels, longer.kernels);
  EXPECT_EQ(shorter.functions, longer.functions);
}

// Everything that is made of one CompiledModel shares its code: dual numbers are computed by the same compiler.
TEST(CompiledCode, IsMadeOnceForAllWorkspaces) {
  const Model model = test::read(test::problem("double_pendulum"));
  const auto compiled = std::make_shared<const CompiledModel>(std::make_shared<Elements>(extract_elements(model)),
                                                              has_jit() ? Backend::jit : Backend::interpreter);
  const auto use = [&](auto number) {
    using T = decltype(number);
    System<T> system(compiled);
    Manifold<T> manifold(system);
    auto z = test::converted<T>(test::given_point(model));
    EXPECT_TRUE(all(manifold.project_position(z).converged) && all(manifold.project_momentum(z).converged));
    return z;
  };
  const PhasePoint<double> first = use(0.0);
  const int kernels = compiled->compiler<double>().statistics().kernels;
  EXPECT_GT(kernels, 0);
  const PhasePoint<double> second = use(0.0);
  EXPECT_EQ(second.q, first.q);
  EXPECT_EQ(second.p, first.p);
  EXPECT_EQ(compiled->compiler<double>().statistics().kernels, kernels);
  use(Tangents());
  const int with_tangents = compiled->compiler<double>().statistics().kernels;
  EXPECT_GT(with_tangents, kernels);
  use(Tangents());
  EXPECT_EQ(compiled->compiler<double>().statistics().kernels, with_tangents);
}

}  // namespace
}  // namespace cotangent
