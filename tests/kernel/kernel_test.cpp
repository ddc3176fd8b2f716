#include "cotangent/expr/algorithm.hpp"
#include "tests/kernel/kernel_fixture.hpp"

namespace cotangent::test {
namespace {

constexpr std::array kKinds = {Kind::fixed, Kind::unit, Kind::strided, Kind::list};
constexpr std::array kModes = {Mode::assign, Mode::add, Mode::max};
constexpr std::array<std::int64_t, 10> kCounts = {0, 1, 2, 3, 7, 8, 9, 16, 17, 1000};

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

// x[k - 2], x[k - 1], x[k], x[k + 1] modulo the count: a few instances are stages of their own, whatever stores do.
TEST_F(KernelTest, IndicesThatGoRoundMeanWhatTheirListsSay) {
  for (const std::int64_t count : {3, 4, 5, 8, 16, 40, 300, 1000})
    for (const Mode mode : kModes) {
      const auto round = [&](std::int64_t shift) {
        std::vector<std::int32_t> list;
        for (std::int64_t k = 0; k < count; ++k) list.push_back(static_cast<std::int32_t>((k + shift + count) % count));
        return IndexMap::from_list(list);
      };
      const IndexMap here = IndexMap::affine(0, 1);
      const std::vector<KernelSpec::Load> loads{
          {x[0], 0, round(-2)}, {x[1], 0, round(-1)}, {x[2], 0, here}, {x[3], 0, round(1)}};
      const Expr value = (x[3] - x[0]) * x[1] - x[2] + i;
      const std::vector<KernelSpec::Counter> counters{{i, round(-1)}};
      specs.push_back({loads, counters, {{value, 0, here, mode}}, count});
      specs.push_back({loads, counters, {{value, 0, IndexMap::affine(3, 2), mode}, {value, 1, round(1), mode}}, count});
      specs.push_back({loads, counters, {{value, 0, here, mode}, {x[0], 0, round(1), mode}}, count});
      specs.push_back({loads, counters, {{value, 0, here, mode}, {-x[0], 0, IndexMap::fixed(2), mode}}, count});
    }
  expect_all_agree();
  const auto stages = [](const KernelSpec& spec) { return KernelPlan(spec).stages; };
  const auto lattice = stages(specs[specs.size() - 4]);
  ASSERT_EQ(lattice.size(), 3U);
  EXPECT_EQ(lattice.back().count, 997);
  for (const auto& load : lattice.back().loads) EXPECT_EQ(load.at.kind(), Kind::unit);
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
  const std::vector<double> special = {
      0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 5e-324, 1e308, 0.5, 2.0, -0.5, 2.5, -3.5, 0x1.fffffffffffffp-2};
  std::vector<Expr> results = {-x[0],
                               x[0] + x[1],
                               x[0] - x[1],
                               x[0] / x[1],
                               pow(x[0], -3),
                               sqrt(x[0]),
                               abs(x[0]),
                               g.apply(Op::sign, x[0]),
                               g.apply(Op::floor, x[0]),
                               g.apply(Op::ceil, x[0]),
                               g.apply(Op::round, x[0]),
                               g.apply(Op::round, -x[0]),
                               g.apply(Op::erf, -x[0]),
                               g.apply(Op::erfc, x[0]),
                               x[0] * x[1] + 1.0,
                               x[0] * x[1] - x[0],
                               select(x[0], x[1], x[0] + x[1]),
                               select(-x[0] * x[1], x[0], x[1])};
  for (const Op op : {Op::min, Op::max, Op::lt, Op::le, Op::eq, Op::ne, Op::atan2, Op::pow, Op::mod})
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

}  // namespace
}  // namespace cotangent::test
