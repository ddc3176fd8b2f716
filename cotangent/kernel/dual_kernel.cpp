#include "cotangent/kernel/dual_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/base/check.hpp"
#include "cotangent/derivatives/derivatives.hpp"

namespace cotangent {

KernelSpec with_tangents(const KernelSpec& spec, int K, int place_size) {
  COTANGENT_CHECK(!spec.repeat && spec.place_size == 1 && place_size > K);
  KernelSpec result;
  result.count = spec.count;
  result.counters = spec.counters;
  result.place_size = place_size;
  result.place_parts = K + 1;
  std::vector<Rates> rates(static_cast<std::size_t>(K));
  for (const auto& load : spec.loads) {
    result.loads.push_back({load.symbol, load.vector, load.at, load.constant});
    if (load.constant) continue;
    for (int k = 0; k < K; ++k) {
      const Expr dx =
          load.symbol.graph().new_symbol(fmt::format("d{}_{}", k + 1, load.symbol.symbol().name), SymbolKind::local);
      rates[static_cast<std::size_t>(k)][load.symbol.id()] = dx;
      result.loads.push_back({dx, load.vector, load.at, false, k + 1});
    }
  }
  for (const auto& store : spec.stores) {
    result.stores.push_back({store.value, store.vector, store.at, store.mode});
    if (store.mode == KernelSpec::Mode::max) continue;
    for (int k = 0; k < K; ++k) {
      const Expr dy = derivative(store.value, rates[static_cast<std::size_t>(k)]);
      if (store.mode == KernelSpec::Mode::add && dy.is_constant(0)) continue;
      result.stores.push_back({dy, store.vector, store.at, store.mode, k + 1});
    }
  }
  return result;
}

VectorNumbers renumber_vectors(KernelSpec& spec) {
  COTANGENT_CHECK(!spec.repeat);
  const auto renumber = [](auto& uses) {
    std::vector<int> old;
    for (const auto& use : uses) old.push_back(use.vector);
    std::sort(old.begin(), old.end());
    old.erase(std::unique(old.begin(), old.end()), old.end());
    for (auto& use : uses)
      use.vector = static_cast<int>(std::lower_bound(old.begin(), old.end(), use.vector) - old.begin());
    return old;
  };
  return {renumber(spec.loads), renumber(spec.stores)};
}

}  // namespace cotangent
