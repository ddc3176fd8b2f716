#include "cotangent/kernel/recorded_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "cotangent/kernel/kernel.hpp"
#include "tests/kernel/support.hpp"

namespace cotangent {
namespace {

using test::same_bits;

// Code with a loop that ends when it is accurate, a branch, and a function: x <- what it makes of x and a.
template <class T>
T improve(const T& x, const T& a) {
  T root = T(1);
  for (int k = 0; k < 30; ++k) {
    const T change = (a / root - root) / T(2);
    root += change;
    if (!(abs(change) > T(1e-3))) break;
  }
  const T y = x > T(2) ? x / root : fma(x, root, T(0.1));
  return select(y < T(0), T(0), y) + apply(Function::sin, x, x) / T(8);
}

struct Recorded {
  explicit Recorded(double x, double a, Backend backend) : compiler(backend) {
    Recording recording(1000);
    const Traced first = recording.input(x), second = recording.input(a), result = improve(first, second);
    EXPECT_FALSE(recording.has_failed());
    const RecordedKernel recorded{.inputs = {{0, 0}, {0, 1}}, .results = {{result, {0, 0}}}, .passes = 1, .done = 1};
    kernel = compiler.add(recorded.plan(recording));
  }

  // How many passes counted.
  int operator()(std::vector<double>& numbers, int passes) const {
    const double wanted = passes;
    double done = -1;
    const double* const in[] = {numbers.data(), &wanted};
    double* const out[] = {numbers.data(), &done};
    kernel(in, out);
    return static_cast<int>(done);
  }

  KernelCompiler<double> compiler;
  Kernel<double> kernel;
};

class RecordedKernels : public testing::TestWithParam<Backend> {};

// As far as it goes the kernel gives the bits of the code, and it goes no farther than the code makes the same choices.
TEST_P(RecordedKernels, DoWhatTheCodeDoes) {
  if (GetParam() == Backend::jit && !has_jit()) GTEST_SKIP();
  int whole = 0, stopped = 0;
  for (const double recorded_at : {0.4, 1.3, 2.5}) {
    const Recorded recorded(recorded_at, 1.7, GetParam());
    for (double x = -1; x < 5; x += 0.37) {
      for (const double a : {0.9, 1.6, 1.7, 90.0}) {
        std::vector<double> numbers{x, a};
        const int done = recorded(numbers, 5);
        double expected = x;
        for (int k = 0; k < done; ++k) expected = improve(expected, a);
        EXPECT_TRUE(same_bits(numbers[0], expected)) << x << " " << a;
        ++(done == 5 ? whole : stopped);
      }
    }
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(stopped, 0);
}

TEST_P(RecordedKernels, StopWhereAChoiceWouldBeAnotherOne) {
  if (GetParam() == Backend::jit && !has_jit()) GTEST_SKIP();
  const Recorded recorded(1.3, 1.7, GetParam());
  for (const double other : {2.5, std::nan("")}) {
    std::vector<double> numbers{other, 1.7};
    EXPECT_EQ(recorded(numbers, 1), 0);
    EXPECT_TRUE(same_bits(numbers[0], other));
  }
  std::vector<double> numbers{1.3, 0};  // the loop would go on
  EXPECT_EQ(recorded(numbers, 1), 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, RecordedKernels, testing::Values(Backend::interpreter, Backend::jit));

}  // namespace
}  // namespace cotangent
