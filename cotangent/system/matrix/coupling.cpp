#include "cotangent/system/matrix/coupling.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "cotangent/system/operation/incidence.hpp"

namespace cotangent {
namespace {

// 32-bit numbers count entries, and memory ends long before them.
constexpr std::size_t kMaxEntries = std::size_t{1} << 28;

[[noreturn]] void too_dense() {
  throw std::invalid_argument("the constraints are coupled too densely: G W G' has over 2^28 entries");
}

using SlotPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Instances of two families that share the coordinates of the same slots, with row_f >= row_h throughout.
struct Overlap {
  const Family* f;
  const Family* h;
  std::int64_t count;
  IndexMap k, l;
  SlotPairs shared;
  bool diagonal;  // row_f(k) == row_h(l)
};

// Finds overlaps of two families.
class OverlapFinder {
 public:
  OverlapFinder(const Family& f, const Family& h, std::vector<Overlap>& overlaps) : f_(f), h_(h), overlaps_(overlaps) {
    if (!find_shifted()) find_by_search();
  }

 private:
  // Families whose index lists are all affine with one stride: instance k meets instance k + d, for few shifts d.
  bool find_shifted() {
    const auto stride = common_stride();
    if (!stride) return false;
    std::map<std::int64_t, SlotPairs> by_shift;
    for (std::size_t a = 0; a < f_.slots.size(); ++a) {
      for (std::size_t b = 0; b < h_.slots.size(); ++b) {
        const std::int64_t distance = f_.slots[a].at.offset() - h_.slots[b].at.offset();
        if (distance % *stride == 0) by_shift[distance / *stride].emplace_back(a, b);
      }
    }
    for (const auto& [d, shared] : by_shift) {
      const std::int64_t first = std::max<std::int64_t>(0, -d), last = std::min(f_.count, h_.count - d);
      if (first >= last) continue;
      // Rows grow by one with the instance in both families: their difference is the same for all.
      const std::int64_t below = f_.row(first) - h_.row(first + d);
      if (below < 0) continue;
      overlaps_.push_back(
          {&f_, &h_, last - first, IndexMap::affine(first, 1), IndexMap::affine(first + d, 1), shared, below == 0});
    }
    return true;
  }

  std::optional<std::int64_t> common_stride() const {
    if (f_.count < 2 || h_.count < 2 || f_.slots.empty() || h_.slots.empty()) return std::nullopt;
    if (f_.row.kind() != IndexMap::Kind::unit || h_.row.kind() != IndexMap::Kind::unit) return std::nullopt;
    const std::int64_t stride = f_.slots[0].at.stride();
    const auto has_stride = [&](const Family::Slot& slot) {
      return slot.at.kind() != IndexMap::Kind::list && slot.at.stride() == stride && stride != 0;
    };
    const bool all = std::ranges::all_of(f_.slots, has_stride) && std::ranges::all_of(h_.slots, has_stride);
    return all ? std::optional(stride) : std::nullopt;
  }

  void find_by_search() {
    struct Meeting {
      std::int32_t k, l;
      std::uint16_t a, b;
      auto operator<=>(const Meeting&) const = default;
    };
    std::vector<Meeting> meetings;
    for (std::size_t b = 0; b < h_.slots.size(); ++b) {
      const InverseMap inverse(h_.slots[b].at, h_.count);
      for (std::size_t a = 0; a < f_.slots.size(); ++a) {
        for (std::int64_t k = 0; k < f_.count; ++k) {
          inverse.for_each(f_.slots[a].at(k), [&](std::int64_t l) {
            if (f_.row(k) < h_.row(l)) return;
            meetings.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(l),
                                static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)});
            if (meetings.size() >= kMaxEntries) too_dense();
          });
        }
      }
    }
    std::ranges::sort(meetings);

    // Pairs of instances with the same shared slots are instances of one overlap.
    std::map<std::pair<bool, SlotPairs>, std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> groups;
    for (std::size_t first = 0; first < meetings.size();) {
      const auto [k, l, a0, b0] = meetings[first];
      SlotPairs shared;
      for (; first < meetings.size() && meetings[first].k == k && meetings[first].l == l; ++first)
        shared.emplace_back(meetings[first].a, meetings[first].b);
      auto& [ks, ls] = groups[{f_.row(k) == h_.row(l), std::move(shared)}];
      ks.push_back(k);
      ls.push_back(l);
    }
    for (auto& [pattern, instances] : groups) {
      const auto count = static_cast<std::int64_t>(instances.first.size());
      overlaps_.push_back({&f_, &h_, count, IndexMap::from_list(std::move(instances.first)),
                           IndexMap::from_list(std::move(instances.second)), pattern.second, pattern.first});
    }
  }

  // The instances l with at(l) == index.
  class InverseMap {
   public:
    InverseMap(const IndexMap& at, std::int64_t count) : at_(at), count_(count) {
      if (at.kind() != IndexMap::Kind::list) return;
      for (std::int64_t l = 0; l < count; ++l) instances_[at(l)].push_back(l);
    }

    template <class Visit>
    void for_each(std::int64_t index, const Visit& visit) const {
      if (at_.kind() == IndexMap::Kind::list) {
        const auto found = instances_.find(index);
        if (found == instances_.end()) return;
        for (const std::int64_t l : found->second) visit(l);
      } else if (at_.stride() == 0) {
        if (index != at_.offset()) return;
        for (std::int64_t l = 0; l < count_; ++l) visit(l);
      } else {
        const std::int64_t distance = index - at_.offset(), l = distance / at_.stride();
        if (distance % at_.stride() == 0 && l >= 0 && l < count_) visit(l);
      }
    }

   private:
    const IndexMap& at_;
    std::int64_t count_;
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> instances_;
  };

  const Family& f_;
  const Family& h_;
  std::vector<Overlap>& overlaps_;
};

// The expression of one overlap's entries. Each place that is read has one symbol, also when both instances read it.
class EntryBuilder {
 public:
  EntryBuilder(const Overlap& overlap, const ContractionBuilder& builder, std::optional<Quad> uniform_mass)
      : overlap_(overlap),
        builder_(builder),
        uniform_mass_(uniform_mass),
        places_(*builder.graph(), overlap.count),
        f_x_(slot_gradient(builder.own(*overlap.f))),
        h_x_(slot_gradient(builder.own(*overlap.h))) {
    spec_.count = overlap.count;
  }

  // sum over shared slots of df/dx_a W dh/dx_b, with q for f and h from these vectors.
  Expr entry(int q_of_f, int q_of_h) {
    Graph& graph = *builder_.graph();
    const auto f_places = symbols_at(builder_, *overlap_.f, overlap_.k, overlap_.count, q_of_f, places_);
    const auto h_places = symbols_at(builder_, *overlap_.h, overlap_.l, overlap_.count, q_of_h, places_);
    Substitution at_f(f_places), at_h(h_places);
    Expr total = graph.constant(0);
    for (const auto& [a, b] : overlap_.shared) {
      const Expr W = uniform_mass_
                         ? graph.constant(*uniform_mass_)
                         : places_.symbol(in::weights, overlap_.f->slots[a].at.after(overlap_.k, overlap_.count));
      total = total + W * (at_f(f_x_[a]) * at_h(h_x_[b]));
    }
    return total;
  }

  void store(Expr value, int vector, const IndexMap& at) { spec_.stores.push_back({value, vector, at}); }

  KernelSpec take() {
    spec_.loads = places_.loads();
    drop_unused(spec_);
    return std::move(spec_);
  }

 private:
  const Overlap& overlap_;
  const ContractionBuilder& builder_;
  std::optional<Quad> uniform_mass_;
  Places places_;
  std::vector<Expr> f_x_, h_x_;
  KernelSpec spec_;
};

// Where the entries of each overlap go: to the rows of the diagonal, or to off-diagonal entries, which are numbered;
// those that several overlaps add to get one number.
std::vector<IndexMap> number_entries(const std::vector<Overlap>& overlaps, std::vector<std::pair<int, int>>& entries) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> keyed;  // (row, column), running number
  for (const Overlap& overlap : overlaps) {
    if (overlap.diagonal) continue;
    for (std::int64_t e = 0; e < overlap.count; ++e) {
      const auto row = static_cast<std::uint64_t>(overlap.f->row(overlap.k(e)));
      const auto column = static_cast<std::uint64_t>(overlap.h->row(overlap.l(e)));
      if (keyed.size() >= kMaxEntries) too_dense();
      keyed.emplace_back(row << 32 | column, static_cast<std::int32_t>(keyed.size()));
    }
  }
  // First occurrences keep their order: where nothing is shared twice, numbers are consecutive within an overlap.
  std::vector<std::int32_t> number(keyed.size());
  auto sorted = keyed;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t s = 0; s < sorted.size(); ++s) {
    const bool repeated = s > 0 && sorted[s].first == sorted[s - 1].first;
    number[static_cast<std::size_t>(sorted[s].second)] =
        repeated ? number[static_cast<std::size_t>(sorted[s - 1].second)] : sorted[s].second;
  }
  std::vector<std::int32_t> compact(keyed.size());
  for (std::size_t e = 0; e < keyed.size(); ++e) {
    if (std::cmp_equal(number[e], e)) {
      compact[e] = static_cast<std::int32_t>(entries.size());
      entries.emplace_back(static_cast<int>(keyed[e].first >> 32), static_cast<int>(keyed[e].first & 0xffffffffU));
    } else {
      compact[e] = compact[static_cast<std::size_t>(number[e])];
    }
  }
  std::vector<IndexMap> maps;
  auto next = compact.begin();
  for (const Overlap& overlap : overlaps) {
    if (overlap.diagonal) {
      maps.push_back(overlap.f->row.after(overlap.k, overlap.count));
      continue;
    }
    maps.push_back(IndexMap::from_list({next, next + overlap.count}));
    next += overlap.count;
  }
  return maps;
}

void finish(SpecSequence& specs, std::int64_t m, std::int64_t entries, bool has_upper) {
  specs.kernels = fuse(std::move(specs.kernels));
  const auto assign = [&](CouplingPlan::Output output, std::int64_t size) {
    if (assign_first(specs.kernels, output, size)) specs.zero.push_back({output, size});
  };
  assign(CouplingPlan::diagonal, m);
  assign(CouplingPlan::lower, entries);
  if (has_upper) assign(CouplingPlan::upper, entries);
}

}  // namespace

std::optional<CouplingPlan> plan_coupling(const Elements& elements, std::optional<Quad> uniform_mass) {
  for (const Family& family : elements.constraints)
    for (const auto& slot : family.slots)
      if (slot.space != Space::q) return std::nullopt;

  std::vector<Overlap> overlaps;
  for (const Family& f : elements.constraints)
    for (const Family& h : elements.constraints) OverlapFinder(f, h, overlaps);
  // Each overlap is a kernel to compile, twice. Where there are more (irregular nets), R is better found without them.
  if (2 * overlaps.size() > kMaxPieces) return std::nullopt;

  const ContractionBuilder builder(elements);
  CouplingPlan plan;
  plan.graph = builder.graph();
  const auto entry_numbers = number_entries(overlaps, plan.off_diagonal);
  for (std::size_t o = 0; o < overlaps.size(); ++o) {
    const Overlap& overlap = overlaps[o];
    EntryBuilder symmetric(overlap, builder, uniform_mass);
    EntryBuilder newton(overlap, builder, uniform_mass);
    const auto vector = overlap.diagonal ? CouplingPlan::diagonal : CouplingPlan::lower;
    symmetric.store(symmetric.entry(in::q, in::q), vector, entry_numbers[o]);
    newton.store(newton.entry(in::q, in::a_q), vector, entry_numbers[o]);
    if (!overlap.diagonal) newton.store(newton.entry(in::a_q, in::q), CouplingPlan::upper, entry_numbers[o]);
    plan.symmetric.kernels.push_back(symmetric.take());
    plan.newton.kernels.push_back(newton.take());
  }
  const auto entries = static_cast<std::int64_t>(plan.off_diagonal.size());
  finish(plan.symmetric, elements.m, entries, false);
  finish(plan.newton, elements.m, entries, true);
  return plan;
}

}  // namespace cotangent
