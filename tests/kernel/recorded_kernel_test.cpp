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
  Recorded(const std::vector<double>& at, double a, Backend backend) : compiler(backend) {
    for (const double x : at) add(x, a);
    kernel = compiler.add(recorded.plan());
  }

  RecordedKernel::Added add(double x, double a) {
    Recording recording(1000);
    const Traced first = recording.input(x), second = recording.input(a), result = improve(first, second);
    EXPECT_FALSE(recording.has_failed());
    return recorded.add(recording, {result});
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

  RecordedKernel recorded{{{0, 0}, {0, 1}}, {{0, 0}}, 1, 1};
  KernelCompiler<double> compiler;
  Kernel<double> kernel;
};

class RecordedKernels : public testing::TestWithParam<Backend> {};

// As far as it goes the kernel gives the bits of the code, and it goes no farther than the code makes the same choices.
TEST_P(RecordedKernels, DoWhatTheCodeDoes) {
  if (GetParam() == Backend::jit && !has_jit()) GTEST_SKIP();
  int whole = 0, stopped = 0;
  for (const double recorded_at : {0.4, 1.3, 2.5}) {
    const Recorded recorded({recorded_at}, 1.7, GetParam());
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
  const Recorded recorded({1.3}, 1.7, GetParam());
  for (const double other : {2.5, std::nan("")}) {
    std::vector<double> numbers{other, 1.7};
    EXPECT_EQ(recorded(numbers, 1), 0);
    EXPECT_TRUE(same_bits(numbers[0], other));
  }
  std::vector<double> numbers{1.3, 0};  // the loop would go on
  EXPECT_EQ(recorded(numbers, 1), 0);
}

// Several ways in one kernel: it goes the one that the code goes, whichever that is, from pass to pass.
TEST_P(RecordedKernels, GoTheWayThatTheCodeGoes) {
  if (GetParam() == Backend::jit && !has_jit()) GTEST_SKIP();
  Recorded recorded({0.4, 1.3, 2.5}, 1.7, GetParam());
  int whole = 0, stopped = 0, changed = 0;
  for (double x = -1; x < 5; x += 0.037) {
    std::vector<double> numbers{x, 1.7};
    const int done = recorded(numbers, 20);
    double expected = x;
    bool was_large = x > 2, changes = false;
    for (int k = 0; k < done; ++k) {
      expected = improve(expected, 1.7);
      changes = changes || (expected > 2) != was_large;
    }
    EXPECT_TRUE(same_bits(numbers[0], expected)) << x;
    ++(done == 20 ? whole : stopped);
    if (done == 20 && changes) ++changed;
  }
  EXPECT_GT(whole, 100);
  EXPECT_GT(changed, 50);
  std::vector<double> numbers{std::nan(""), 1.7};
  EXPECT_EQ(recorded(numbers, 1), 0);
}

// More ways are added one by one: one that is there, or that numbers do not tell from another, is not.
TEST(RecordedKernel, TakesAWayOnce) {
  Recorded recorded({0.4}, 1.7, Backend::interpreter);
  using Added = RecordedKernel::Added;
  EXPECT_EQ(recorded.add(0.5, 1.7), Added::known);
  EXPECT_EQ(recorded.add(2.5, 1.7), Added::yes);
  EXPECT_EQ(recorded.add(2.6, 1.7), Added::known);
  EXPECT_EQ(recorded.add(0.4, 90), Added::yes);

  RecordedKernel hangs_on_more({{0, 0}}, {{0, 0}}, 1, 1);
  for (const bool is_first : {true, false}) {
    Recording recording(1000);
    const Traced x = recording.input(1), y = is_first ? x + Traced(1) : x * x;
    const Traced z = y > Traced(is_first ? 0.5 : 2) ? y : -y;
    EXPECT_EQ(hangs_on_more.add(recording, {z}), is_first ? Added::yes : Added::other);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, RecordedKernels, testing::Values(Backend::interpreter, Backend::jit));

}  // namespace
}  // namespace cotangent
