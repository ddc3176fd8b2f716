#include "cotangent/elements/sum_splitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// An inner sum with at most this many terms is written out instead of becoming a group.
constexpr std::int64_t kUnrolledTerms = 4;

// Beyond these sizes terms of one loop go to separate families: kernels stay small.
constexpr std::size_t kMaxSlots = 24;
constexpr std::size_t kMaxNodes = 300;

bool is_sum(Expr e) { return e.op() == Op::sum; }

bool same_loops(const std::vector<Loop>& a, const std::vector<Loop>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Loop& s, const Loop& t) { return s.index == t.index && s.lo == t.lo && s.hi == t.hi; });
}

bool is_short(Expr sum) {
  const Expr lo = sum.arg(0), hi = sum.arg(1);
  return lo.is_constant() && hi.is_constant() && hi.value() - lo.value() < static_cast<Quad>(kUnrolledTerms);
}

}  // namespace

SumSplitter::Groups SumSplitter::take_groups() {
  known_groups_.clear();
  known_partial_sums_.clear();
  return std::exchange(groups_, {});
}

void SumSplitter::add(Expr e, const std::vector<Loop>& outer, const IndexMap& rows, std::vector<Family>& families) {
  std::vector<Nest> nests;
  split(e, graph_.constant(1), outer, nests);
  for (const Nest& nest : nests) {
    const LoopNest instances(nest.loops, symbols_.tables);
    if (instances.count() == 0) continue;
    const IndexMap row = rows.after(instances.prefix(outer.size()), instances.count());
    add_families(nest, instances, row, families);
  }
}

// The terms of a sum of sums, from left to right, and how often each occurs in it. A sum may be long (no recursion)
// and contain another one many times (no second visit).
std::vector<std::pair<Expr, Expr>> SumSplitter::terms_of(Expr e) const {
  struct Visit {
    Expr e;
    bool is_open;
  };
  std::vector<Expr> order;  // arguments before what uses them
  std::unordered_map<NodeId, Quad> times;
  for (std::vector<Visit> stack{{e, false}}; !stack.empty();) {
    const Visit visit = stack.back();
    stack.pop_back();
    if (visit.is_open) {
      order.push_back(visit.e);
    } else if (times.emplace(visit.e.id(), 0).second) {
      stack.push_back({visit.e, true});
      if (visit.e.op() != Op::add) continue;
      stack.push_back({visit.e.arg(1), false});
      stack.push_back({visit.e.arg(0), false});
    }
  }
  times[e.id()] = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    for (int k = 0; k < (it->op() == Op::add ? 2 : 0); ++k) times[it->arg(k).id()] += times[it->id()];
  std::vector<std::pair<Expr, Expr>> terms;
  for (const Expr& term : order)
    if (term.op() != Op::add) terms.emplace_back(term, graph_.constant(times[term.id()]));
  return terms;
}

// Distributes coefficient * e over sums: its terms, each with the loops it is summed over.
void SumSplitter::split(Expr e, Expr coefficient, const std::vector<Loop>& loops, std::vector<Nest>& nests) {
  const auto without_variables = [](Expr factor) {
    return !depends_on(factor, [](Expr x) { return is_variable(x) || is_sum(x); });
  };
  if (e.op() == Op::add) {
    for (const auto& [term, times] : terms_of(e)) split(term, coefficient * times, loops, nests);
  } else if (!depends_on(e, is_sum)) {
    collect(coefficient * e, loops, nests);
  } else if (e.op() == Op::sum && (!loops.empty() || unrolls_outermost_) && is_short(e)) {
    // Components of a vector, mostly: instances of the outer loop alone have simpler index lists.
    split(unrolled(e), coefficient, loops, nests);
  } else if (e.op() == Op::sum && is_partial_sum(e, loops) && depends_on(e.arg(2), is_sum)) {
    collect(coefficient * partial_sum(e, loops), loops, nests);
  } else if (e.op() == Op::sum) {
    auto inside = loops;
    const Expr index = graph_.symbol_expr(index_symbol(loops.size()));
    inside.push_back({index.symbol_id(), e.arg(0), e.arg(1)});
    split(substitute(e.arg(2), {{graph_.symbol_expr(e.symbol_id()).id(), index}}), coefficient, inside, nests);
  } else if (e.op() == Op::mul && without_variables(e.arg(0))) {
    split(e.arg(1), coefficient * e.arg(0), loops, nests);
  } else if (e.op() == Op::mul && without_variables(e.arg(1))) {
    split(e.arg(0), coefficient * e.arg(1), loops, nests);
  } else if (e.op() == Op::div && without_variables(e.arg(1))) {
    split(e.arg(0), coefficient / e.arg(1), loops, nests);
  } else {
    collect(coefficient * with_groups(e, loops), loops, nests);
  }
}

void SumSplitter::collect(Expr term, const std::vector<Loop>& loops, std::vector<Nest>& nests) {
  const auto same = [&](const Nest& nest) { return same_loops(nest.loops, loops); };
  auto nest = std::find_if(nests.begin(), nests.end(), same);
  if (nest == nests.end()) nest = nests.insert(nests.end(), Nest{loops, {}});
  nest->terms.push_back(term);
}

// e with the sums inside it written out, if short, or replaced by group variables.
Expr SumSplitter::with_groups(Expr e, const std::vector<Loop>& loops) {
  Replacement replacement;
  for (const Expr& s : topmost(e, is_sum)) {
    replacement.emplace(s.id(), is_short(s) ? with_groups(unrolled(s), loops) : group_variable(s, loops));
  }
  return substitute(e, replacement);
}

Expr SumSplitter::unrolled(Expr s) {
  const NodeId index = graph_.symbol_expr(s.symbol_id()).id();
  Expr total = graph_.constant(0);
  for (Quad i = s.arg(0).value(); i <= s.arg(1).value(); i += 1)
    total = total + substitute(s.arg(2), {{index, graph_.constant(i)}});
  return total;
}

Expr SumSplitter::group_variable(Expr s, const std::vector<Loop>& loops) {
  if (is_partial_sum(s, loops)) return partial_sum(s, loops);
  // One variable for each instance of the loops that the sum depends on.
  std::size_t depth = loops.size();
  const auto depends_on_loop = [&](std::size_t l) {
    const Expr index = graph_.symbol_expr(loops[l].index);
    return depends_on(s, [&](Expr x) { return x == index; });
  };
  while (depth > 0 && !depends_on_loop(depth - 1)) --depth;
  const std::vector<Loop> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(depth));

  auto& known = known_groups_[s.id()];
  for (const auto& [known_loops, symbol] : known)
    if (same_loops(known_loops, outer)) return symbol;

  // Inner groups come first, so the place of this one is known only after its families were made.
  const std::int64_t count = LoopNest(outer, symbols_.tables).count();
  std::vector<Family> families;
  add(s, outer, IndexMap::affine(0, 1), families);
  const std::int64_t first = groups_.count;
  groups_.count += count;
  for (Family& family : families) {
    family.row = family.row.shifted(first);
    groups_.families.push_back(std::move(family));
  }
  const Expr symbol = graph_.new_symbol(fmt::format("w{}", first), SymbolKind::local);
  maker_.declare_group(symbol.symbol_id(), first, depth);
  known.emplace_back(outer, symbol);
  return symbol;
}

// Whether only the end of a sum depends on the loops around it.
bool SumSplitter::is_partial_sum(Expr s, const std::vector<Loop>& loops) {
  const auto is_index = [&](Expr x) {
    return x.op() == Op::symbol &&
           std::ranges::any_of(loops, [&](const Loop& loop) { return loop.index == x.symbol_id(); });
  };
  return s.arg(0).is_constant() && depends_on(s.arg(1), is_index) && !depends_on(s.arg(2), is_index);
}

Expr SumSplitter::partial_sum(Expr s, const std::vector<Loop>& loops) {
  const LoopNest instances(loops, symbols_.tables);
  if (instances.count() == 0) return graph_.constant(0);
  const auto [low, high] = instances.map(s.arg(1)).bounds(instances.count());
  if (static_cast<Quad>(high) < s.arg(0).value()) return graph_.constant(0);
  PartialSums& sums = partial_sums(s, low, high);
  Expr& symbol = sums.symbols[s.arg(1).id()];
  if (!symbol.valid()) {
    symbol = graph_.new_symbol(fmt::format("w{}", sums.first), SymbolKind::local);
    maker_.declare_group(symbol.symbol_id(), sums.first - sums.low, s.arg(1));
  }
  return symbol;
}

// Group variables for ends from low to high; those before the beginning are zero.
SumSplitter::PartialSums& SumSplitter::partial_sums(Expr s, std::int64_t low, std::int64_t high) {
  const Expr index = graph_.symbol_expr(index_symbol(0));
  const Expr terms = substitute(s.arg(2), {{graph_.symbol_expr(s.symbol_id()).id(), index}});
  const auto known = std::ranges::find_if(known_partial_sums_, [&](const PartialSums& of) {
    return of.terms == terms && of.lo == s.arg(0) && of.low <= low && high <= of.high;
  });
  if (known != known_partial_sums_.end()) return *known;

  const auto lo = static_cast<std::int64_t>(s.arg(0).value());
  low = std::min(low, lo);
  const std::int64_t size = high - low + 1, before = lo - low, count = size - before;
  // Inner groups come first.
  std::vector<Family> families;
  add(terms, {{index.symbol_id(), s.arg(0), graph_.constant(static_cast<Quad>(high))}}, IndexMap::affine(before, 1),
      families);
  std::int64_t first = groups_.count;
  for (Family& family : families) {
    family.row = family.row.shifted(first);
    groups_.families.push_back(std::move(family));
  }
  for (std::int64_t distance = 1; distance < count; distance *= 2) {
    const std::int64_t from = first + before, to = from + size;
    groups_.families.push_back(maker_.copy(IndexMap::affine(from, 1), IndexMap::affine(to, 1), count));
    groups_.families.push_back(
        maker_.copy(IndexMap::affine(from, 1), IndexMap::affine(to + distance, 1), count - distance));
    first += size;
  }
  groups_.count = first + size;
  known_partial_sums_.push_back({terms, s.arg(0), low, high, first});
  return known_partial_sums_.back();
}

// Families of the terms of one nest, none too large.
void SumSplitter::add_families(const Nest& nest, const LoopNest& instances, const IndexMap& row,
                               std::vector<Family>& families) {
  std::vector<Expr> batch;
  std::size_t slots = 0, nodes = 0;
  const auto flush = [&] {
    if (batch.empty()) return;
    Expr f = batch[0];
    for (std::size_t k = 1; k < batch.size(); ++k) f = f + batch[k];
    families.push_back(maker_.make(f, instances, row));
    batch.clear();
    slots = nodes = 0;
  };
  for (const Expr& term : nest.terms) {
    const std::size_t term_slots = topmost(term, is_variable).size();
    const std::size_t term_nodes = reachable(std::array{term}).size();
    if (slots + term_slots > kMaxSlots || nodes + term_nodes > kMaxNodes) flush();
    batch.push_back(term);
    slots += term_slots;
    nodes += term_nodes;
  }
  flush();
}

}  // namespace cotangent
