#include "cotangent/system/operation/fuse.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/kernel/dual_kernel.hpp"

namespace cotangent {
namespace {

enum Vector : int { x, masses, y, z, moved };

// y_k += m_k x_k, with m the same in every call.
KernelSpec scaled(Graph& graph, const IndexMap& at, std::int64_t count, int from, int to) {
  const Expr value = graph.new_symbol("x", SymbolKind::local), mass = graph.new_symbol("m", SymbolKind::local);
  KernelSpec spec;
  spec.count = count;
  spec.loads = {{.symbol = value, .vector = from, .at = at},
                {.symbol = mass, .vector = masses, .at = at, .constant = true}};
  spec.stores = {{value * mass, to, at}};
  return spec;
}

void expect_only_masses_constant(const KernelSpec& spec) {
  int constants = 0;
  for (const auto& load : spec.loads) {
    EXPECT_EQ(load.constant, load.vector == masses) << load.vector;
    if (load.constant) ++constants;
  }
  EXPECT_EQ(constants, 1);
}

// Nobody reads tangents of what has none, in a kernel that was made of several either.
TEST(Fuse, KeepsWhatIsConstant) {
  Graph graph;
  const IndexMap all = IndexMap::affine(0, 1);
  const auto fused = fuse({scaled(graph, all, 5, x, y), scaled(graph, all, 5, moved, z)});
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_EQ(fused[0].loads.size(), 3U);
  expect_only_masses_constant(fused[0]);
  constexpr int K = 2;
  EXPECT_EQ(with_tangents(fused[0], K, Dual<double, K>::kSize).loads.size(), 2U * (1 + K) + 1);
}

TEST(Compose, KeepsWhatIsConstant) {
  Graph graph;
  const IndexMap first = IndexMap::fixed(0);
  const KernelSpec both =
      compose(scaled(graph, first, 1, x, y), scaled(graph, first, 1, moved, z), {.values = {{y, moved}}, .inputs = {}});
  ASSERT_EQ(both.loads.size(), 2U);
  expect_only_masses_constant(both);
}

}  // namespace
}  // namespace cotangent
