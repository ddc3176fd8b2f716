#include "cotangent/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/kernel/interpreter.hpp"
#include "cotangent/kernel/machine_code.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/kernel/support.hpp"

namespace cotangent {
namespace {

using Kind = IndexMap::Kind;
using Mode = KernelSpec::Mode;
using test::GuardedVector;
using test::RandomExpression;
using test::same_bits;

constexpr std::array kKinds = {Kind::fixed, Kind::unit, Kind::strided, Kind::list};
constexpr std::array kModes = {Mode::assign, Mode::add, Mode::max};
constexpr std::array<std::int64_t, 10> kCounts = {0, 1, 2, 3, 7, 8, 9, 16, 17, 1000};

// A map of the kind whose indices begin at 0 and end exactly at size(kind, count) - 1. Lists repeat entries.
IndexMap map_of(Kind kind, std::int64_t count, int variant = 0) {
  switch (kind) {
    case Kind::fixed:
      return IndexMap::fixed(variant);
    case Kind::unit:
      return IndexMap::affine(variant, 1);
    case Kind::strided:
      return variant % 2 == 0 ? IndexMap::affine(0, 3) : IndexMap::affine(2 * (count - 1), -2);
    case Kind::list:
      break;
  }
  std::vector<std::int32_t> list;
  for (std::int64_t k = 0; k < count; ++k)
    list.push_back(static_cast<std::int32_t>((k * 5 + variant) % std::max<std::int64_t>(count - count / 4, 1)));
  return IndexMap::from_list(list);
}

std::size_t size_of(const IndexMap& map, std::int64_t count) {
  return count == 0 ? 0 : static_cast<std::size_t>(map.bounds(count).second + 1);
}

template <class T>
void fill(T* x, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (1 < lane_count<T>) {
      for (int l = 0; l < lane_count<T>; ++l) x[i][l] = number(random);
    } else {
      x[i] = static_cast<T>(number(random));
    }
  }
}

// How large each vector must be.
std::vector<std::size_t> sizes(const std::vector<std::pair<int, IndexMap>>& places, const KernelSpec& spec) {
  std::vector<std::size_t> n;
  for (const auto& [v, at] : places) {
    n.resize(std::max(n.size(), static_cast<std::size_t>(v) + 1));
    n[static_cast<std::size_t>(v)] =
        std::max(n[static_cast<std::size_t>(v)], static_cast<std::size_t>(spec.place_size) * size_of(at, spec.count));
  }
  return n;
}
std::vector<std::size_t> input_sizes(const KernelSpec& spec) {
  std::vector<std::pair<int, IndexMap>> places;
  for (const auto& l : spec.loads) places.emplace_back(l.vector, l.at);
  return sizes(places, spec);
}
std::vector<std::size_t> output_sizes(const KernelSpec& spec) {
  std::vector<std::pair<int, IndexMap>> places;
  for (const auto& s : spec.stores) places.emplace_back(s.vector, s.at);
  return sizes(places, spec);
}

// Vectors of exactly the size that is used, with the pages around them out of bounds, filled with random
// numbers.
template <class T>
class Data {
 public:
  explicit Data(const KernelSpec& spec, typename GuardedVector<T>::Touching touching, unsigned seed = 7) {
    for (const auto n : input_sizes(spec)) in_.push_back(make(n, touching, seed++));
    for (const auto n : output_sizes(spec)) out_.push_back(make(n, touching, seed++));
    for (const auto& v : in_) in_pointers_.push_back(v->data());
    for (const auto& v : out_) out_pointers_.push_back(v->data());
  }

  const T* const* in() const { return in_pointers_.data(); }
  T* const* out() const { return out_pointers_.data(); }
  const std::vector<std::unique_ptr<GuardedVector<T>>>& inputs() const { return in_; }
  const std::vector<std::unique_ptr<GuardedVector<T>>>& outputs() const { return out_; }

 private:
  static std::unique_ptr<GuardedVector<T>> make(std::size_t n, typename GuardedVector<T>::Touching touching,
                                                unsigned seed) {
    auto v = std::make_unique<GuardedVector<T>>(n, touching);
    fill(v->data(), n, seed);
    return v;
  }

  std::vector<std::unique_ptr<GuardedVector<T>>> in_, out_;
  std::vector<const T*> in_pointers_;
  std::vector<T*> out_pointers_;
};

std::string difference(const KernelSpec& spec, const Data<double>& a, const Data<double>& b) {
  for (std::size_t v = 0; v < a.outputs().size(); ++v)
    for (std::size_t i = 0; i < a.outputs()[v]->size(); ++i) {
      if (std::cmp_greater_equal(i % static_cast<std::size_t>(spec.place_size), spec.place_parts)) continue;
      const double x = (*a.outputs()[v])[i], y = (*b.outputs()[v])[i];
      if (!same_bits(x, y))
        return "out[" + std::to_string(v) + "][" + std::to_string(i) + "]: " + std::to_string(x) + " and " +
               std::to_string(y);
    }
  return "";
}

// The meaning of a spec, word for word: one loop per store, reductions in interleaved partial results.
void execute_literally(const KernelSpec& spec, const Data<double>& data) {
  const auto combine = [](Mode mode, double a, double b) { return mode == Mode::add ? a + b : max_or_nan(a, b); };
  // The values alone: each store to a vector of its own that holds -0, to which adding changes nothing.
  KernelSpec values = spec;
  std::vector<std::vector<double>> results(spec.stores.size());
  std::vector<double*> out;
  for (std::size_t s = 0; s < spec.stores.size(); ++s) {
    results[s].assign(static_cast<std::size_t>(spec.count * spec.place_size), -0.0);
    out.push_back(results[s].data());
    const Mode mode = spec.stores[s].mode == Mode::add ? Mode::add : Mode::assign;
    values.stores[s] = {spec.stores[s].value, static_cast<int>(s), IndexMap::affine(0, 1), mode};
  }
  Interpreter<double>(KernelPlan(values))(data.in(), out.data());

  for (std::size_t s = 0; s < spec.stores.size(); ++s) {
    const auto& store = spec.stores[s];
    std::vector<double> y;
    for (std::int64_t k = 0; k < spec.count; ++k)
      y.push_back(results[s][static_cast<std::size_t>(spec.place_size * k)]);
    double* x = data.out()[store.vector] + store.part;
    if (store.at.kind() == Kind::fixed && store.mode != Mode::assign) {
      std::vector<double> partial(8, store.mode == Mode::add ? -0.0 : -INFINITY);
      for (std::size_t k = 0; k < y.size(); ++k) partial[k % 8] = combine(store.mode, partial[k % 8], y[k]);
      const auto pair = [&](std::size_t j) { return combine(store.mode, partial[j], partial[j + 1]); };
      const double total =
          combine(store.mode, combine(store.mode, pair(0), pair(2)), combine(store.mode, pair(4), pair(6)));
      double& place = x[spec.place_size * store.at.offset()];
      if (!y.empty()) place = combine(store.mode, place, total);
    } else {
      for (std::int64_t k = 0; k < spec.count; ++k) {
        double& place = x[spec.place_size * store.at(k)];
        place = store.mode == Mode::assign ? y[static_cast<std::size_t>(k)]
                                           : combine(store.mode, place, y[static_cast<std::size_t>(k)]);
      }
    }
  }
}

std::vector<Backend> backends() {
  return has_jit() ? std::vector{Backend::jit, Backend::interpreter} : std::vector{Backend::interpreter};
}
Backend best_backend() { return backends().front(); }

class KernelTest : public testing::Test {
 protected:
  Graph g;
  std::vector<Expr> x = {g.new_symbol("x0", SymbolKind::local), g.new_symbol("x1", SymbolKind::local),
                         g.new_symbol("x2", SymbolKind::local), g.new_symbol("x3", SymbolKind::local)};
  Expr i = g.new_symbol("i", SymbolKind::index);

  std::vector<KernelSpec> specs;

  // All of them with jit and interpreter against their literal meaning; also in each lane.
  void expect_all_agree() {
    KernelCompiler<double> jit(best_backend()), interpreter(Backend::interpreter);
    KernelCompiler<Lanes> jit_lanes(best_backend()), interpreter_lanes(Backend::interpreter);
    std::vector<Kernel<double>> jit_kernels, interpreter_kernels;
    std::vector<Kernel<Lanes>> jit_lane_kernels, interpreter_lane_kernels;
    for (const auto& spec : specs) {
      jit_kernels.push_back(jit.add(spec));
      interpreter_kernels.push_back(interpreter.add(spec));
      const bool for_lanes = spec.place_size == 1;
      jit_lane_kernels.push_back(for_lanes ? jit_lanes.add(spec) : Kernel<Lanes>());
      interpreter_lane_kernels.push_back(for_lanes ? interpreter_lanes.add(spec) : Kernel<Lanes>());
    }
    for (std::size_t n = 0; n < specs.size(); ++n) {
      for (const auto touching :
           {GuardedVector<double>::Touching::upper_page, GuardedVector<double>::Touching::lower_page}) {
        Data<double> expected(specs[n], touching), jitted(specs[n], touching), interpreted(specs[n], touching);
        execute_literally(specs[n], expected);
        jit_kernels[n](jitted.in(), jitted.out());
        interpreter_kernels[n](interpreted.in(), interpreted.out());
        ASSERT_EQ(difference(specs[n], expected, interpreted), "")
            << "interpreter, spec " << n << ", count " << specs[n].count;
        ASSERT_EQ(difference(specs[n], expected, jitted), "") << "jit, spec " << n << ", count " << specs[n].count;
      }
      if (specs[n].count <= 17 && specs[n].place_size == 1) {
        expect_lanes_agree(specs[n], interpreter_kernels[n], jit_lane_kernels[n], "jit");
        expect_lanes_agree(specs[n], interpreter_kernels[n], interpreter_lane_kernels[n], "interpreter");
      }
      if (HasFatalFailure()) return;
    }
  }

  void expect_lanes_agree(const KernelSpec& spec, const Kernel<double>& scalar, const Kernel<Lanes>& lanes,
                          const char* what) {
    const Data<Lanes> data(spec, GuardedVector<Lanes>::Touching::upper_page);
    const Data<Lanes> before(spec, GuardedVector<Lanes>::Touching::upper_page);
    lanes(data.in(), data.out());
    for (int l = 0; l < kLanes; l += kLanes / 2 - 1) {
      const Data<double> one(spec, GuardedVector<double>::Touching::upper_page);
      for (std::size_t v = 0; v < one.inputs().size(); ++v)
        for (std::size_t k = 0; k < one.inputs()[v]->size(); ++k) (*one.inputs()[v])[k] = (*data.inputs()[v])[k][l];
      for (std::size_t v = 0; v < one.outputs().size(); ++v)
        for (std::size_t k = 0; k < one.outputs()[v]->size(); ++k)
          (*one.outputs()[v])[k] = (*before.outputs()[v])[k][l];
      scalar(one.in(), one.out());
      for (std::size_t v = 0; v < one.outputs().size(); ++v)
        for (std::size_t k = 0; k < one.outputs()[v]->size(); ++k)
          ASSERT_TRUE(same_bits((*one.outputs()[v])[k], (*data.outputs()[v])[k][l]))
              << what << ", lane " << l << ", out[" << v << "][" << k << "], count " << spec.count;
    }
  }
};

TEST_F(KernelTest, EveryKindOfLoadCounterAndStoreMeansWhatTheSpecSays) {
  for (const Kind load : kKinds)
    for (const Kind counter : kKinds)
      for (const Kind store : kKinds)
        for (const Mode mode : kModes)
          for (const std::int64_t count : kCounts)
            specs.push_back({{{x[0], 0, map_of(load, count)}, {x[1], 1, map_of(Kind::unit, count)}},
                             {{i, map_of(counter, count, 1)}},
                             {{x[0] * x[1] - i / 7.0, 0, map_of(store, count), mode}},
                             count});
  expect_all_agree();
}

TEST_F(KernelTest, PlacesOfSeveralNumbersAreReadAndWrittenPartByPart) {
  for (const auto& [size, parts] : {std::pair{2, 2}, {4, 3}})
    for (const Kind load : kKinds)
      for (const Kind store : kKinds)
        for (const Mode mode : kModes)
          for (const std::int64_t count : {0, 1, 3, 8, 17, 1000}) {
            const IndexMap from = map_of(load, count), to = map_of(store, count);
            specs.push_back({.loads = {{x[0], 0, from, false, 0},
                                       {x[1], 0, from, false, 1},
                                       {x[2], 1, IndexMap::affine(0, 1), false, parts - 1},
                                       {x[3], 0, from.shifted(1), false, 1}},
                             .counters = {},
                             // All parts but one of vector 0, one alone of vector 1, neighbours in vector 2.
                             .stores = {{x[0] * x[1] - x[2], 0, to, mode, 0},
                                        {x[0] - x[1] * x[2], 1, to, mode, 1},
                                        {x[1] + x[3], 0, to, mode, parts - 1},
                                        {-x[2], 2, IndexMap::affine(1, 1), Mode::add, 1},
                                        {x[1], 2, IndexMap::affine(0, 1), mode, 1},
                                        {x[3], 2, IndexMap::affine(0, 1), mode, 0}},
                             .count = count,
                             .place_size = size,
                             .place_parts = parts});
          }
  expect_all_agree();
}

TEST_F(KernelTest, ReductionsUseTheDocumentedOrder) {
  for (const std::int64_t count : {2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000})
    for (const Mode mode : {Mode::add, Mode::max})
      specs.push_back({{{x[0], 0, IndexMap::affine(0, 1)}, {x[1], 0, IndexMap::fixed(0)}},
                       {},
                       {{x[0] * x[1], 0, IndexMap::fixed(0), mode},
                        {-x[0], 0, IndexMap::fixed(1), mode},
                        {x[0], 1, IndexMap::affine(0, 1), Mode::add},
                        {pow(x[1], 3), 0, IndexMap::fixed(2), mode}},
                       count});
  expect_all_agree();
}

TEST_F(KernelTest, OverlappingStoresTakeEffectInTheirOrder) {
  const Expr d = x[0] - x[1], w = x[2];
  for (const std::int64_t count : kCounts)
    for (const Mode second : kModes) {
      const IndexMap here = IndexMap::affine(1, 1), before = IndexMap::affine(0, 1);
      std::vector<KernelSpec::Load> loads = {{x[0], 0, here}, {x[1], 0, before}, {x[2], 1, before}};
      // A chain; and the same with x and y interleaved, with a place shared by all, and through one list
      // twice.
      specs.push_back({loads, {}, {{w * d, 0, here, Mode::add}, {-(w * d), 0, before, second}}, count});
      specs.push_back({loads, {}, {{-(w * d), 0, before, Mode::assign}, {w * d, 0, here, second}}, count});
      specs.push_back({loads,
                       {},
                       {{w * d, 0, IndexMap::affine(2, 2), Mode::add},
                        {w + d, 0, IndexMap::affine(3, 2), Mode::add},
                        {-(w * d), 0, IndexMap::affine(0, 2), second},
                        {-(w + d), 0, IndexMap::affine(1, 2), second}},
                       count});
      specs.push_back({loads,
                       {},
                       {{w, 0, here, Mode::add}, {d, 0, IndexMap::fixed(2), second}, {w * d, 0, before, Mode::add}},
                       count});
      specs.push_back({loads,
                       {},
                       {{w * d, 0, map_of(Kind::list, count), Mode::add}, {d, 0, map_of(Kind::list, count, 2), second}},
                       count});
      specs.push_back({loads, {}, {{w * d, 0, here, Mode::add}, {d, 0, here, second}, {w, 0, here, Mode::max}}, count});
    }
  expect_all_agree();
}

TEST_F(KernelTest, NeighboursOfAnyDistanceAndStrideTakeEffectInTheirOrder) {
  for (const std::int64_t count : kCounts)
    for (const std::int64_t stride : {1, 3, -2})
      for (const std::vector<int>& shifts : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 0, 1}, {4, 0}, {0, 4, 1}, {0, 5}}) {
        KernelSpec spec{
            {{x[0], 0, IndexMap::affine(1, 1)}, {x[1], 0, IndexMap::fixed(0)}, {x[2], 0, IndexMap::affine(0, 1)}},
            {{i, IndexMap::affine(3, 2)}},
            {},
            count};
        const std::int64_t start = stride > 0 ? 0 : -stride * (count + 5);
        int n = 0;
        for (const int shift : shifts)
          for (const int vector : {0, 1})
            spec.stores.push_back({(x[0] - x[2]) * i + x[1] * (1.0 + n), vector,
                                   IndexMap::affine(start + stride * shift, stride),
                                   kModes[static_cast<std::size_t>(n++ % 3)]});
        specs.push_back(spec);
      }
  expect_all_agree();
}

// Threads and ranks each take a piece of a family.
TEST_F(KernelTest, CuttingAFamilyIntoPiecesChangesNoBit) {
  const IndexMap here = IndexMap::affine(1, 1), before = IndexMap::affine(0, 1);
  const Expr d = x[0] - x[1], product = x[2] * d;  // used by all stores, so fused in none
  const KernelSpec whole{{{x[0], 0, here}, {x[1], 0, before}, {x[2], 1, map_of(Kind::list, 100)}},
                         {{i, before}},
                         {{product + i * d, 0, here, Mode::add},
                          {x[2] - product, 0, before, Mode::add},
                          {product * product + d, 1, before, Mode::assign}},
                         100};
  for (const Backend backend : backends()) {
    KernelCompiler<double> compiler(backend);
    const Data<double> expected(whole, GuardedVector<double>::Touching::upper_page);
    const Data<double> pieces(whole, GuardedVector<double>::Touching::upper_page);
    compiler.add(whole)(expected.in(), expected.out());
    std::int64_t first = 0;
    for (const std::int64_t count : {1, 2, 1, 7, 8, 60, 21}) {
      KernelSpec piece = whole;
      piece.count = count;
      for (auto& load : piece.loads) load.at = load.at.slice(first, count);
      for (auto& counter : piece.counters) counter.at = counter.at.slice(first, count);
      for (auto& store : piece.stores) store.at = store.at.slice(first, count);
      compiler.add(piece)(pieces.in(), pieces.out());
      first += count;
    }
    ASSERT_EQ(first, whole.count);
    EXPECT_EQ(difference(whole, expected, pieces), "");
  }
}

TEST_F(KernelTest, EveryOperationGivesTheSameBitsInBothBackends) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomExpression random(g, {x[0], x[1], x[2], x[3], i}, seed);
    const Expr a = random.make(12), b = random.make(12);
    for (const std::int64_t count : {1, 3, 21}) {
      const auto kind = kKinds[seed % 4];
      specs.push_back({{{x[0], 0, map_of(Kind::unit, count)},
                        {x[1], 1, map_of(kind, count)},
                        {x[2], 2, IndexMap::fixed(0)},
                        {x[3], 0, map_of(Kind::unit, count, 1)}},
                       {{i, map_of(Kind::unit, count)}},
                       {{a, 0, map_of(Kind::unit, count), Mode::assign}, {b, 1, map_of(kind, count), Mode::add}},
                       count});
    }
  }
  expect_all_agree();
}

TEST_F(KernelTest, SpecialValuesGiveTheSameBitsInBothBackends) {
  const std::vector<double> special = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 5e-324, 1e308, 0.5, 2.0};
  std::vector<Expr> results = {-x[0],
                               x[0] + x[1],
                               x[0] - x[1],
                               x[0] / x[1],
                               pow(x[0], -3),
                               sqrt(x[0]),
                               abs(x[0]),
                               g.apply(Op::sign, x[0]),
                               x[0] * x[1] + 1.0,
                               x[0] * x[1] - x[0],
                               select(x[0], x[1], x[0] + x[1]),
                               select(-x[0] * x[1], x[0], x[1])};
  for (const Op op : {Op::min, Op::max, Op::lt, Op::le, Op::eq, Op::ne, Op::atan2, Op::pow})
    results.push_back(g.apply(op, x[0], x[1]));
  const auto n = static_cast<std::int64_t>(special.size() * special.size());
  for (const std::int64_t count : {std::int64_t{1}, n}) {
    for (const Expr& e : results)
      for (const Mode mode : kModes) {
        KernelSpec spec{{{x[0], 0, IndexMap::affine(0, 1)}, {x[1], 1, IndexMap::affine(0, 1)}},
                        {},
                        {{e, 0, IndexMap::affine(0, 1), mode}, {e, 1, IndexMap::fixed(0), mode}},
                        count};
        KernelCompiler<double> jit(best_backend());
        Data<double> a(spec, GuardedVector<double>::Touching::upper_page),
            b(spec, GuardedVector<double>::Touching::upper_page);
        for (const auto* data : {&a, &b})
          for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            (*data->inputs()[0])[k] = special[k / special.size()];
            (*data->inputs()[1])[k] = special[k % special.size()];
          }
        jit.add(spec)(a.in(), a.out());
        execute_literally(spec, b);
        ASSERT_EQ(difference(spec, a, b), "") << to_string(e);
      }
  }
}

TEST_F(KernelTest, ARunningMaximumKeepsNaN) {
  for (const Backend backend : backends())
    for (std::size_t place = 0; place < 20; ++place) {
      KernelCompiler<double> compiler(backend);
      const auto largest =
          compiler.add({{{x[0], 0, IndexMap::affine(0, 1)}}, {}, {{abs(x[0]), 0, IndexMap::fixed(0), Mode::max}}, 20});
      std::vector<double> v(20, 1.0);
      v[place] = NAN;
      double result = 0;
      const double* in[] = {v.data()};
      double* out[] = {&result};
      largest(in, out);
      EXPECT_TRUE(std::isnan(result));
    }
}

// Against the graph walker, which rounds every product and uses the C++ library's functions.
template <class T>
void expect_agrees_with_the_reference_evaluator(T tolerance) {
  Graph g;
  std::vector<Expr> x;
  for (int s = 0; s < 4; ++s) x.push_back(g.new_symbol("x" + std::to_string(s), SymbolKind::local));
  KernelCompiler<T> compiler(Backend::interpreter);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Expr e = RandomExpression(g, x, seed).make(20);
    KernelSpec spec{{}, {}, {{e, 0, IndexMap::fixed(0), Mode::assign}}, 1};
    for (int s = 0; s < 4; ++s) spec.loads.push_back({x[static_cast<std::size_t>(s)], 0, IndexMap::fixed(s)});
    std::vector<T> v(4);
    fill(v.data(), 4, seed);
    T result = 0;
    const T* in[] = {v.data()};
    T* out[] = {&result};
    compiler.add(spec)(in, out);

    const auto value = [&](auto scale) {
      using S = decltype(scale);
      return evaluate<S>(e, [&](SymbolId id, std::span<const std::int64_t>) {
        for (std::size_t s = 0; s < 4; ++s)
          if (x[s].symbol_id() == id) return static_cast<S>(v[s]);
        return S(0);
      });
    };
    // What rounding alone does to this expression tells how close two evaluations can be.
    const Quad exact = value(Quad(0)), reference = value(T(0));
    const Quad allowed = 100 * fabsq(reference - exact) + 100 * static_cast<Quad>(tolerance) * (1 + fabsq(exact));
    EXPECT_LE(fabsq(static_cast<Quad>(result) - exact), allowed) << to_string(e);
  }
}
TEST(Interpreter, AgreesWithTheReferenceEvaluator) {
  expect_agrees_with_the_reference_evaluator<double>(epsilon<double>());
  expect_agrees_with_the_reference_evaluator<Quad>(epsilon<Quad>());
}

// --- The compiler.

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
      const long before = test::allocations();
      kernel(data.in(), data.out());
      lanes_kernel(lanes_data.in(), lanes_data.out());
      EXPECT_EQ(test::allocations(), before);
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
}  // namespace cotangent
