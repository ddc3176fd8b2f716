#include "cotangent/kernel/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <type_traits>
#include <utility>

namespace cotangent {
namespace {

using Kind = IndexMap::Kind;

bool same_affine(const IndexMap& a, const IndexMap& b) {
  return a.kind() != Kind::list && b.kind() != Kind::list && a.offset() == b.offset() && a.stride() == b.stride();
}

bool same_map(const IndexMap& a, const IndexMap& b) {
  return same_affine(a, b) || (a.kind() == Kind::list && a.list() == b.list());
}

// Whether a(j) = b(k) for some j, k in [0, count).
bool overlap(const IndexMap& a, const IndexMap& b, std::int64_t count) {
  const auto [a_low, a_high] = a.bounds(count);
  const auto [b_low, b_high] = b.bounds(count);
  if (a_high < b_low || b_high < a_low) return false;
  const bool affine = a.kind() != Kind::list && b.kind() != Kind::list;
  if (affine && std::abs(a.stride()) == std::abs(b.stride()) && a.stride() != 0)
    return (a.offset() - b.offset()) % a.stride() == 0;
  std::vector<bool> taken(static_cast<std::size_t>(a_high - a_low + 1));
  for (std::int64_t k = 0; k < count; ++k) taken[static_cast<std::size_t>(a(k) - a_low)] = true;
  for (std::int64_t k = 0; k < count; ++k)
    if (const auto i = b(k); i >= a_low && i <= a_high && taken[static_cast<std::size_t>(i - a_low)]) return true;
  return false;
}

// Whether the order of two stores matters when each runs through all instances.
bool conflict(const KernelSpec::Store& a, const KernelSpec::Store& b, std::int64_t count) {
  if (a.vector != b.vector) return false;
  // Through the same affine map every place is visited once, by the same instance.
  if (same_affine(a.at, b.at) && a.at.kind() != Kind::fixed) return false;
  return overlap(a.at, b.at, count);
}

// A store, and the instance of it that the first iteration of a stage executes.
struct Part {
  std::size_t store;
  std::int64_t first;
};

// Places a map reaches from instance `first` on, in `count` iterations.
IndexMap place(const IndexMap& at, const KernelSpec& spec, std::int64_t first, std::int64_t count) {
  if (count == 1) return IndexMap::fixed(at(first));
  return first == 0 && count == spec.count ? at : at.slice(first, count);
}

KernelPlan::Stage make_stage(const KernelSpec& spec, const std::vector<Part>& parts, std::int64_t count) {
  std::vector<Program::Target> targets;
  std::vector<Program::Leaf> leaves;
  std::vector<KernelPlan::Load> loads;  // each place once
  std::vector<IndexMap> counters;
  std::map<std::int64_t, int> variants;  // one for each first instance
  for (const auto& [s, first] : parts) {
    const auto [it, is_new] = variants.try_emplace(first, static_cast<int>(variants.size()));
    targets.push_back({spec.stores[s].value, spec.stores[s].mode == KernelSpec::Mode::add, it->second});
    if (!is_new) continue;
    for (const auto& load : spec.loads) {
      const KernelPlan::Load here{load.vector, place(load.at, spec, first, count)};
      std::uint32_t l = 0;
      while (l < loads.size() && !(loads[l].vector == here.vector && same_map(loads[l].at, here.at))) ++l;
      if (l == loads.size()) loads.push_back(here);
      leaves.push_back({load.symbol, Program::Code::load, l, it->second});
    }
    for (const auto& counter : spec.counters) {
      leaves.push_back(
          {counter.symbol, Program::Code::counter, static_cast<std::uint32_t>(counters.size()), it->second});
      counters.push_back(place(counter.at, spec, first, count));
    }
  }

  KernelPlan::Stage stage{count, Program(leaves, targets), {}, {}, {}};
  for (const auto l : stage.program.renumber(Program::Code::load)) stage.loads.push_back(loads[l]);
  for (const auto c : stage.program.renumber(Program::Code::counter)) stage.counters.push_back(counters[c]);
  for (const auto& [s, first] : parts)
    stage.stores.push_back({spec.stores[s].vector, place(spec.stores[s].at, spec, first, count), spec.stores[s].mode});
  return stage;
}

// Deals the stores of a spec into stages.
class Dealer {
 public:
  explicit Dealer(const KernelSpec& spec) : spec_(spec), component_(spec.stores.size()) {
    for (std::size_t s = 0; s < component_.size(); ++s) {
      component_[s] = s;
      for (std::size_t earlier = 0; earlier < s; ++earlier)
        if (conflict(spec.stores[earlier], spec.stores[s], spec.count)) {
          conflicts_.emplace_back(earlier, s);
          const auto from = component_[s], to = component_[earlier];
          std::replace(component_.begin(), component_.begin() + static_cast<std::ptrdiff_t>(s) + 1, from, to);
        }
    }
  }

  std::vector<KernelPlan::Stage> deal() {
    std::map<std::size_t, std::vector<std::size_t>> components;
    for (std::size_t s = 0; s < component_.size(); ++s) components[component_[s]].push_back(s);
    std::vector<std::size_t> others;
    for (const auto& [name, stores] : components) {
      if (are_neighbours(stores)) {
        deal_neighbours(stores);
      } else {
        others.insert(others.end(), stores.begin(), stores.end());
      }
    }
    std::sort(others.begin(), others.end());
    deal_by_level(others);

    std::vector<KernelPlan::Stage> stages;
    for (const auto& [key, parts] : stages_) stages.push_back(make_stage(spec_, parts, key.count));
    return stages;
  }

 private:
  static constexpr std::int64_t kMaxShift = 4;

  // Stages are executed in this order; it matters among those of one component only.
  struct Key {
    int level;
    std::int64_t count;
    std::int64_t instance;  // of a stage with a single one
    auto operator<=>(const Key&) const = default;
  };

  // Largest distance of the first places of stores with stride 1.
  std::int64_t reach(const std::vector<std::size_t>& stores) const {
    const auto [low, high] = std::minmax_element(stores.begin(), stores.end(), [&](std::size_t a, std::size_t b) {
      return spec_.stores[a].at.offset() < spec_.stores[b].at.offset();
    });
    return spec_.stores[*high].at.offset() - spec_.stores[*low].at.offset();
  }

  bool are_neighbours(const std::vector<std::size_t>& stores) const {
    const auto is_list = [](const auto& x) { return x.at.kind() == Kind::list; };
    return stores.size() > 1 && spec_.count > 1 &&
           std::all_of(stores.begin(), stores.end(),
                       [&](std::size_t s) { return spec_.stores[s].at.kind() == Kind::unit; }) &&
           std::none_of(spec_.loads.begin(), spec_.loads.end(), is_list) &&
           std::none_of(spec_.counters.begin(), spec_.counters.end(), is_list) &&
           reach(stores) <= std::min(kMaxShift, spec_.count - 1);
  }

  void deal_neighbours(const std::vector<std::size_t>& stores) {
    const std::int64_t reached = reach(stores), common = spec_.count - reached;
    std::int64_t last_offset = 0;
    for (const auto s : stores) last_offset = std::max(last_offset, spec_.stores[s].at.offset());

    std::map<std::int64_t, int> level_at;  // of places at the ends
    for (const auto s : stores) {
      const std::int64_t offset = spec_.stores[s].at.offset(), shift = last_offset - offset;
      stages_[{0, common, 0}].push_back({s, shift});
      for (std::int64_t k = 0; k < spec_.count; k = k + 1 == shift ? shift + common : k + 1) {
        if (k == shift) k += common;
        if (k >= spec_.count) break;
        stages_[{level_at[offset + k]++, 1, k}].push_back({s, k});
      }
    }
  }

  void deal_by_level(const std::vector<std::size_t>& stores) {
    std::vector<int> level(spec_.stores.size(), 0);
    for (const auto& [earlier, later] : conflicts_) level[later] = std::max(level[later], level[earlier] + 1);
    for (const auto s : stores) {
      const auto& store = spec_.stores[s];
      const bool only_last = store.mode == KernelSpec::Mode::assign && store.at.kind() == Kind::fixed;
      const std::int64_t first = only_last ? spec_.count - 1 : 0;
      stages_[{level[s], spec_.count - first, first}].push_back({s, first});
    }
  }

  const KernelSpec& spec_;
  std::vector<std::size_t> component_;  // stores of one component are connected by conflicts
  std::vector<std::pair<std::size_t, std::size_t>> conflicts_;
  std::map<Key, std::vector<Part>> stages_;
};

// Appends the bytes of plain values.
class Key {
 public:
  template <class V>
  void operator()(const V& value) {
    static_assert(std::has_unique_object_representations_v<V>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof(V));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

KernelPlan::KernelPlan(const KernelSpec& spec) : count(spec.count) {
  if (count == 0) return;
  stages = Dealer(spec).deal();
}

std::size_t KernelPlan::Stage::first_to_same_place(std::size_t s) const {
  std::size_t first = 0;
  while (stores[first].vector != stores[s].vector || !same_map(stores[first].at, stores[s].at)) ++first;
  return first;
}

std::string KernelPlan::code_key() const {
  Key key;
  const auto add_place = [&](const IndexMap& at) {
    if (count == 1) {
      key(at.offset());
    } else {
      key(at.kind());
    }
  };
  key(count == 1);
  key(has_many_instances());
  for (const Stage& stage : stages) {
    key(stage.count == 1);
    key(stage.loads.size());
    for (const auto& load : stage.loads) key(load.vector), add_place(load.at);
    key(stage.counters.size());
    for (const auto& at : stage.counters) add_place(at);
    key(stage.stores.size());
    for (std::size_t n = 0; n < stage.stores.size(); ++n) {
      key(stage.stores[n].vector);
      key(stage.stores[n].mode);
      key(stage.first_to_same_place(n));
      add_place(stage.stores[n].at);
    }
    for (const auto& o : stage.program.outputs()) key(o.value), key(o.negative);
    key(stage.program.instructions().size());
    for (const auto& i : stage.program.instructions()) key(i.code), key(i.function), key(i.index), key(i.args);
    for (const Quad c : stage.program.constants()) key(std::bit_cast<std::array<std::uint64_t, 2>>(c));
  }
  return key.take();
}

std::vector<std::int64_t> KernelPlan::table() const {
  std::vector<std::int64_t> words;
  const auto add = [&](const IndexMap& at) {
    words.push_back(at.list() ? std::bit_cast<std::int64_t>(at.list()) : at.offset());
    words.push_back(at.list() ? 0 : at.stride());
  };
  for (const Stage& stage : stages) {
    words.push_back(stage.count);
    for (const auto& load : stage.loads) add(load.at);
    for (const auto& at : stage.counters) add(at);
    for (const auto& store : stage.stores) add(store.at);
  }
  return words;
}

}  // namespace cotangent
