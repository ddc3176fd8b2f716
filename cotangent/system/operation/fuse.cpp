#include "cotangent/system/operation/fuse.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kMaxFusedNodes = 400;

std::vector<Expr> values_of(const KernelSpec& spec) {
  std::vector<Expr> values;
  for (const auto& store : spec.stores) values.push_back(store.value);
  if (spec.repeat) values.push_back(spec.repeat->guard);
  return values;
}

// Collects specs of one count.
class Fusion {
 public:
  Fusion(Graph& graph, std::int64_t count) : places_(graph, count) { spec_.count = count; }

  std::int64_t count() const { return spec_.count; }
  bool is_full() const { return reachable(values_of(spec_)).size() > kMaxFusedNodes; }

  void add(const KernelSpec& spec) {
    Replacement to_shared;
    for (const auto& load : spec.loads) to_shared.emplace(load.symbol.id(), places_.symbol(load));
    Substitution share(to_shared);
    for (const auto& store : spec.stores) add(store, share(store.value));
  }

  KernelSpec take() {
    spec_.loads = places_.loads();
    return std::move(spec_);
  }

 private:
  void add(const KernelSpec::Store& store, Expr value) {
    const IndexMap at = spec_.count == 1 ? IndexMap::fixed(store.at(0)) : store.at;
    for (auto& other : spec_.stores) {
      if (other.vector != store.vector || !(other.at == at) || other.mode != store.mode) continue;
      if (store.mode == KernelSpec::Mode::assign) continue;
      other.value = store.mode == KernelSpec::Mode::add ? other.value + value : max(other.value, value);
      return;
    }
    spec_.stores.push_back({value, store.vector, at, store.mode});
  }

  KernelSpec spec_;
  Places places_;
};

}  // namespace

Expr Places::symbol(int vector, const IndexMap& at, bool constant) {
  const IndexMap map = count_ == 1 ? IndexMap::fixed(at(0)) : at;
  for (const auto& load : loads_)
    if (load.vector == vector && load.at == map) return load.symbol;
  loads_.push_back(
      {.symbol = graph_->numbered_symbol(loads_.size()), .vector = vector, .at = map, .constant = constant});
  return loads_.back().symbol;
}

std::vector<KernelSpec> within(Graph& graph, std::vector<KernelSpec> specs) {
  for (KernelSpec& spec : specs) {
    for (auto& counter : spec.counters) counter.symbol = graph.own(counter.symbol);
    for (auto& load : spec.loads) load.symbol = graph.own(load.symbol);
    for (auto& store : spec.stores) store.value = graph.own(store.value);
    if (spec.repeat) spec.repeat->guard = graph.own(spec.repeat->guard);
  }
  return specs;
}

std::vector<KernelSpec> fuse(std::vector<KernelSpec> specs) {
  std::vector<KernelSpec> result;
  std::vector<Fusion> fusions;
  for (const auto& spec : specs) {
    auto fusion =
        std::find_if(fusions.begin(), fusions.end(), [&](const Fusion& f) { return f.count() == spec.count; });
    if (fusion == fusions.end()) fusion = fusions.emplace(fusions.end(), spec.stores.at(0).value.graph(), spec.count);
    fusion->add(spec);
    if (fusion->is_full()) {
      result.push_back(fusion->take());
      fusions.erase(fusion);
    }
  }
  for (auto& fusion : fusions) result.push_back(fusion.take());
  return result;
}

KernelSpec compose(const KernelSpec& first, const KernelSpec& second, const Wiring& wiring) {
  COTANGENT_CHECK(first.count == 1 && second.count == 1);
  KernelSpec result = first;
  Places places(first.stores.at(0).value.graph(), 1);
  Replacement to_place;
  for (const auto& load : first.loads) to_place.emplace(load.symbol.id(), places.symbol(load));
  Substitution place(to_place);
  for (auto& store : result.stores) store.value = place(store.value);

  const auto value_of = [&](const KernelSpec::Load& load) -> Expr {
    for (const auto& [from, to] : wiring.values) {
      if (to != load.vector) continue;
      for (const auto& store : result.stores)
        if (store.vector == from && store.at(0) == load.at(0)) return store.value;
    }
    for (const auto& [from, to] : wiring.inputs)
      if (from == load.vector) return places.symbol(to, load.at, load.constant);
    return places.symbol(load);
  };
  Replacement to_value;
  for (const auto& load : second.loads) to_value.emplace(load.symbol.id(), value_of(load));
  Substitution evaluate(to_value);
  for (auto store : second.stores) {
    store.value = evaluate(store.value);
    result.stores.push_back(store);
  }
  result.loads = places.loads();
  drop_unused(result);
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
      const bool single_max = store.mode == KernelSpec::Mode::max && spec.count == 1;
      bool fresh = single_max || (store.mode == KernelSpec::Mode::add && store.at.is_injective(spec.count));
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
