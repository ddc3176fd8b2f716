#include "cotangent/system/fuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kMaxFusedNodes = 400;

std::vector<Expr> values_of(const KernelSpec& spec) {
  std::vector<Expr> values;
  for (const auto& store : spec.stores) values.push_back(store.value);
  return values;
}

// Collects single instances; every place in memory gets one symbol.
class Fusion {
 public:
  bool empty() const { return spec_.stores.empty(); }
  std::size_t nodes() const { return reachable(values_of(spec_)).size(); }

  void add(const KernelSpec& spec) {
    Replacement to_shared;
    for (const auto& load : spec.loads) {
      const std::pair place(load.vector, load.at(0));
      if (!symbols_.contains(place)) {
        const std::string name = fmt::format("u{}", symbols_.size());
        symbols_.emplace(place, load.symbol.graph().new_symbol(name, SymbolKind::local));
        spec_.loads.push_back({symbols_.at(place), load.vector, IndexMap::fixed(load.at(0))});
      }
      to_shared.emplace(load.symbol.id(), symbols_.at(place));
    }
    for (const auto& counter : spec.counters)
      to_shared.emplace(counter.symbol.id(),
                        counter.symbol.graph().constant(static_cast<Quad>(counter.at(0))));
    for (const auto& store : spec.stores) add(store, substitute(store.value, to_shared));
    spec_.count = 1;
  }

  KernelSpec take() { return std::move(spec_); }

 private:
  void add(const KernelSpec::Store& store, Expr value) {
    for (auto& other : spec_.stores) {
      const bool same_place = other.vector == store.vector && other.at(0) == store.at(0);
      if (same_place && store.mode == KernelSpec::Mode::add && other.mode == KernelSpec::Mode::add) {
        other.value = other.value + value;
        return;
      }
    }
    spec_.stores.push_back({value, store.vector, IndexMap::fixed(store.at(0)), store.mode});
  }

  KernelSpec spec_;
  std::map<std::pair<int, std::int64_t>, Expr> symbols_;
};

}  // namespace

std::vector<KernelSpec> fuse_single_instances(std::vector<KernelSpec> specs) {
  std::vector<KernelSpec> result;
  Fusion fusion;
  for (auto& spec : specs) {
    if (spec.count != 1) {
      result.push_back(std::move(spec));
      continue;
    }
    fusion.add(spec);
    if (fusion.nodes() > kMaxFusedNodes) result.push_back(std::exchange(fusion, {}).take());
  }
  if (!fusion.empty()) result.push_back(fusion.take());
  return result;
}

void drop_unused(KernelSpec& spec) {
  std::unordered_set<NodeId> used;
  for (const Expr& e : reachable(values_of(spec))) used.insert(e.id());
  std::erase_if(spec.loads, [&](const auto& load) { return !used.contains(load.symbol.id()); });
  std::erase_if(spec.counters, [&](const auto& counter) { return !used.contains(counter.symbol.id()); });
}

bool assign_first(std::vector<KernelSpec>& specs, int vector, std::int64_t size) {
  std::vector<bool> touched(static_cast<std::size_t>(size), false);
  std::int64_t assigned = 0;
  for (KernelSpec& spec : specs) {
    for (auto& store : spec.stores) {
      if (store.vector != vector) continue;
      bool fresh = store.mode == KernelSpec::Mode::add && store.at.is_injective(spec.count);
      for (std::int64_t k = 0; k < spec.count && fresh; ++k) fresh = !touched[static_cast<std::size_t>(store.at(k))];
      if (fresh) {
        store.mode = KernelSpec::Mode::assign;
        assigned += spec.count;
      }
      for (std::int64_t k = 0; k < spec.count; ++k) touched[static_cast<std::size_t>(store.at(k))] = true;
    }
  }
  return assigned < size;
}

}  // namespace cotangent
