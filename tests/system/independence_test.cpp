// What an operation computes, to the last bit, depends on the elements and on what is asked for: not on what was asked
// for before, nor on other threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "cotangent/elements/extract.hpp"
#include "cotangent/system/system.hpp"
#include "tests/support/instance.hpp"
#include "tests/system/call.hpp"

namespace cotangent {
namespace {

using Values = std::vector<std::vector<double>>;
using test::Problem;

/// Operations of all kinds: gradients, rows with norms, weights, second derivatives.
std::vector<Contraction> contractions() {
  using Of = Contraction::Of;
  using Result = Contraction::Result;
  return {{},
          {.result = Result::gradient_q},
          {.result = Result::gradient_p},
          {.directions = {{.q = true, .p = true}}, .result = Result::gradient_q},
          {.directions = {{.q = false, .p = true}}, .result = Result::gradient_p},
          {.of = Of::g, .norms = true},
          {.of = Of::g, .directions = {{}}, .norms = true},
          {.of = Of::g, .directions = {{}, {}}},
          {.of = Of::weighted_g, .result = Result::gradient_q},
          {.of = Of::weighted_g, .directions = {{}}, .result = Result::gradient_q}};
}

/// All of them, asked for in an order, in the order of contractions().
Values evaluated(const std::shared_ptr<const CompiledModel>& model, const PhasePoint<double>& z, bool backwards) {
  System<double> system(model);
  const auto all = contractions();
  std::vector<double> rows(static_cast<std::size_t>(system.m()), 0.7);
  Values values(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t k = backwards ? all.size() - 1 - i : i;
    Frame<double> frame = system.frame();
    frame.in[in::weights] = rows.data();
    for (const auto vector : {in::a_q, in::a_p, in::b_q, in::b_p}) frame.in[vector] = z.p.data();
    values[k] = test::call(system.operation(all[k]), frame, z.q, z.p, z.q.size() + rows.size());
  }
  return values;
}

Values evaluated(const std::shared_ptr<const Elements>& elements, const PhasePoint<double>& z, bool backwards) {
  return evaluated(std::make_shared<const CompiledModel>(elements, Backend::interpreter), z, backwards);
}

/// In four threads at once, of which two ask backwards.
template <class Source>
std::vector<Values> evaluated_by_threads(const std::shared_ptr<const Source>& source, const PhasePoint<double>& z) {
  std::vector<Values> found(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&, k] { found[k] = evaluated(source, z, k % 2 == 1); });
  for (auto& thread : threads) thread.join();
  return found;
}

class Independence : public testing::TestWithParam<Problem> {
 protected:
  Model model = test::read(GetParam());
  std::shared_ptr<const Elements> elements = std::make_shared<Elements>(extract_elements(model));
  PhasePoint<double> z = test::converted<double>(test::noisy_point(model, 3, 0.1));
};

TEST_P(Independence, FromTheOrderOfAsking) { EXPECT_EQ(evaluated(elements, z, false), evaluated(elements, z, true)); }

TEST_P(Independence, FromWhatElseIsExtracted) {
  static_cast<void>(extract_initial(model));
  const auto again = std::make_shared<Elements>(extract_elements(model));
  EXPECT_EQ(evaluated(elements, z, false), evaluated(again, z, false));
}

TEST_P(Independence, FromOtherThreads) {
  const Values expected = evaluated(elements, z, false);
  for (const Values& values : evaluated_by_threads(elements, z)) EXPECT_EQ(values, expected);
}

TEST_P(Independence, FromThreadsThatShareTheCode) {
  const Values expected = evaluated(elements, z, false);
  const auto compiled =
      std::make_shared<const CompiledModel>(elements, has_jit() ? Backend::jit : Backend::interpreter);
  for (const Values& values : evaluated_by_threads(compiled, z)) EXPECT_EQ(values, expected);
}

INSTANTIATE_TEST_SUITE_P(AllProblems, Independence, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cotangent
