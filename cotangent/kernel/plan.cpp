#include "cotangent/kernel/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace cotangent {
namespace {

using Kind = IndexMap::Kind;

// Native vectors of a Lanes value that go through the passes of a repeated kernel side by side: a pass waits
// for the one before, so that with one vector the latency counts. Four are hardly faster than two, whose
// state mostly is in registers.
constexpr int kRepeatVectors = 2;

bool is_affine(const IndexMap& at) { return at.kind() != Kind::list; }

// The largest end such that the map is affine for k in [first, end).
std::int64_t affine_until(const IndexMap& at, std::int64_t first, std::int64_t count) {
  if (is_affine(at)) return count;
  std::int64_t end = std::min(first + 2, count);
  while (end < count && at(end) - at(end - 1) == at(first + 1) - at(first)) ++end;
  return end;
}

// Whether a(j) = b(k) for some j, k in [0, count).
bool overlap(const IndexMap& a, const IndexMap& b, std::int64_t count) {
  const auto [a_low, a_high] = a.bounds(count);
  const auto [b_low, b_high] = b.bounds(count);
  if (a_high < b_low || b_high < a_low) return false;
  if (is_affine(a) && is_affine(b) && std::abs(a.stride()) == std::abs(b.stride()) && a.stride() != 0)
    return (a.offset() - b.offset()) % a.stride() == 0;
  std::vector<bool> taken(static_cast<std::size_t>(a_high - a_low + 1));
  for (std::int64_t k = 0; k < count; ++k) taken[static_cast<std::size_t>(a(k) - a_low)] = true;
  for (std::int64_t k = 0; k < count; ++k)
    if (const auto i = b(k); i >= a_low && i <= a_high && taken[static_cast<std::size_t>(i - a_low)]) return true;
  return false;
}

// Whether the order of two stores matters when each runs through all instances.
bool conflict(const KernelSpec::Store& a, const KernelSpec::Store& b, std::int64_t count) {
  if (a.vector != b.vector || a.part != b.part) return false;
  // Through the same affine map every place is visited once, by the same instance.
  if (a.at == b.at && is_affine(a.at) && a.at.kind() != Kind::fixed) return false;
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

// One program for all stores, so that a value is rounded in the same way wherever the store is dealt to: into whatever
// number of instances and ranks a family is cut. Every load is a leaf of its own, for the same reason.
Program make_program(const KernelSpec& spec) {
  std::vector<Program::Leaf> leaves;
  for (std::uint32_t l = 0; l < spec.loads.size(); ++l)
    leaves.push_back({spec.loads[l].symbol, Program::Code::load, l});
  for (std::uint32_t c = 0; c < spec.counters.size(); ++c)
    leaves.push_back({spec.counters[c].symbol, Program::Code::counter, c});
  std::vector<Program::Target> targets;
  for (const auto& store : spec.stores) targets.push_back({store.value, store.mode == KernelSpec::Mode::add});
  if (spec.repeat) targets.push_back({spec.repeat->guard});
  return Program(leaves, targets);
}

KernelPlan::Stage make_stage(const KernelSpec& spec, const Program& program, const std::vector<Part>& parts,
                             std::int64_t count) {
  // Loads and counters of all parts, those of one place only once.
  std::vector<KernelPlan::Load> loads;
  std::vector<IndexMap> counters;
  std::map<std::int64_t, Program::Leaves> leaves;  // for each first instance
  std::vector<Program::Selection> selections;
  for (const auto& [s, first] : parts) {
    const auto [it, is_new] = leaves.try_emplace(first);
    selections.push_back({s, &it->second});
    if (!is_new) continue;
    for (const auto& load : spec.loads) {
      const KernelPlan::Load here{load.vector, place(load.at, spec, first, count), load.part};
      const auto known = std::find(loads.begin(), loads.end(), here);
      it->second.loads.push_back(static_cast<std::uint32_t>(known - loads.begin()));
      if (known == loads.end()) loads.push_back(here);
    }
    for (const auto& counter : spec.counters) {
      it->second.counters.push_back(static_cast<std::uint32_t>(counters.size()));
      counters.push_back(place(counter.at, spec, first, count));
    }
  }
  KernelPlan::Stage stage{count, program.select(selections), {}, {}, {}};
  for (const auto l : stage.program.renumber(Program::Code::load)) stage.loads.push_back(loads[l]);
  for (const auto c : stage.program.renumber(Program::Code::counter)) stage.counters.push_back(counters[c]);
  for (const auto& [s, first] : parts)
    stage.stores.push_back({spec.stores[s].vector, place(spec.stores[s].at, spec, first, count), spec.stores[s].mode,
                            spec.stores[s].part});
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
      if (const auto reached = reach(stores)) {
        deal_neighbours(stores, *reached);
      } else {
        others.insert(others.end(), stores.begin(), stores.end());
      }
    }
    std::sort(others.begin(), others.end());
    deal_by_level(others);

    const Program program = make_program(spec_);
    std::vector<KernelPlan::Stage> stages;
    for (const auto& [key, parts] : stages_) stages.push_back(make_stage(spec_, program, parts, key.count));
    return stages;
  }

 private:
  // Stages are executed in this order; it matters among those of one component only.
  struct Key {
    int level;
    std::int64_t count;
    std::int64_t instance;  // of a stage with a single one
    auto operator<=>(const Key&) const = default;
  };

  // How many iterations later than the others store s reaches a place; none if their strides differ or they do not go
  // through it in steps.
  std::optional<std::int64_t> shift(const std::vector<std::size_t>& stores, std::size_t s) const {
    const std::int64_t stride = spec_.stores[s].at.stride();
    std::int64_t largest = 0;
    for (const auto other : stores) {
      const IndexMap& at = spec_.stores[other].at;
      if (!is_affine(at) || at.stride() != stride || stride == 0) return std::nullopt;
      largest = std::max(largest, (at.offset() - spec_.stores[s].at.offset()) / stride);
    }
    return largest;
  }

  // How far these stores are apart, in instances; none if they cannot share a loop over places, or would leave more
  // places at the ends, each with code of its own, than there are stores.
  std::optional<std::int64_t> reach(const std::vector<std::size_t>& stores) const {
    const auto is_list = [](const auto& x) { return !is_affine(x.at); };
    if (stores.size() == 1 || std::any_of(spec_.loads.begin(), spec_.loads.end(), is_list) ||
        std::any_of(spec_.counters.begin(), spec_.counters.end(), is_list))
      return std::nullopt;
    std::int64_t largest = 0;
    for (const auto s : stores) {
      const auto n = shift(stores, s);
      if (!n || *n > std::min(std::ssize(stores), spec_.count - 1)) return std::nullopt;
      largest = std::max(largest, *n);
    }
    return largest;
  }

  // The place that store s reaches in instance k + shift(s) is the same for all of them.
  void deal_neighbours(const std::vector<std::size_t>& stores, std::int64_t reached) {
    const std::int64_t common = spec_.count - reached;
    std::map<std::int64_t, int> level_at;  // of places at the ends
    for (const auto s : stores) {
      const std::int64_t first = *shift(stores, s);
      stages_[{0, common, 0}].push_back({s, first});
      for (std::int64_t k = 0; k < spec_.count; ++k) {
        if (k == first) k += common;
        if (k < spec_.count) stages_[{level_at[spec_.stores[s].at(k)]++, 1, k}].push_back({s, k});
      }
    }
  }

  void deal_by_level(const std::vector<std::size_t>& stores) {
    std::vector<int> level(spec_.stores.size(), 0);
    for (const auto& [earlier, later] : conflicts_) level[later] = std::max(level[later], level[earlier] + 1);
    const std::vector<std::int64_t> ends = affine_ranges();
    for (const auto s : stores) {
      const auto& store = spec_.stores[s];
      // In whatever order, if every instance has a place of its own.
      if (is_affine(store.at) && store.at.kind() != Kind::fixed && ends.size() > 1) {
        for (std::int64_t first = 0; const std::int64_t end : ends) {
          stages_[{level[s], end - first, first}].push_back({s, first});
          first = end;
        }
        continue;
      }
      const bool only_last = store.mode == KernelSpec::Mode::assign && store.at.kind() == Kind::fixed;
      const std::int64_t first = only_last ? spec_.count - 1 : 0;
      stages_[{level[s], spec_.count - first, first}].push_back({s, first});
    }
  }

  // Where ranges of instances end in which all maps are affine; only the last one if they are too many to have code of
  // their own.
  std::vector<std::int64_t> affine_ranges() const {
    constexpr std::size_t kMost = 8;
    std::vector<std::int64_t> ends;
    for (std::int64_t first = 0; first < spec_.count && ends.size() <= kMost;) {
      std::int64_t end = spec_.count;
      const auto cut = [&](const auto& access) { end = std::min(end, affine_until(access.at, first, spec_.count)); };
      std::ranges::for_each(spec_.loads, cut);
      std::ranges::for_each(spec_.counters, cut);
      ends.push_back(first = end);
    }
    return ends.size() <= kMost ? ends : std::vector{spec_.count};
  }

  const KernelSpec& spec_;
  std::vector<std::size_t> component_;  // stores of one component are connected by conflicts
  std::vector<std::pair<std::size_t, std::size_t>> conflicts_;
  std::map<Key, std::vector<Part>> stages_;
};

// A repeated kernel is one stage: several stores to one place take effect within a pass.
void make_repeated(const KernelSpec& spec, KernelPlan& plan) {
  const auto& repeat = *spec.repeat;
  if (spec.place_size != 1) throw std::invalid_argument("kernel: repetition with places of several numbers");
  if (spec.count != 1)
    throw std::invalid_argument(
        fmt::format("kernel: repetition with count = {}; only a single instance can be repeated", spec.count));
  for (const auto& store : spec.stores)
    if (store.mode == KernelSpec::Mode::add)
      throw std::invalid_argument("kernel: repetition with a store of mode add; only assign and max are allowed");
  std::vector<std::optional<int>> fed_by(spec.loads.size());
  for (const auto& [store, load] : repeat.feedback) {
    if (store < 0 || std::cmp_greater_equal(store, spec.stores.size()) || load < 0 ||
        std::cmp_greater_equal(load, spec.loads.size()))
      throw std::invalid_argument(
          fmt::format("kernel: feedback from store {} to load {}, but there are {} stores and {} loads", store, load,
                      spec.stores.size(), spec.loads.size()));
    auto& from = fed_by[static_cast<std::size_t>(load)];
    if (from) throw std::invalid_argument(fmt::format("kernel: load {} is fed by two stores", load));
    from = store;
  }
  if (!repeat.guard.valid()) throw std::invalid_argument("kernel: repetition without a guard");

  KernelPlan::Stage stage{1, make_program(spec), {}, {}, {}};
  plan.repeat = {{}, repeat.passes, repeat.done};
  for (const auto l : stage.program.renumber(Program::Code::load)) {
    stage.loads.push_back({spec.loads[l].vector, place(spec.loads[l].at, spec, 0, 1)});
    plan.repeat->fed_by.push_back(fed_by[l]);
  }
  for (const auto c : stage.program.renumber(Program::Code::counter))
    stage.counters.push_back(place(spec.counters[c].at, spec, 0, 1));
  for (const auto& store : spec.stores) stage.stores.push_back({store.vector, place(store.at, spec, 0, 1), store.mode});
  plan.stages.push_back(std::move(stage));
}

// The first of the loads or stores that has the same places, whatever its part.
template <class Access>
std::size_t first_with_places(const std::vector<Access>& all, std::size_t n) {
  std::size_t first = 0;
  while (all[first].vector != all[n].vector || !(all[first].at == all[n].at)) ++first;
  return first;
}

}  // namespace

int repeat_width(int lanes) { return lanes == 1 ? 1 : std::min(lanes, kRepeatVectors * native_width()); }

KernelPlan::KernelPlan(const KernelSpec& spec)
    : count(spec.count), place_size(spec.place_size), place_parts(spec.place_parts) {
  if (place_parts < 1 || place_parts > place_size)
    throw std::invalid_argument(fmt::format("kernel: {} parts in a place of {} numbers", place_parts, place_size));
  if (spec.repeat) {
    make_repeated(spec, *this);
  } else if (count > 0) {
    stages = Dealer(spec).deal();
  }
}

std::size_t KernelPlan::Stage::first_to_same_place(std::size_t s) const {
  std::size_t first = 0;
  while (stores[first].vector != stores[s].vector || stores[first].part != stores[s].part ||
         !(stores[first].at == stores[s].at))
    ++first;
  return first;
}

bool KernelPlan::has_many_instances() const {
  // Lists are read lane by lane: long code, which few instances do not pay for.
  constexpr std::int64_t kWorthLists = 256;
  const auto is_list = [](const auto& access) { return !is_affine(access.at); };
  const bool has_lists = std::ranges::any_of(stages, [&](const Stage& stage) {
    return std::ranges::any_of(stage.loads, is_list) || std::ranges::any_of(stage.stores, is_list);
  });
  return count >= (has_lists ? kWorthLists : native_width());
}

std::string KernelPlan::code_key() const {
  std::string bytes;
  const auto key = [&]<class... V>(const V&... values) {
    static_assert((std::has_unique_object_representations_v<V> && ...));
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof(V)), ...);
  };
  const auto add_place = [&](const IndexMap& at) {
    key(count == 1 ? at.offset() : static_cast<std::int64_t>(at.kind()));
  };
  key(count == 1, place_size, place_parts, has_many_instances(), repeat.has_value());
  if (repeat) {
    key(repeat->passes, repeat->done, repeat->fed_by.size());
    for (const auto& store : repeat->fed_by) key(store.has_value(), store.value_or(0));
  }
  const auto add_values = [&](const Part::Values& values) {
    key(values.size());
    for (const Program::Value v : values) key(v);
  };
  key(parts.size());
  for (const Part& part : parts) {
    key(part.end, part.branches.size());
    add_values(part.must_hold);
    add_values(part.results);
    for (const Part::Branch& branch : part.branches) add_values(branch.if_all), key(branch.part);
  }
  for (const Stage& stage : stages) {
    key(stage.count == 1, stage.loads.size(), stage.counters.size(), stage.stores.size());
    for (std::size_t n = 0; n < stage.loads.size(); ++n) {
      const Load& load = stage.loads[n];
      key(load.vector, load.part, first_with_places(stage.loads, n));
      add_place(load.at);
    }
    for (const auto& at : stage.counters) add_place(at);
    for (std::size_t n = 0; n < stage.stores.size(); ++n) {
      const Store& store = stage.stores[n];
      key(store.vector, store.part, store.mode, first_with_places(stage.stores, n));
      add_place(store.at);
    }
    for (const auto& o : stage.program.outputs()) key(o.value, o.negative);
    key(stage.program.instructions().size());
    for (const auto& i : stage.program.instructions()) key(i.code, i.function, i.index, i.args);
    for (const Quad c : stage.program.constants()) key(std::bit_cast<std::array<std::uint64_t, 2>>(c));
  }
  return bytes;
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
