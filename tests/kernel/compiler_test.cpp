#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <thread>

#include "cotangent/kernel/machine_code.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/kernel/kernel_fixture.hpp"

namespace cotangent::test {
namespace {

class CompilerTest : public KernelTest {
 protected:
  KernelSpec square(std::int64_t count) const {
    return {{{x[0], 0, IndexMap::affine(0, 1)}}, {}, {{x[0] * x[0], 0, IndexMap::affine(0, 1), Mode::assign}}, count};
  }
};

TEST_F(CompilerTest, CompilesAllPendingKernelsAtTheFirstCall) {
  for (const Backend backend : backends()) {
    KernelCompiler<double> compiler(backend);
    const auto first = compiler.add(square(1)), second = compiler.add(square(3));
    EXPECT_EQ(compiler.statistics().kernels, 0);
    double v[3] = {2, 3, 4}, r[3] = {};
    const double* in[] = {v};
    double* out[] = {r};
    second(in, out);
    EXPECT_EQ(r[2], 16);
    EXPECT_EQ(compiler.statistics().kernels, 2);
    first(in, out);
    const auto third = compiler.add(square(2));
    EXPECT_EQ(compiler.statistics().kernels, 2);
    third(in, out);
    EXPECT_EQ(compiler.statistics().kernels, 3);
    EXPECT_EQ(r[1], 9);
    EXPECT_EQ(compiler.backend(), backend);
  }
}

TEST_F(CompilerTest, CompilersMayShareMachineCode) {
  if (!has_jit()) GTEST_SKIP() << "built without LLVM";
  const auto code = std::make_shared<MachineCode>();
  double v[3] = {2, 3, 4}, r[3] = {};
  const double* in[] = {v};
  double* out[] = {r};
  for (const std::int64_t count : {3, 2}) {
    KernelCompiler<double> compiler(Backend::jit, code);
    compiler.add(square(count))(in, out);
    EXPECT_EQ(r[count - 1], v[count - 1] * v[count - 1]);
    EXPECT_EQ(code->size(), 1);
  }
  KernelCompiler<Lanes> lanes(Backend::jit, code);
  lanes.add(square(3));
  lanes.compile();
  EXPECT_EQ(code->size(), 2);
}

TEST_F(CompilerTest, TenAndAMillionInstancesShareTheirMachineCode) {
  if (!has_jit()) GTEST_SKIP() << "built without LLVM";
  KernelCompiler<double> compiler(Backend::jit);
  const auto small = compiler.add(square(10)), large = compiler.add(square(1000000));
  compiler.compile();
  EXPECT_EQ(compiler.statistics().kernels, 2);
  EXPECT_EQ(compiler.statistics().functions, 1);
  const auto other = compiler.add(square(77));
  compiler.compile();
  EXPECT_EQ(compiler.statistics().functions, 1);

  std::vector<double> v(1000000), r(1000000);
  std::iota(v.begin(), v.end(), 0.0);
  const double* in[] = {v.data()};
  double* out[] = {r.data()};
  small(in, out);
  EXPECT_EQ(r[9], 81);
  EXPECT_EQ(r[10], 0);
  other(in, out);
  EXPECT_EQ(r[76], 76 * 76);
  EXPECT_EQ(r[77], 0);
  large(in, out);
  EXPECT_EQ(r[999999], 999999.0 * 999999.0);
}

TEST_F(CompilerTest, JitIsForDoubleOnly) {
  EXPECT_THROW(KernelCompiler<Quad>(Backend::jit), std::invalid_argument);
  if (!has_jit()) {
    EXPECT_THROW(KernelCompiler<double>(Backend::jit), std::invalid_argument);
  }
}

TEST_F(CompilerTest, ACallDoesNotAllocate) {
  for (const Backend backend : backends())
    for (const std::int64_t count : {1, 5, 100}) {
      RandomExpression random(g, {x[0], x[1], i}, 5);
      const KernelSpec spec{{{x[0], 0, IndexMap::affine(0, 1)}, {x[1], 0, map_of(Kind::list, count)}},
                            {{i, IndexMap::affine(0, 1)}},
                            {{random.make(30), 0, IndexMap::affine(0, 1), Mode::add},
                             {random.make(30), 1, IndexMap::fixed(0), Mode::max}},
                            count};
      KernelCompiler<double> compiler(backend);
      KernelCompiler<Lanes> lanes_compiler(backend);
      const auto kernel = compiler.add(spec);
      const auto lanes_kernel = lanes_compiler.add(spec);
      compiler.compile();
      lanes_compiler.compile();
      const Data<double> data(spec, GuardedVector<double>::Touching::upper_page);
      const Data<Lanes> lanes_data(spec, GuardedVector<Lanes>::Touching::upper_page);
      const long before = allocations();
      kernel(data.in(), data.out());
      lanes_kernel(lanes_data.in(), lanes_data.out());
      EXPECT_EQ(allocations(), before);
    }
}

TEST_F(CompilerTest, CallsFromSeveralThreadsDoNotDisturbEachOther) {
  for (const Backend backend : backends()) {
    const Expr e = RandomExpression(g, {x[0], x[1]}, 11).make(25);
    const KernelSpec spec{{{x[0], 0, IndexMap::affine(0, 1)}, {x[1], 0, IndexMap::fixed(0)}},
                          {},
                          {{e, 0, IndexMap::affine(0, 1), Mode::assign}, {e, 1, IndexMap::fixed(0), Mode::add}},
                          100};
    KernelCompiler<double> compiler(backend);
    const auto kernel = compiler.add(spec);  // compiled by whichever thread comes first
    std::vector<std::unique_ptr<Data<double>>> results;
    for (unsigned t = 0; t < 8; ++t)
      results.push_back(std::make_unique<Data<double>>(spec, GuardedVector<double>::Touching::upper_page, t));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int n = 0; n < 200; ++n) kernel(results[t]->in(), results[t]->out());
      });
    for (auto& thread : threads) thread.join();
    for (unsigned t = 0; t < 8; ++t) {
      Data<double> expected(spec, GuardedVector<double>::Touching::upper_page, t);
      for (int n = 0; n < 200; ++n) execute_literally(spec, expected);
      EXPECT_EQ(difference(spec, expected, *results[t]), "");
    }
  }
}

}  // namespace
}  // namespace cotangent::test
