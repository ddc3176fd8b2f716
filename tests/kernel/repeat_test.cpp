#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cotangent/kernel/kernel.hpp"
#include "cotangent/kernel/plan.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/kernel/support.hpp"

namespace cotangent {
namespace {

using Mode = KernelSpec::Mode;
using test::RandomExpression;
using test::same_bits;

// --- The memory that the kernels of this file use.

enum Input : int { state, parameters, passes };
enum Output : int { places, maxima, done };
constexpr std::size_t kState = 6, kMaxima = 2;

template <class T>
struct Memory {
  std::vector<T> state = std::vector<T>(kState, T(0)), parameters = std::vector<T>(3, T(0)), passes = {T(0)},
                 places = std::vector<T>(kState, T(-7)), maxima = std::vector<T>(kMaxima, T(0)), done = {T(-1)};
  bool in_place = false;

  std::vector<const T*> in() const { return {state.data(), parameters.data(), passes.data()}; }
  std::vector<T*> out() { return {in_place ? state.data() : places.data(), maxima.data(), done.data()}; }
};

template <class T>
void set_lane(T& x, int l, LaneOf<T> value) {
  if constexpr (lane_count<T> == 1) {
    x = value;
  } else {
    x[l] = value;
  }
}

template <class T>
std::string difference(const Memory<T>& a, const Memory<T>& b) {
  std::string text;
  const auto compare = [&](const char* name, const std::vector<T>& x, const std::vector<T>& y) {
    for (std::size_t k = 0; k < x.size(); ++k)
      for (int l = 0; l < lane_count<T>; ++l) {
        const auto u = lane(x[k], l), v = lane(y[k], l);
        const bool same = (u != u && v != v) || (u == v && same_bits(static_cast<double>(u), static_cast<double>(v)));
        if (!same && text.empty())
          text = std::string(name) + "[" + std::to_string(k) + "], lane " + std::to_string(l) + ": " +
                 std::to_string(static_cast<double>(u)) + " and " + std::to_string(static_cast<double>(v));
      }
  };
  compare("done", a.done, b.done);
  compare("state", a.state, b.state);
  compare("places", a.places, b.places);
  compare("maxima", a.maxima, b.maxima);
  return text;
}

// The meaning, word for word: a loop that calls the kernel which is not repeated, lane by lane.
template <class T>
void repeat_literally(const KernelSpec& spec, Memory<T>& memory) {
  using S = LaneOf<T>;
  KernelSpec once = spec;
  once.repeat.reset();
  std::map<std::pair<int, std::int64_t>, std::size_t> place_numbers;
  std::vector<std::size_t> place_of;
  for (std::size_t l = 0; l < spec.loads.size(); ++l)
    once.loads[l] = {spec.loads[l].symbol, 0, IndexMap::fixed(static_cast<std::int64_t>(l))};
  for (auto& store : once.stores) {
    place_of.push_back(place_numbers.try_emplace({store.vector, store.at(0)}, place_numbers.size()).first->second);
    store.vector = 0;
    store.at = IndexMap::fixed(static_cast<std::int64_t>(place_of.back()));
  }
  once.stores.push_back({spec.repeat->guard, 1, IndexMap::fixed(0), Mode::assign});
  KernelCompiler<S> compiler(Backend::interpreter);
  const auto kernel = compiler.add(once);

  const auto in = memory.in();
  const auto out = memory.out();
  const int together = repeat_width(lane_count<T>);
  for (int first = 0; first < lane_count<T>; first += together) {
    const auto width = static_cast<std::size_t>(together);
    std::vector<std::vector<S>> x(width), y(width);
    for (int l = 0; l < together; ++l) {
      const auto n = static_cast<std::size_t>(l);
      for (const auto& load : spec.loads)
        x[n].push_back(lane(in[static_cast<std::size_t>(load.vector)][load.at(0)], first + l));
      y[n].resize(place_numbers.size());
      for (const auto& [where, p] : place_numbers)
        y[n][p] = lane(out[static_cast<std::size_t>(where.first)][where.second], first + l);
    }
    int count = 0;
    for (; static_cast<S>(count) < lane(in[passes][0], 0); ++count) {
      auto trial = y;
      bool counts = true;
      for (std::size_t n = 0; n < width; ++n) {
        S guard = 0;
        const S* once_in[] = {x[n].data()};
        S* once_out[] = {trial[n].data(), &guard};
        kernel(once_in, once_out);
        counts = counts && guard == guard && guard != 0;
      }
      if (!counts) break;
      y = trial;
      for (std::size_t n = 0; n < width; ++n)
        for (const auto& [store, load] : spec.repeat->feedback)
          x[n][static_cast<std::size_t>(load)] = y[n][place_of[static_cast<std::size_t>(store)]];
    }
    for (int l = 0; l < together; ++l) {
      for (const auto& [where, p] : place_numbers)
        set_lane(out[static_cast<std::size_t>(where.first)][where.second], first + l,
                 y[static_cast<std::size_t>(l)][p]);
      set_lane(out[done][0], first + l, static_cast<S>(count));
    }
  }
}

std::vector<Backend> backends() {
  return has_jit() ? std::vector{Backend::jit, Backend::interpreter} : std::vector{Backend::interpreter};
}

class RepeatTest : public testing::Test {
 protected:
  Expr symbol(const char* name) { return g.new_symbol(name, SymbolKind::local); }

  Graph g;
  std::vector<Expr> x = {symbol("x0"), symbol("x1"), symbol("x2"), symbol("x3"), symbol("x4")};
  Expr t = symbol("t");  // counts the passes
  Expr a = symbol("a"), b = symbol("b"), stop = symbol("stop");
  Expr i = g.new_symbol("i", SymbolKind::index);

  // x' = next(x), t' = t + 1, with two maxima, the second of which two stores share.
  KernelSpec repeated(const std::vector<Expr>& next, const Expr& guard) {
    KernelSpec spec;
    spec.count = 1;
    spec.repeat = KernelSpec::Repeat{.feedback = {}, .guard = guard, .passes = passes, .done = done};
    for (std::size_t k = 0; k < x.size(); ++k) add_state(spec, x[k], next[k], static_cast<int>(k));
    add_state(spec, t, t + 1.0, static_cast<int>(x.size()));
    spec.loads.push_back({a, parameters, IndexMap::fixed(0)});
    spec.loads.push_back({b, parameters, IndexMap::fixed(1)});
    spec.loads.push_back({stop, parameters, IndexMap::fixed(2)});
    spec.counters.push_back({i, IndexMap::fixed(3)});
    spec.stores.push_back({abs(next[0]), maxima, IndexMap::fixed(0), Mode::max});
    spec.stores.push_back({next[1] * a, maxima, IndexMap::fixed(1), Mode::max});
    spec.stores.push_back({next[2] - next[1], maxima, IndexMap::fixed(1), Mode::max});
    return spec;
  }

  static void add_state(KernelSpec& spec, const Expr& now, const Expr& next, int at) {
    spec.repeat->feedback.push_back({static_cast<int>(spec.stores.size()), static_cast<int>(spec.loads.size())});
    spec.loads.push_back({now, state, IndexMap::fixed(at)});
    spec.stores.push_back({next, places, IndexMap::fixed(at), Mode::assign});
  }

  // A rotation by a Cayley map with compensated sums and a division.
  std::vector<Expr> oscillator() const {
    const Expr half = 0.5 * a * (1 + b * x[0] * x[0]), divisor = 1 / (1 + half * half);
    const Expr dx = x[2] + a * (x[1] - half * x[0]) * divisor, dp = x[3] - a * (x[0] + half * x[1]) * divisor;
    return {x[0] + dx, x[1] + dp, sum_error(x[0], dx), sum_error(x[1], dp), x[0] * x[4] / 3.0 + i};
  }
  Expr before_stop() { return g.apply(Op::lt, t, stop); }

  template <class T>
  static Memory<T> memory(double wanted, bool in_place, unsigned seed = 3) {
    Memory<T> m;
    m.in_place = in_place;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (auto* v : {&m.state, &m.parameters, &m.places, &m.maxima})
      for (T& value : *v)
        for (int l = 0; l < lane_count<T>; ++l) set_lane(value, l, static_cast<LaneOf<T>>(number(random)));
    m.state[5] = T(0);
    m.parameters[2] = T(1e9);
    m.passes[0] = T(static_cast<LaneOf<T>>(wanted));
    return m;
  }

  // All backends against the literal meaning; change(m) prepares the memory.
  template <class T, class Change>
  void expect_means_what_it_says(const KernelSpec& spec, const std::vector<double>& wanted, const Change& change) {
    for (const Backend backend : backends()) {
      if (backend == Backend::jit && !std::is_same_v<LaneOf<T>, double>) continue;
      KernelCompiler<T> compiler(backend);
      const auto kernel = compiler.add(spec);
      for (const double n : wanted)
        for (const bool in_place : {false, true}) {
          auto expected = memory<T>(n, in_place);
          change(expected);
          auto found = expected;
          repeat_literally(spec, expected);
          kernel(found.in().data(), found.out().data());
          ASSERT_EQ(difference(expected, found), "")
              << (backend == Backend::jit ? "jit" : "interpreter") << ", " << lane_count<T> << " lanes, " << n
              << " passes" << (in_place ? ", in place" : "");
        }
    }
  }

  template <class Change>
  void expect_for_every_type(const KernelSpec& spec, const std::vector<double>& wanted, const Change& change) {
    expect_means_what_it_says<double>(spec, wanted, change);
    expect_means_what_it_says<Lanes>(spec, wanted, change);
    expect_means_what_it_says<Quad>(spec, wanted, change);
  }
  void expect_for_every_type(const KernelSpec& spec, const std::vector<double>& wanted) {
    expect_for_every_type(spec, wanted, [](auto&) {});
  }
};

// Around every number at which machine code could keep its state.
const std::vector<double> kWanted = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000};

TEST_F(RepeatTest, EqualsALoopOverTheKernelThatIsNotRepeated) {
  expect_for_every_type(repeated(oscillator(), g.constant(1)), kWanted);
}

TEST_F(RepeatTest, EqualsThatLoopForEveryOperation) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    std::vector<Expr> symbols = x;
    symbols.insert(symbols.end(), {a, b, i});
    RandomExpression random(g, symbols, seed);
    std::vector<Expr> next;
    for (std::size_t k = 0; k < x.size(); ++k) next.push_back(2 * g.apply(Op::tanh, random.make(12)));
    const auto spec = repeated(next, g.apply(Op::lt, next[0] + next[1], g.constant(3.9)));
    expect_means_what_it_says<double>(spec, {1, 7, 40}, [](auto&) {});
    expect_means_what_it_says<Lanes>(spec, {1, 7, 40}, [](auto&) {});
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST_F(RepeatTest, EndsBeforeThePassWhoseGuardFails) {
  const Expr left = stop - t;
  for (const Expr& guard : {before_stop(), before_stop() * g.apply(Op::le, t, stop), left, -left, sqrt(left - 0.5),
                            left * g.apply(Op::lt, x[0], g.constant(1e9))})
    for (const double last : {0.0, 1.0, 5.0, 31.0, 32.0, 33.0, 50.0, 64.0})
      expect_for_every_type(repeated(oscillator(), guard), {40, 200}, [&](auto& m) {
        using T = std::remove_reference_t<decltype(m.parameters[2])>;
        m.parameters[2] = T(static_cast<LaneOf<T>>(last));
      });
}

TEST_F(RepeatTest, ALaneWhoseGuardFailsStopsThoseThatGoWithIt) {
  const auto spec = repeated(oscillator(), before_stop());
  for (const int l : {0, 1, native_width(), kLanes - 1}) {
    for (const double last : {0.0, 37.0})
      expect_means_what_it_says<Lanes>(spec, {100}, [&](auto& m) { m.parameters[2][l] = last; });

    auto m = memory<Lanes>(100, true);
    m.parameters[2][l] = 37;
    KernelCompiler<Lanes> compiler(backends().front());
    compiler.add(spec)(m.in().data(), m.out().data());
    const int width = repeat_width(kLanes);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(m.done[0][k], k / width == l / width ? 37 : 100);
  }
  // All of them at different passes.
  expect_means_what_it_says<Lanes>(spec, {100}, [&](auto& m) {
    for (int l = 0; l < kLanes; ++l) m.parameters[2][l] = 90 - 2 * l;
  });
}

TEST_F(RepeatTest, AGuardThatIsNotANumberEndsThePasses) {
  const auto spec = repeated(oscillator(), x[0] * 0.0 + 1.0);
  expect_for_every_type(spec, {50}, [](auto& m) { set_lane(m.state[0], 0, std::nan("")); });
  // The oscillator divides by zero at some pass.
  std::vector<Expr> next = oscillator();
  next[0] = x[0] + 0.0 / (t - 33.0);
  expect_for_every_type(repeated(next, abs(next[0]) + 1.0), {20, 50});
}

TEST_F(RepeatTest, WithoutAPassThatCountsNothingIsWritten) {
  const auto spec = repeated(oscillator(), before_stop());
  for (const Backend backend : backends())
    for (const double wanted : {0.0, -3.0, std::nan(""), 50.0}) {
      auto m = memory<double>(wanted, false);
      m.parameters[2] = 0;
      auto expected = m;
      expected.done[0] = 0;
      KernelCompiler<double> compiler(backend);
      compiler.add(spec)(m.in().data(), m.out().data());
      EXPECT_EQ(difference(expected, m), "");
    }
}

TEST_F(RepeatTest, MaximaAccumulateOverThePassesAndWhatWasThere) {
  std::vector<Expr> next = oscillator();
  next[0] = 20 * t - t * t;  // 0, 19, ..., 100, ..., 0: the largest in the middle
  for (const Backend backend : backends())
    for (const double before : {-1.0, 1000.0, std::nan("")}) {
      auto m = memory<double>(21, false);
      m.maxima[0] = before;
      KernelCompiler<double> compiler(backend);
      compiler.add(repeated(next, before_stop()))(m.in().data(), m.out().data());
      EXPECT_TRUE(same_bits(m.maxima[0], before == -1 ? 100 : before));
    }
  // A pass that does not count leaves no trace, one that is not a number does.
  next[0] = t;
  expect_for_every_type(repeated(next, before_stop()), {50},
                        [](auto& m) { m.parameters[2] = m.parameters[2] * 0 + 20; });
  next[0] = sqrt(t - 10.5) * sqrt(12.5 - t);
  expect_for_every_type(repeated(next, g.constant(1)), {5, 12, 50});
}

TEST_F(RepeatTest, AStoreMayFeedSeveralLoadsAndALoadMayStayWhatItIs) {
  auto spec = repeated(oscillator(), g.constant(1));
  spec.repeat->feedback[4].store = 0;  // x4 is fed by x0, x2 by nothing
  spec.repeat->feedback.erase(spec.repeat->feedback.begin() + 2);
  expect_for_every_type(spec, {1, 2, 50});
  // Two symbols for one place, of which only one is fed; a place that accumulates is fed back.
  spec.loads[3].at = spec.loads[0].at;
  spec.repeat->feedback[2] = {static_cast<int>(spec.stores.size()) - 1, 3};
  expect_for_every_type(spec, {1, 2, 50});
  // A store after a maximum in one place, and the other way round.
  spec.stores.push_back({x[1] - x[0], maxima, IndexMap::fixed(1), Mode::assign});
  expect_for_every_type(spec, {1, 2, 50});
  spec.stores.push_back({x[0] * a, maxima, IndexMap::fixed(1), Mode::max});
  expect_for_every_type(spec, {1, 2, 50});
}

TEST_F(RepeatTest, ACallDoesNotAllocate) {
  const auto spec = repeated(oscillator(), before_stop());
  const auto expect_none = [&]<class T>(Backend backend, T) {
    KernelCompiler<T> compiler(backend);
    const auto kernel = compiler.add(spec);
    compiler.compile();
    auto m = memory<T>(100, true);
    m.parameters[2] = T(50);
    const auto in = m.in();
    const auto out = m.out();
    const long before = test::allocations();
    kernel(in.data(), out.data());
    EXPECT_EQ(test::allocations(), before);
    EXPECT_EQ(lane(m.done[0], 0), 50);
  };
  for (const Backend backend : backends()) {
    expect_none(backend, 0.0);
    expect_none(backend, Lanes(0.0));
  }
}

TEST_F(RepeatTest, KernelsThatDifferInTheirRepetitionDoNotShareMachineCode) {
  if (!has_jit()) GTEST_SKIP() << "built without LLVM";
  KernelCompiler<double> compiler(Backend::jit);
  auto spec = repeated(oscillator(), before_stop());
  compiler.add(spec);
  compiler.add(spec);
  spec.repeat->feedback.pop_back();
  compiler.add(spec);
  compiler.compile();
  EXPECT_EQ(compiler.statistics().functions, 2);
}

TEST_F(RepeatTest, RefusesWhatCannotBeRepeated) {
  const auto good = repeated(oscillator(), before_stop());
  const auto expect_refused = [](KernelSpec spec) {
    KernelCompiler<double> compiler(Backend::interpreter);
    EXPECT_THROW(compiler.add(std::move(spec)), std::invalid_argument);
  };
  for (const std::int64_t count : {0, 2}) {
    auto spec = good;
    spec.count = count;
    expect_refused(spec);
  }
  auto spec = good;
  spec.stores[0].mode = Mode::add;
  expect_refused(spec);
  spec = good;
  spec.repeat->guard = Expr();
  expect_refused(spec);
  for (const KernelSpec::Repeat::Feedback& wrong :
       {KernelSpec::Repeat::Feedback{-1, 0}, {0, 100}, {100, 0}, {0, 1}}) {  // the last: fed already
    spec = good;
    spec.repeat->feedback.push_back(wrong);
    expect_refused(spec);
  }
}

}  // namespace
}  // namespace cotangent
