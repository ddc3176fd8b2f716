#include "cotangent/kernel/dual_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cotangent {
namespace {

// y = x sin(w), z += x over three instances, of vectors with numbers far apart.
struct Product {
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::local), w = graph.new_symbol("w", SymbolKind::local);
  KernelSpec spec;

  Product() {
    spec.count = 3;
    spec.loads = {{x, 40, IndexMap::affine(0, 1)}, {w, 7, IndexMap::fixed(0)}};
    spec.stores = {{x * sin(w), 9, IndexMap::affine(0, 1)}, {x, 2, IndexMap::fixed(0), KernelSpec::Mode::add}};
  }
};

TEST(DualKernel, NumbersOnlyTheVectorsThatThereAre) {
  Product product;
  const VectorNumbers old = renumber_vectors(product.spec);
  EXPECT_EQ(old.in, (std::vector{7, 40}));
  EXPECT_EQ(old.out, (std::vector{2, 9}));
  EXPECT_EQ(product.spec.loads[0].vector, 1);
  EXPECT_EQ(product.spec.loads[1].vector, 0);
  EXPECT_EQ(product.spec.stores[0].vector, 1);
  EXPECT_EQ(product.spec.stores[1].vector, 0);
}

TEST(DualKernel, ComputesDerivativesBesideValues) {
  Product product;
  for (const Backend backend : {Backend::interpreter, has_jit() ? Backend::jit : Backend::interpreter}) {
    KernelCompiler<double> numbers(backend);
    KernelCompiler<Tangents> compiler(numbers);
    const Kernel<Tangents> kernel = compiler.add(product.spec);
    std::vector<Tangents> x(3), w(1), y(3), z(1);
    w[0] = Tangents::map(0.3, [](int k) { return k == 0 ? 1.0 : 0.0; });
    for (int i = 0; i < 3; ++i)
      x[static_cast<std::size_t>(i)] = Tangents::map(1.0 + i, [&](int k) { return k == 0 ? 0.0 : 2.0 + i; });
    std::vector<const Tangents*> in(41, nullptr);
    std::vector<Tangents*> out(10, nullptr);
    in[40] = x.data();
    in[7] = w.data();
    out[9] = y.data();
    out[2] = z.data();
    kernel(in.data(), out.data());
    for (int i = 0; i < 3; ++i) {
      const Tangents& result = y[static_cast<std::size_t>(i)];
      EXPECT_DOUBLE_EQ(result.value, (1 + i) * std::sin(0.3));
      EXPECT_DOUBLE_EQ(result.d[0], (1 + i) * std::cos(0.3));
      EXPECT_DOUBLE_EQ(result.d[1], (2 + i) * std::sin(0.3));
    }
    EXPECT_EQ(z[0], Tangents::map(6.0, [](int k) { return k == 0 ? 0.0 : 9.0; }));
  }
}

// A spec may say itself what becomes of derivatives: here that of the first number alone, twice.
TEST(DualKernel, TakesSpecsOverTheNumbersOfDualNumbers) {
  constexpr std::int64_t size = Tangents::kSize;
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), dx = graph.new_symbol("dx", SymbolKind::local);
  KernelSpec spec;
  spec.count = 1;
  spec.loads = {{x, 5, IndexMap::fixed(size)}, {dx, 5, IndexMap::fixed(size + 1)}};
  spec.stores = {{x * x, 3, IndexMap::fixed(0), KernelSpec::Mode::assign},
                 {2 * dx, 3, IndexMap::fixed(1), KernelSpec::Mode::assign}};
  for (const Backend backend : {Backend::interpreter, has_jit() ? Backend::jit : Backend::interpreter}) {
    KernelCompiler<double> numbers(backend);
    KernelCompiler<Tangents> compiler(numbers);
    const Kernel<Tangents> kernel = compiler.add_numbers(spec);
    const std::vector<Tangents> given{Tangents(7), Tangents::map(3.0, [](int k) { return 10.0 + k; })};
    std::vector<Tangents> result(1, Tangents::map(0.0, [](int) { return -1.0; }));
    std::vector<const Tangents*> in(6, nullptr);
    std::vector<Tangents*> out(4, nullptr);
    in[5] = given.data();
    out[3] = result.data();
    kernel(in.data(), out.data());
    EXPECT_EQ(result[0], Tangents::map(9.0, [](int k) { return k == 0 ? 20.0 : -1.0; }));
  }
}

}  // namespace
}  // namespace cotangent
