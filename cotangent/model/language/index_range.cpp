#include "cotangent/model/language/index_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

struct Condition {
  IndexFunction left, right;
  Op op = Op::ne;
  bool holds = true;
};

class Search {
 public:
  Search(std::span<const ActiveLoop> loops, const ParameterMap& parameters)
      : loops_(loops), parameters_(parameters), point_(loops.size()) {
    for (const auto& loop : loops) indices_.push_back(loop.index);
    for (const auto& loop : loops) {
      lo_.push_back(function(loop.lo));
      hi_.push_back(function(loop.hi));
    }
  }

  void add_guard(const Guard& guard) {
    const Expr c = guard.condition;
    const bool compares = is_comparison(c.op());
    guards_.push_back({function(compares ? c.arg(0) : c), function(compares ? c.arg(1) : c.graph().constant(0)),
                       compares ? c.op() : Op::ne, guard.holds});
  }

  std::optional<IndexFault> run(Expr index, double lo, double hi) {
    index_ = function(index);
    min_ = lo;
    max_ = hi;
    limit_ = has_sums_ ? kLimits.terms_read : all_affine_ ? kLimits.entries : kLimits.computed_turns;
    if (visit(0)) return fault_;
    return std::nullopt;
  }

 private:
  IndexFunction function(Expr e) {
    IndexFunction result(e, indices_, parameters_);
    all_affine_ = all_affine_ && result.affine();
    has_sums_ = has_sums_ || result.has_sums();
    return result;
  }

  bool admitted() {
    for (auto& [left, right, op, holds] : guards_) {
      const double a = left(point_), b = right(point_);
      const bool truth = op == Op::lt ? a < b : op == Op::le ? a <= b : op == Op::eq ? a == b : a != b;
      if (truth != holds) return false;
    }
    return true;
  }

  // Whether the index is in range for all instances of the loops from `level` on, by going to the far end of
  // each loop, the innermost first. A doubt (an end in an empty loop) is answered with no.
  bool is_surely_inside(std::size_t level) const {
    if (!all_affine_) return false;
    IndexFunction::Affine largest = *index_->affine(), smallest = largest;
    for (std::size_t k = loops_.size(); k-- > level;) {
      const auto eliminate = [&](IndexFunction::Affine& f, bool upwards) {
        const double c = std::exchange(f.coefficient[k], 0);
        if (c != 0) f.add(c, *((c > 0) == upwards ? hi_ : lo_)[k].affine());
      };
      eliminate(largest, true);
      eliminate(smallest, false);
    }
    return smallest.at(point_) >= min_ && largest.at(point_) <= max_;
  }

  // Tries the loops from `level` on; true as soon as there is a fault.
  bool visit(std::size_t level) {
    if (++visited_ > limit_) return report(IndexFault::Kind::not_checked, 0);
    if (level == loops_.size()) return check_instance();
    if (is_surely_inside(level)) return false;

    const double lo = lo_[level](point_), hi = hi_[level](point_);
    if (!(lo <= hi)) return false;
    // In the innermost loop an affine index has its extreme values at the ends.
    const bool ends_suffice = all_affine_ && guards_.empty() && level + 1 == loops_.size();
    for (double i = lo; i <= hi; i = ends_suffice && i < hi ? hi : i + 1) {
      point_[level] = i;
      if (visit(level + 1)) return true;
    }
    return false;
  }

  bool check_instance() {
    if (!admitted()) return false;
    const double index = (*index_)(point_);
    if (std::nearbyint(index) != index) return report(IndexFault::Kind::not_integer, index);
    if (!(index >= min_ && index <= max_)) return report(IndexFault::Kind::outside, index);
    return false;
  }

  bool report(IndexFault::Kind kind, double index) {
    fault_ = {kind, index, {}};
    for (const auto& loop : loops_)
      for (std::size_t n = 0; n < loop.names.size(); ++n)
        fault_.instance += fmt::format("{}{} = {:.15g}", fault_.instance.empty() ? "" : ", ", loop.names[n],
                                       function(loop.values[n])(point_));
    return true;
  }

  std::span<const ActiveLoop> loops_;
  const ParameterMap& parameters_;
  std::vector<SymbolId> indices_;
  std::vector<IndexFunction> lo_, hi_;
  std::vector<Condition> guards_;
  std::optional<IndexFunction> index_;
  double min_ = 0, max_ = 0;
  bool all_affine_ = true, has_sums_ = false;
  std::vector<double> point_;
  std::int64_t visited_ = 0, limit_ = 0;
  IndexFault fault_{};
};

// Whether an expression has a value when the loop indices and the parameters have.
bool is_known(Expr e, std::span<const ActiveLoop> loops, const ParameterMap& parameters) {
  std::unordered_set<SymbolId> bound;
  for (const auto& loop : loops) bound.insert(loop.index);
  const auto nodes = reachable(std::array{e});
  for (const Expr node : nodes)
    if (node.op() == Op::sum) bound.insert(node.symbol_id());
  return std::all_of(nodes.begin(), nodes.end(), [&](Expr node) {
    const bool leaf = node.op() == Op::symbol || node.op() == Op::entry;
    return !leaf || bound.contains(node.symbol_id()) || parameters.contains(node.symbol_id());
  });
}

// The loops that the expressions depend on, also through bounds of others; a loop whose own bounds vary stays, since
// it may be empty. Nothing if a loop is empty, so that there is no instance at all.
std::optional<std::vector<ActiveLoop>> relevant_loops(std::span<const ActiveLoop> loops, std::vector<Expr> needed) {
  std::vector<ActiveLoop> result;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const bool fixed = loop->lo.is_constant() && loop->hi.is_constant();
    if (fixed && loop->hi.value() < loop->lo.value()) return std::nullopt;
    const auto nodes = reachable(needed);
    const bool used = std::any_of(nodes.begin(), nodes.end(),
                                  [&](Expr e) { return e.op() == Op::symbol && e.symbol_id() == loop->index; });
    if (fixed && !used) continue;
    needed.push_back(loop->lo);
    needed.push_back(loop->hi);
    result.push_back(*loop);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

std::optional<IndexFault> find_index_fault(Expr index, std::int64_t lo, std::int64_t hi,
                                           std::span<const ActiveLoop> loops, std::span<const Guard> guards,
                                           const ParameterMap& parameters) {
  std::vector<Expr> needed{index};
  std::vector<Guard> known;
  for (const auto& guard : guards) {
    if (!is_known(guard.condition, loops, parameters)) continue;
    known.push_back(guard);
    needed.push_back(guard.condition);
  }
  const auto relevant = relevant_loops(loops, std::move(needed));
  if (!relevant) return std::nullopt;
  Search search(*relevant, parameters);
  for (const auto& guard : known) search.add_guard(guard);
  return search.run(index, static_cast<double>(lo), static_cast<double>(hi));
}

}  // namespace cotangent
