#include "cotangent/model/index_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/index_program.hpp"

namespace cotangent {
namespace {

// constant + sum_k coefficient[k] i_k over the loops.
struct Affine {
  double constant = 0;
  std::vector<double> coefficient;

  double at(const std::vector<double>& point) const {
    double value = constant;
    for (std::size_t k = 0; k < coefficient.size(); ++k) value += coefficient[k] * point[k];
    return value;
  }
  void add(double factor, const Affine& other) {
    constant += factor * other.constant;
    for (std::size_t k = 0; k < coefficient.size(); ++k) coefficient[k] += factor * other.coefficient[k];
  }
  bool is_constant() const {
    for (const double c : coefficient)
      if (c != 0) return false;
    return true;
  }
};

// An integer-valued expression of the loop indices, in the fastest form it allows.
struct Form {
  std::optional<Affine> affine = {};
  std::optional<IndexProgram> program = {};  // none if it is affine
};

struct Condition {
  Form left, right;
  Op op = Op::ne;
  bool holds = true;
};

class Search {
 public:
  Search(std::span<const ActiveLoop> loops, const ParameterMap& parameters)
      : loops_(loops), parameters_(parameters), point_(loops.size()) {
    for (std::size_t k = 0; k < loops.size(); ++k) position_[loops[k].index] = k;
    for (const auto& loop : loops) {
      lo_.push_back(form(loop.lo));
      hi_.push_back(form(loop.hi));
      account_for(lo_.back());
      account_for(hi_.back());
    }
  }

  void add_guard(const Guard& guard) {
    const Expr c = guard.condition;
    Condition condition{form(c), form(c.graph().constant(0)), Op::ne, guard.holds};
    if (is_comparison(c.op())) condition = {form(c.arg(0)), form(c.arg(1)), c.op(), guard.holds};
    account_for(condition.left);
    account_for(condition.right);
    guards_.push_back(std::move(condition));
  }

  std::optional<IndexFault> run(Expr index, double lo, double hi) {
    index_ = form(index);
    min_ = lo;
    max_ = hi;
    account_for(index_);
    limit_ = has_sums_ ? kLimits.terms_read : all_affine_ ? kLimits.entries : kLimits.computed_turns;
    if (visit(0)) return fault_;
    return std::nullopt;
  }

 private:
  void account_for(const Form& form) {
    all_affine_ = all_affine_ && form.affine;
    has_sums_ = has_sums_ || (form.program && form.program->has_sums());
  }

  // Affine forms of all nodes, arguments first.
  Form form(Expr e) const {
    std::unordered_map<NodeId, Affine> known;
    for (const Expr node : reachable(std::array{e})) {
      Affine result{0, std::vector<double>(loops_.size())};
      const auto arg = [&](int k) -> const Affine& { return known.at(node.arg(k).id()); };
      if (node.op() == Op::constant) {
        result.constant = static_cast<double>(node.value());
      } else if (node.op() == Op::symbol && position_.contains(node.symbol_id())) {
        result.coefficient[position_.at(node.symbol_id())] = 1;
      } else if (node.op() == Op::symbol && parameters_.contains(node.symbol_id())) {
        result.constant = static_cast<double>(parameters_.at(node.symbol_id())->value);
      } else if (node.op() == Op::add) {
        result.add(1, arg(0));
        result.add(1, arg(1));
      } else if (node.op() == Op::mul && arg(0).is_constant()) {
        result.add(arg(0).constant, arg(1));
      } else if (node.op() == Op::mul && arg(1).is_constant()) {
        result.add(arg(1).constant, arg(0));
      } else {
        return computed(e);
      }
      known.emplace(node.id(), std::move(result));
    }
    Affine affine = known.at(e.id());
    // Fractions are left to the evaluator, which finds where they are not integers.
    bool integer = is_integer(affine.constant);
    for (const double c : affine.coefficient) integer = integer && is_integer(c);
    if (!integer) return computed(e);
    return {std::move(affine), std::nullopt};
  }

  Form computed(Expr e) const { return {std::nullopt, IndexProgram(e, position_, parameters_)}; }

  static bool is_integer(double x) { return std::nearbyint(x) == x; }

  double value(Form& form) {
    if (form.affine) return form.affine->at(point_);
    const double x = (*form.program)(point_);
    // 3*(1/3) is meant as an integer.
    const double nearest = std::nearbyint(x);
    return std::abs(x - nearest) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(x) ? nearest : x;
  }

  bool admitted() {
    for (auto& [left, right, op, holds] : guards_) {
      const double a = value(left), b = value(right);
      const bool truth = op == Op::lt ? a < b : op == Op::le ? a <= b : op == Op::eq ? a == b : a != b;
      if (truth != holds) return false;
    }
    return true;
  }

  // Whether the index is in range for all instances of the loops from `level` on, by going to the far end of
  // each loop, the innermost first. A doubt (an end in an empty loop) is answered with no.
  bool is_surely_inside(std::size_t level) const {
    if (!all_affine_) return false;
    Affine largest = *index_.affine, smallest = largest;
    for (std::size_t k = loops_.size(); k-- > level;) {
      const auto eliminate = [&](Affine& f, bool upwards) {
        const double c = std::exchange(f.coefficient[k], 0);
        if (c != 0) f.add(c, *((c > 0) == upwards ? hi_ : lo_)[k].affine);
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

    const double lo = value(lo_[level]), hi = value(hi_[level]);
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
    const double index = value(index_);
    if (!is_integer(index)) return report(IndexFault::Kind::not_integer, index);
    if (!(index >= min_ && index <= max_)) return report(IndexFault::Kind::outside, index);
    return false;
  }

  bool report(IndexFault::Kind kind, double index) {
    fault_ = {kind, index, {}};
    for (const auto& loop : loops_)
      for (std::size_t n = 0; n < loop.names.size(); ++n) {
        Form name = form(loop.values[n]);
        fault_.instance +=
            fmt::format("{}{} = {:.15g}", fault_.instance.empty() ? "" : ", ", loop.names[n], value(name));
      }
    return true;
  }

  std::span<const ActiveLoop> loops_;
  const ParameterMap& parameters_;
  std::unordered_map<SymbolId, std::size_t> position_;
  std::vector<Form> lo_, hi_;
  std::vector<Condition> guards_;
  Form index_;
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

Quad table_entry(const Parameter& table, std::span<const std::int64_t> indices) {
  COTANGENT_CHECK(indices.size() == table.shape.size());
  std::int64_t at = 0, stride = 1;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    COTANGENT_CHECK(indices[k] >= 1 && indices[k] <= table.shape[k]);
    at += stride * (indices[k] - 1);
    stride *= table.shape[k];
  }
  return table.table[static_cast<std::size_t>(at)];
}

std::optional<IndexFault> find_index_fault(Expr index, double lo, double hi, std::span<const ActiveLoop> loops,
                                           std::span<const Guard> guards, const ParameterMap& parameters) {
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
  return search.run(index, lo, hi);
}

}  // namespace cotangent
