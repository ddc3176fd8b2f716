#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/kernel/interpreter.hpp"
#include "cotangent/kernel/kernel.hpp"
#include "tests/kernel/support.hpp"

namespace cotangent::test {

using Kind = IndexMap::Kind;
using Mode = KernelSpec::Mode;

// A map of the kind whose indices begin at 0 and end exactly at size(kind, count) - 1. Lists repeat entries.
inline IndexMap map_of(Kind kind, std::int64_t count, int variant = 0) {
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

inline std::size_t size_of(const IndexMap& map, std::int64_t count) {
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
inline std::vector<std::size_t> sizes(const std::vector<std::pair<int, IndexMap>>& places, const KernelSpec& spec) {
  std::vector<std::size_t> n;
  for (const auto& [v, at] : places) {
    n.resize(std::max(n.size(), static_cast<std::size_t>(v) + 1));
    n[static_cast<std::size_t>(v)] =
        std::max(n[static_cast<std::size_t>(v)], static_cast<std::size_t>(spec.place_size) * size_of(at, spec.count));
  }
  return n;
}
inline std::vector<std::size_t> input_sizes(const KernelSpec& spec) {
  std::vector<std::pair<int, IndexMap>> places;
  for (const auto& l : spec.loads) places.emplace_back(l.vector, l.at);
  return sizes(places, spec);
}
inline std::vector<std::size_t> output_sizes(const KernelSpec& spec) {
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

inline std::string difference(const KernelSpec& spec, const Data<double>& a, const Data<double>& b) {
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
inline void execute_literally(const KernelSpec& spec, const Data<double>& data) {
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

inline std::vector<Backend> backends() {
  return has_jit() ? std::vector{Backend::jit, Backend::interpreter} : std::vector{Backend::interpreter};
}
inline Backend best_backend() { return backends().front(); }

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

}  // namespace cotangent::test
