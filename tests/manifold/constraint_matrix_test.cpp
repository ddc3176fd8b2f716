#include "cotangent/manifold/constraint_matrix.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/coupling_pattern.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Matrix;
using test::Problem;

class ConstraintMatrixOf : public testing::TestWithParam<Problem> {
 protected:
  // max |A X - I|, X the solutions for unit vectors.
  template <class T>
  double solve_error(const Matrix& A, const ConstraintMatrix<T>& matrix) {
    const std::size_t m = A.size();
    double error = 0;
    for (std::size_t j = 0; j < m; ++j) {
      std::vector<T> x(m, T(0));
      x[j] = T(1);
      matrix.solve(x.data());
      for (std::size_t i = 0; i < m; ++i) {
        Quad residual = i == j ? -1 : 0;
        for (std::size_t k = 0; k < m; ++k) residual += A[i][k] * static_cast<Quad>(x[k]);
        error = std::max(error, static_cast<double>(abs(residual)));
      }
    }
    return error;
  }

  const Model model = test::read(GetParam());
  // Two points near each other, as before and after a step, off the manifold.
  const PhasePoint<Quad> z = test::noisy_point(model, 1, 0.05), Z = test::noisy_point(model, 2, 0.05);
};

// The condition numbers are below 1e4: 1e-29 is 2e-34 times that and ten.
TEST_P(ConstraintMatrixOf, IsTheProductOfItsFactors) {
  Instance<Quad> instance(GetParam());
  const Matrix G = test::dense_G(model, z.q), W = test::dense_H_pp(model, z.q, z.p);
  const Matrix R = test::product(G, test::product(W, test::transposed(G)));
  ASSERT_TRUE(instance.manifold.matrix().factor(z).regular);
  EXPECT_LE(solve_error(R, instance.manifold.matrix()), 1e-29);
}

TEST_P(ConstraintMatrixOf, OfNewtonHasTheLeftFactorAtTheNewPoint) {
  Instance<Quad> instance(GetParam());
  const Matrix G_old = test::dense_G(model, z.q), G_new = test::dense_G(model, Z.q);
  const Matrix W = test::dense_H_pp(model, z.q, z.p);
  const Matrix K = test::product(G_new, test::product(W, test::transposed(G_old)));
  ASSERT_TRUE(instance.manifold.matrix().factor_newton(Z.q.data(), 0, z).regular);
  EXPECT_LE(solve_error(K, instance.manifold.matrix()), 1e-29);
}

TEST_P(ConstraintMatrixOf, IsTheSameInMachineCodeAndLanesBitForBit) {
  if (!has_jit()) GTEST_SKIP();
  Instance<double> interpreter(GetParam()), jit(GetParam(), Backend::jit);
  Instance<Lanes> lanes(GetParam(), Backend::jit);
  const auto a = test::converted<double>(z), b = test::converted<double>(Z);
  const auto a_lanes = test::converted<Lanes>(z), b_lanes = test::converted<Lanes>(Z);
  const auto m = interpreter.m();
  const auto solution = [&](auto& instance, const auto& x, const auto& y, bool newton) {
    using T = std::decay_t<decltype(x.q[0])>;
    auto& matrix = instance.manifold.matrix();
    const auto report = newton ? matrix.factor_newton(y.q.data(), T(0), x) : matrix.factor(x);
    EXPECT_TRUE(all(report.regular));
    std::vector<T> rows = test::converted<T>(test::Noise(5).vector(m));
    matrix.solve(rows.data());
    return rows;
  };
  for (const bool newton : {false, true}) {
    const auto wanted = solution(interpreter, a, b, newton);
    EXPECT_EQ(solution(jit, a, b, newton), wanted);
    const auto batch = solution(lanes, a_lanes, b_lanes, newton);
    for (std::size_t r = 0; r < m; ++r)
      for (int l = 0; l < kLanes; ++l) EXPECT_EQ(batch[r][l], wanted[r]);
  }
}

TEST_P(ConstraintMatrixOf, HasNoEntryOutsideItsPatternAndColumnsOfAColourMeetNoRowTwice) {
  const Elements elements = extract_elements(model);
  const CouplingPattern pattern = coupling_pattern(elements);
  const Matrix G = test::dense_G(model, z.q), W = test::dense_H_pp(model, z.q, z.p);
  const Matrix R = test::product(G, test::product(W, test::transposed(G)));
  const std::set<std::pair<int, int>> listed(pattern.off_diagonal.begin(), pattern.off_diagonal.end());
  EXPECT_EQ(listed.size(), pattern.off_diagonal.size());
  const auto m = static_cast<int>(R.size());
  const auto is_entry = [&](int i, int j) { return i == j || listed.contains({std::max(i, j), std::min(i, j)}); };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const Quad entry = R[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      EXPECT_TRUE(is_entry(i, j) || abs(entry) < static_cast<Quad>(1e-25)) << i << "," << j;
    }
  const auto color = color_columns(m, pattern.off_diagonal);
  for (int row = 0; row < m; ++row) {
    std::set<int> seen;
    for (int column = 0; column < m; ++column) {
      if (!is_entry(row, column)) continue;
      EXPECT_TRUE(seen.insert(color[static_cast<std::size_t>(column)]).second);
    }
  }
}

std::vector<Problem> constrained_problems() {
  std::vector<Problem> list;
  for (const Problem& p : test::problems())
    if (!test::read(p).constraints.empty()) list.push_back(p);
  return list;
}

INSTANTIATE_TEST_SUITE_P(AllProblems, ConstraintMatrixOf, testing::ValuesIn(constrained_problems()),
                         [](const auto& each) { return each.param.name; });

TEST(CouplingPatternOf, AChainIsTridiagonal) {
  const auto pattern = coupling_pattern(extract_elements(test::read(test::chain(50))));
  EXPECT_FALSE(pattern.is_full);
  ASSERT_EQ(pattern.off_diagonal.size(), 49U);
  for (const auto& [i, j] : pattern.off_diagonal) EXPECT_EQ(i, j + 1);
  // Three columns that follow each other meet in a row; the fourth may have the first one's colour.
  const auto color = color_columns(50, pattern.off_diagonal);
  EXPECT_EQ(*std::max_element(color.begin(), color.end()), 2);
}

// Momenta of neighbours are coupled: rod i moves masses i-1 and i, so it meets rods up to i + 2.
TEST(CouplingPatternOf, CoupledMomentaReachesTheNextButOne) {
  const auto pattern = coupling_pattern(extract_elements(test::read(test::problem("coupled_momenta"))));
  const std::set<std::pair<int, int>> listed(pattern.off_diagonal.begin(), pattern.off_diagonal.end());
  EXPECT_TRUE(listed.contains({4, 2}));
  EXPECT_FALSE(listed.contains({5, 2}));
}

Problem long_chain_in_one_square_root(int N) {
  Problem problem = test::chain(N);
  const std::string sum = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i])";
  problem.text.replace(problem.text.find(sum), sum.size(), "sqrt(1 + sum(i in 1..N, p_x[i]^2 + p_y[i]^2))");
  return problem;
}

TEST(ConstraintMatrix, RefusesAFullMatrixThatIsTooLarge) {
  const auto make = [](int N) { Instance<double> instance(long_chain_in_one_square_root(N)); };
  EXPECT_NO_THROW(make(30));
  EXPECT_THROW(make(static_cast<int>(kLimits.full) + 1), std::invalid_argument);
}

TEST(ConstraintMatrix, NamesARowThatDependsOnOthers) {
  Problem twice = test::problem("double_pendulum");
  twice.text.replace(twice.text.find("[minimal]"), 0, "again = \"2*x1^2 + 2*y1^2 = 2*l1^2\"\n");
  Instance<double> instance(twice);
  auto z = test::converted<double>(test::given_point(instance.model));
  const auto dependent = instance.manifold.matrix().dependent(z);
  ASSERT_EQ(dependent.size(), 1U);
  EXPECT_EQ(instance.elements->row_name(dependent[0].row), "again");
  ASSERT_EQ(dependent[0].terms.size(), 1U);
  EXPECT_EQ(instance.elements->row_name(dependent[0].terms[0].row), "upper");
  EXPECT_NEAR(dependent[0].terms[0].coefficient, 2, 1e-12);
  EXPECT_TRUE(instance.manifold.matrix().factor(z).regular);
  EXPECT_TRUE(Instance<double>(test::problem("double_pendulum")).manifold.matrix().dependent(z).empty());
}

// Constraints on all coordinates.
std::string dense_constraints(int m, int n) {
  return fmt::format(R"toml(
[parameters]
N = {}
M = {}
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2/(2*(1 + i/N)))"
[constraints]
s = {{ each = "k in 1..M", equation = "sum(i in 1..N, sin(1.7*k*i)*(x[i] + x[i]^2/10)) = 0" }}
[initial]
x = "cos(i)"
p_x = 0
)toml",
                     n, m);
}

template <class T>
void expect_product_of_factors(const std::string& text, bool is_dense) {
  const Model model = read_model_text(text, "model");
  System<T> system(std::make_shared<Elements>(extract_elements(model)), Backend::interpreter);
  EXPECT_EQ(DenseCoupling<T>::suits(system), is_dense);
  ConstraintMatrix<T> matrix(system);
  ImpulseResponse<T> response(system);
  PhasePoint<T> z(system.n()), Z(system.n());
  for (std::size_t j = 0; j < z.q.size(); ++j) {
    z.q[j] = T(std::cos(static_cast<double>(j)));
    Z.q[j] = z.q[j] + T(1e-3) * T(std::sin(static_cast<double>(j)));
  }
  const auto m = static_cast<std::size_t>(system.m());
  for (const bool is_newton : {false, true}) {
    ASSERT_TRUE(all((is_newton ? matrix.factor_newton(Z.q.data(), T(0), z) : matrix.factor(z)).regular));
    std::vector<T> x(m), b(m), wanted(m);
    for (std::size_t r = 0; r < m; ++r) wanted[r] = T(1) + T(static_cast<double>(r % 7));
    response.rate(is_newton ? Z.q.data() : z.q.data(), T(0), z, wanted.data(), b.data());
    x = b;
    matrix.solve(x.data());
    for (std::size_t r = 0; r < m; ++r) EXPECT_NEAR(static_cast<double>(x[r] - wanted[r]), 0, 1e-9) << r;
  }
}

TEST(ConstraintMatrix, OfDenseConstraintsIsADenseProduct) {
  expect_product_of_factors<double>(dense_constraints(90, 200), true);
  expect_product_of_factors<Quad>(dense_constraints(90, 200), true);
  expect_product_of_factors<double>(dense_constraints(20, 50), false);
}

TEST(ConstraintMatrix, TellsRowsThatAreNearlyParallelFromDependentOnes) {
  const auto dependent = [](const std::string& second, const std::string& mass) {
    const Model model = read_model_text(R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2)/2 + )toml" + mass +
                                            R"toml(*p_z^2/2"
[constraints]
a = "x + y = 0"
b = ")toml" + second + R"toml( = 0"
[initial]
x = 0
y = 0
z = 0
p_x = 1
p_y = -1
p_z = 0
)toml",
                                        "model");
    System<double> system(std::make_shared<Elements>(extract_elements(model)), Backend::interpreter);
    ConstraintMatrix<double> matrix(system);
    return matrix.dependent(PhasePoint<double>(3)).size();
  };
  for (const char* mass : {"1", "(-1)"}) {
    EXPECT_EQ(dependent("x + y + 1e-6*z", mass), 0U) << mass;
    EXPECT_EQ(dependent("x + y + 1e-9*z", mass), 0U) << mass;
    EXPECT_EQ(dependent("3*x + 3*y", mass), 1U) << mass;
    EXPECT_EQ(dependent("0.1*x + 0.1*y", mass), 1U) << "to rounding" << mass;
  }
}

}  // namespace
}  // namespace cotangent
