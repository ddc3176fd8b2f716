#include "cotangent/kernel/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernel/support.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;

class ProgramRules : public testing::Test {
 protected:
  Graph g;
  Expr x = g.new_symbol("x", SymbolKind::local), y = g.new_symbol("y", SymbolKind::local),
       z = g.new_symbol("z", SymbolKind::local), w = g.new_symbol("w", SymbolKind::local);

  Program program(const std::vector<Program::Target>& targets) const {
    const std::vector<Program::Leaf> leaves = {
        {x, Code::load, 0}, {y, Code::load, 1}, {z, Code::load, 2}, {w, Code::load, 3}};
    return Program(leaves, targets);
  }

  // The operations without the leaves.
  static std::vector<Code> operations(const Program& p) {
    std::vector<Code> codes;
    for (const auto& i : p.instructions())
      if (i.arity() > 0) codes.push_back(i.code);
    return codes;
  }
  std::vector<Code> operations(Expr e) const { return operations(program({{e}})); }
};

using Codes = std::vector<Code>;

TEST_F(ProgramRules, ASumWithMinusOneIsADifference) {
  EXPECT_EQ(operations(x - y), Codes{Code::sub});
  EXPECT_EQ(operations(y - x), Codes{Code::sub});
  EXPECT_EQ(to_string(program({{y - x}})), "%0 = load 1\n%1 = load 0\n%2 = sub %0 %1\noutput %2\n");
  EXPECT_EQ(operations(-x), Codes{Code::neg});
  EXPECT_EQ(operations(x - 3.0), Codes{Code::sub});
}

TEST_F(ProgramRules, AProductUsedOnceIsFused) {
  EXPECT_EQ(operations(x * y + z), Codes{Code::fma});
  EXPECT_EQ(operations(x * y - z), Codes{Code::fms});
  EXPECT_EQ(operations(z - x * y), Codes{Code::fnma});
  EXPECT_EQ(operations(z - 3.0 * y), Codes{Code::fnma});
  EXPECT_EQ(operations(x * x + y * y), (Codes{Code::mul, Code::fma}));
}

TEST_F(ProgramRules, AProductUsedTwiceIsNotFused) {
  EXPECT_EQ(operations((x * y + z) * (x * y)), (Codes{Code::mul, Code::add, Code::mul}));
}

TEST_F(ProgramRules, ADifferenceOfProductsIsNotFused) {
  EXPECT_EQ(operations(x * y - z * w), (Codes{Code::mul, Code::mul, Code::sub}));
  // A power of two rounds nothing.
  EXPECT_EQ(operations(x * x - 4.0 * (y * z)), (Codes{Code::mul, Code::mul, Code::fnma}));
}

TEST_F(ProgramRules, PowersAreProducts) {
  EXPECT_EQ(operations(pow(x, 2)), Codes{Code::mul});
  EXPECT_EQ(operations(pow(x, 5)), (Codes{Code::mul, Code::mul, Code::mul}));
  EXPECT_EQ(operations(pow(x, 64)), Codes(6, Code::mul));
  EXPECT_EQ(operations(pow(x, -2)), (Codes{Code::mul, Code::div}));
  EXPECT_EQ(operations(pow(x, 0.5)), Codes{Code::sqrt});
  EXPECT_EQ(operations(pow(x, -0.5)), (Codes{Code::sqrt, Code::div}));
  EXPECT_EQ(operations(pow(x, 1.5)), (Codes{Code::sqrt, Code::mul}));
  EXPECT_EQ(operations(pow(x, 65)), Codes{Code::call});
  EXPECT_EQ(operations(pow(x, 1.0 / 3)), Codes{Code::call});
  EXPECT_EQ(operations(pow(x, y)), Codes{Code::call});
}

TEST_F(ProgramRules, DivisionByAPowerOfTwoIsAProduct) {
  EXPECT_EQ(operations(x / 8.0), Codes{Code::mul});
  EXPECT_EQ(operations(x / 3.0), Codes{Code::div});
}

TEST_F(ProgramRules, SignsTravelOutwards) {
  EXPECT_EQ(operations(z - sin(-x)), (Codes{Code::call, Code::add}));
  EXPECT_EQ(operations(cos(-x)), Codes{Code::call});
  EXPECT_EQ(operations(z + (-x) * y), Codes{Code::fnma});
  EXPECT_EQ(operations(z - pow(-x, 3)), (Codes{Code::mul, Code::fma}));
  EXPECT_EQ(operations(abs(-x)), Codes{Code::abs});
}

TEST_F(ProgramRules, AnOutputThatIsAddedNeedsNoNegation) {
  const auto p = program({{x * y, true}, {-(x * y), true}});
  EXPECT_EQ(operations(p), Codes{Code::mul});
  EXPECT_FALSE(p.outputs()[0].negative);
  EXPECT_TRUE(p.outputs()[1].negative);
  EXPECT_EQ(operations(program({{x * y, false}, {-(x * y), false}})), (Codes{Code::mul, Code::neg}));
}

TEST_F(ProgramRules, EveryValueIsComputedOnceAndUsed) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Expr e = test::RandomExpression(g, {x, y, z, w}, seed).make(40);
    const auto p = program({{e}, {e * x, true}});
    std::vector<int> uses(p.instructions().size());
    for (std::size_t v = 0; v < p.instructions().size(); ++v) {
      for (const auto a : p.instructions()[v].arguments()) {
        ASSERT_LT(a, v);
        ++uses[a];
      }
      if (p.instructions()[v].code == Code::constant) continue;
      for (std::size_t u = 0; u < v; ++u) EXPECT_FALSE(p.instructions()[u] == p.instructions()[v]);
    }
    for (const auto& o : p.outputs()) ++uses[o.value];
    EXPECT_EQ(std::count(uses.begin(), uses.end(), 0), 0) << to_string(p);
  }
}

TEST_F(ProgramRules, RejectsWhatIsNoLeaf) {
  const Expr stranger = g.new_symbol("stranger", SymbolKind::parameter);
  try {
    program({{x + stranger}});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'stranger'"), std::string::npos);
  }
  const SymbolId array = g.declare("a", SymbolKind::parameter, 1);
  EXPECT_THROW(program({{g.entry(array, std::vector{x})}}), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
