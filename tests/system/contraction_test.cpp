#include "cotangent/system/operation/contraction.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>

#include "cotangent/system/system.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"
#include "tests/system/call.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Problem;
using test::Tangent;
using Of = Contraction::Of;
using Result = Contraction::Result;

std::string in_words(const Contraction& c) {
  std::string text = c.of == Of::H ? "H" : c.of == Of::g ? "g" : "u'g";
  for (const auto& d : c.directions) text += std::string("[") + (d.q ? "q" : "") + (d.p ? "p" : "") + "]";
  return text + (c.result == Result::value ? "" : c.result == Result::gradient_q ? "_q" : "_p");
}

/// Every contraction with directions from a list of kinds of directions.
std::vector<Contraction> contractions_along(const std::vector<std::vector<Contraction::Direction>>& lists) {
  std::vector<Contraction> all;
  for (const auto& directions : lists) {
    for (const Of of : {Of::H, Of::g, Of::weighted_g})
      for (const Result result : {Result::value, Result::gradient_q, Result::gradient_p})
        if (of != Of::g || result == Result::value)
          all.push_back({.of = of, .directions = directions, .result = result});
  }
  return all;
}

constexpr Contraction::Direction kQ{true, false}, kP{false, true}, kBoth{true, true};

/// No direction, and every sequence of one to three directions in q, in p or in both: 280 contractions.
std::vector<Contraction> every_contraction() {
  std::vector<std::vector<Contraction::Direction>> lists = {{}};
  for (std::size_t shorter = 0; lists[shorter].size() < 3; ++shorter) {
    for (const auto& d : {kQ, kP, kBoth}) {
      auto longer = lists[shorter];
      longer.push_back(d);
      lists.push_back(std::move(longer));
    }
  }
  return contractions_along(lists);
}

/// Enough of them to meet each kind of kernel, where each has to be compiled.
std::vector<Contraction> some_contractions() {
  return contractions_along({{}, {kQ}, {kP}, {kBoth}, {kQ, kP}, {kBoth, kBoth}, {kBoth, kBoth, kBoth}});
}

struct Arguments {
  Arguments(const Model& model, std::size_t m, std::uint64_t seed) {
    const auto z = test::noisy_point(model, seed, 0.1);
    q = z.q;
    p = z.p;
    test::Noise noise(seed + 100);
    u = noise.vector(m);
    for (auto& direction : directions) direction = {noise.vector(q.size()), noise.vector(q.size())};
  }
  std::vector<Quad> q, p, u;
  std::array<Tangent, 3> directions;
};

std::size_t result_size(const Contraction& c, std::size_t n, std::size_t m) {
  return c.result != Result::value ? n : c.of == Of::g ? m : 1;
}

/// The definition, with one jet for each entry of a gradient.
std::vector<Quad> expected(const Model& model, const Contraction& c, const Arguments& x) {
  std::vector<Tangent> directions;
  for (std::size_t d = 0; d < c.directions.size(); ++d) {
    directions.push_back(x.directions[d]);
    if (!c.directions[d].q) directions.back().q.clear();
    if (!c.directions[d].p) directions.back().p.clear();
  }
  const auto rows = [&] {
    const unsigned full = (1U << directions.size()) - 1;
    std::vector<Quad> values;
    if (c.of == Of::H) {
      values.push_back(test::evaluate_jet(model, model.energy, x.q, x.p, directions).c[full]);
    } else {
      for (const auto& row : test::constraint_jets(model, x.q, directions)) values.push_back(row.c[full]);
    }
    if (c.of != Of::weighted_g) return values;
    Quad sum = 0;
    for (std::size_t r = 0; r < values.size(); ++r) sum += x.u[r] * values[r];
    return std::vector<Quad>{sum};
  };
  if (c.result == Result::value) return rows();
  std::vector<Quad> gradient;
  directions.emplace_back();
  for (std::size_t j = 0; j < x.q.size(); ++j) {
    std::vector<Quad> unit(x.q.size(), 0);
    unit[j] = 1;
    directions.back() = c.result == Result::gradient_q ? Tangent{unit, {}} : Tangent{{}, unit};
    gradient.push_back(rows()[0]);
  }
  return gradient;
}

/// What the system gives. Vectors that the contraction must not read are not a number.
template <class T>
std::vector<T> computed(System<T>& system, const Contraction& c, const Arguments& x) {
  const auto n = static_cast<std::size_t>(system.n());
  const std::vector<T> poison(std::max(n, static_cast<std::size_t>(system.m())),
                              T(std::numeric_limits<double>::quiet_NaN()));
  const auto q = test::converted<T>(x.q);
  const auto p = c.of == Of::H ? test::converted<T>(x.p) : poison;
  const auto u = test::converted<T>(x.u);
  Frame<T> frame = system.frame();
  for (int v = in::weights; v < in::kGroups; ++v) frame.in[static_cast<std::size_t>(v)] = poison.data();
  if (c.of == Of::weighted_g) frame.in[in::weights] = u.data();
  std::vector<std::vector<T>> parts(2 * c.directions.size());
  for (std::size_t d = 0; d < c.directions.size(); ++d) {
    parts[2 * d] = c.directions[d].q ? test::converted<T>(x.directions[d].q) : poison;
    parts[2 * d + 1] = c.directions[d].p ? test::converted<T>(x.directions[d].p) : poison;
    frame.in[in::argument(Space::q, d)] = parts[2 * d].data();
    frame.in[in::argument(Space::p, d)] = parts[2 * d + 1].data();
  }
  const auto& operation = system.operation(c);
  return test::call(operation, frame, q, p, result_size(c, n, static_cast<std::size_t>(system.m())));
}

class ContractionsOf : public testing::TestWithParam<Problem> {};

// The largest intermediate numbers are of order 10^3, the sums have up to some hundred terms: 1e-27 relative
// to the result's vector leaves five digits for that.
TEST_P(ContractionsOf, AgreeWithExactDerivativesInQuad) {
  Instance<Quad> instance(GetParam());
  const Arguments x(instance.model, instance.m(), 1);
  for (const Contraction& c : every_contraction()) {
    const auto wanted = expected(instance.model, c, x);
    const auto found = computed(instance.system, c, x);
    ASSERT_EQ(found.size(), wanted.size());
    const Quad error = test::distance(found, wanted);
    EXPECT_LE(static_cast<double>(error), 1e-27 * (1 + static_cast<double>(test::largest(wanted)))) << in_words(c);
  }
}

// Double arithmetic loses as many digits as Quad does: 1e-27 / 2e-34 times 2e-16 would be 1e-9, but 1e-12 is
// what these problems need.
TEST_P(ContractionsOf, AgreeWithExactDerivativesInMachineCode) {
  if (!has_jit()) GTEST_SKIP();
  Instance<double> instance(GetParam(), Backend::jit);
  Arguments x(instance.model, instance.m(), 2);
  // Numbers that a double can hold, so that only the operations round.
  for (auto* vector : {&x.q, &x.p, &x.u})
    for (Quad& value : *vector) value = static_cast<double>(value);
  for (auto& direction : x.directions)
    for (auto* vector : {&direction.q, &direction.p})
      for (Quad& value : *vector) value = static_cast<double>(value);
  for (const Contraction& c : some_contractions()) instance.system.operation(c);
  for (const Contraction& c : some_contractions()) {
    const auto wanted = test::converted<double>(expected(instance.model, c, x));
    const auto found = computed(instance.system, c, x);
    EXPECT_LE(test::distance(found, wanted), 1e-12 * (1 + test::largest(wanted))) << in_words(c);
  }
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

TEST_P(ContractionsOf, AreTheSameBitsInMachineCodeInTheInterpreterAndInEveryLane) {
  if (!has_jit()) GTEST_SKIP();
  Instance<double> jit(GetParam(), Backend::jit), interpreter(GetParam());
  Instance<Lanes> jit_lanes(GetParam(), Backend::jit), lanes(GetParam());
  const Arguments x(jit.model, jit.m(), 3);
  for (const Contraction& c : some_contractions()) {
    jit.system.operation(c);  // one module for all of them
    jit_lanes.system.operation(c);
  }
  for (const Contraction& c : some_contractions()) {
    const auto wanted = computed(interpreter.system, c, x);
    const auto a = computed(jit.system, c, x);
    const auto b = computed(jit_lanes.system, c, x), d = computed(lanes.system, c, x);
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      EXPECT_TRUE(same_bits(wanted[j], a[j])) << in_words(c) << " entry " << j << ": " << wanted[j] << " " << a[j];
      for (int l = 0; l < kLanes; ++l) {
        EXPECT_TRUE(same_bits(wanted[j], b[j][l])) << in_words(c) << " compiled, lane " << l;
        EXPECT_TRUE(same_bits(wanted[j], d[j][l])) << in_words(c) << " interpreted, lane " << l;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllProblems, ContractionsOf, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

// A scale is the rounding level in units of epsilon: rows that are evaluated in double are off by no more
// than a moderate multiple of epsilon times it, and it is no wild overestimate either.
class Norms : public testing::TestWithParam<Problem> {};

TEST_P(Norms, BoundTheRoundingErrorOfResidualsAndAreNotFarAbove) {
  Instance<double> instance(GetParam());
  Instance<Quad> exact(GetParam());
  const auto m = instance.m();
  if (m == 0) return;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto z = test::start<double>(GetParam(), seed);
    const std::vector<Quad> q(z->q.begin(), z->q.end());
    std::vector<double> rows(m), v(instance.n());
    std::vector<Quad> exact_rows(m);
    const At<double> at = instance.system.at(z->q, z->p);
    const At<Quad> exact_at = exact.system.at(q);

    const auto check = [&](const char* what, const RowSize<double>& size) {
      double largest = 0, error = 0;
      for (std::size_t r = 0; r < m; ++r) {
        largest = std::max(largest, std::abs(rows[r]));
        error = std::max(error, static_cast<double>(abs(static_cast<Quad>(rows[r]) - exact_rows[r])));
      }
      EXPECT_EQ(size.largest, largest) << what;
      EXPECT_LE(error, 8 * epsilon<double>() * size.scale) << what;
      EXPECT_LE(size.scale, 1e3) << what;  // all quantities are of order one
    };
    exact_at.g(exact_rows);
    check("g", at.g(rows));

    // G v with v tangent: the terms cancel, the rounding level does not.
    at.H_p(v);
    exact_at.G_times(std::vector<Quad>(v.begin(), v.end()), exact_rows);
    check("G v", at.G_times(v, rows));
  }
}

INSTANTIATE_TEST_SUITE_P(AllProblems, Norms, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cotangent
