#include "cotangent/model/index_range.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/expr/algorithm.hpp"

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
  Expr expr;
  std::optional<Affine> affine;
};

struct Condition {
  Form left, right;
  Op op = Op::ne;
  bool holds = true;
};

class Search {
 public:
  Search(std::span<const ActiveLoop> loops, const std::map<SymbolId, double>& parameters)
      : loops_(loops), parameters_(parameters), point_(loops.size()) {
    for (std::size_t k = 0; k < loops.size(); ++k) position_[loops[k].index] = k;
    for (const auto& loop : loops) {
      lo_.push_back(form(loop.lo));
      hi_.push_back(form(loop.hi));
      all_affine_ = all_affine_ && lo_.back().affine && hi_.back().affine;
    }
  }

  void add_guard(const Guard& guard) {
    const Expr c = guard.condition;
    if (depends_on(c, [&](Expr e) { return is_leaf(e) && !is_known(e); })) return;
    Condition condition{form(c), form(c.graph().constant(0)), Op::ne, guard.holds};
    if (is_comparison(c.op())) condition = {form(c.arg(0)), form(c.arg(1)), c.op(), guard.holds};
    all_affine_ = all_affine_ && condition.left.affine && condition.right.affine;
    guards_.push_back(std::move(condition));
  }

  std::optional<IndexFault> run(Expr index, double lo, double hi) {
    index_ = form(index);
    min_ = lo;
    max_ = hi;
    all_affine_ = all_affine_ && index_.affine;
    limit_ = all_affine_ ? kMaxAffineInstances : kMaxEvaluatedInstances;
    if (visit(0)) return fault_;
    return std::nullopt;
  }

 private:
  static bool is_leaf(Expr e) { return e.op() == Op::symbol || e.op() == Op::entry || e.op() == Op::sum; }
  bool is_known(Expr e) const {
    return e.op() == Op::symbol && (position_.contains(e.symbol_id()) || parameters_.contains(e.symbol_id()));
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
        result.constant = parameters_.at(node.symbol_id());
      } else if (node.op() == Op::add) {
        result.add(1, arg(0));
        result.add(1, arg(1));
      } else if (node.op() == Op::mul && arg(0).is_constant()) {
        result.add(arg(0).constant, arg(1));
      } else if (node.op() == Op::mul && arg(1).is_constant()) {
        result.add(arg(1).constant, arg(0));
      } else {
        return {e, std::nullopt};
      }
      known.emplace(node.id(), std::move(result));
    }
    Affine affine = known.at(e.id());
    // Fractions are left to the evaluator, which finds where they are not integers.
    bool integer = is_integer(affine.constant);
    for (const double c : affine.coefficient) integer = integer && is_integer(c);
    if (!integer) return {e, std::nullopt};
    return {e, std::move(affine)};
  }

  static bool is_integer(double x) { return std::nearbyint(x) == x; }

  double value(const Form& form) const {
    if (form.affine) return form.affine->at(point_);
    const double x = evaluate<double>(form.expr, [&](SymbolId symbol, std::span<const std::int64_t>) {
      if (const auto it = position_.find(symbol); it != position_.end()) return point_[it->second];
      return parameters_.at(symbol);
    });
    // 3*(1/3) is meant as an integer.
    const double nearest = std::nearbyint(x);
    return std::abs(x - nearest) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(x) ? nearest : x;
  }

  bool admitted() const {
    for (const auto& [left, right, op, holds] : guards_) {
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
    for (std::size_t k = 0; k < loops_.size(); ++k)
      fault_.instance += fmt::format("{}{} = {:.15g}", k > 0 ? ", " : "", loops_[k].name, point_[k]);
    return true;
  }

  std::span<const ActiveLoop> loops_;
  const std::map<SymbolId, double>& parameters_;
  std::map<SymbolId, std::size_t> position_;
  std::vector<Form> lo_, hi_;
  std::vector<Condition> guards_;
  Form index_;
  double min_ = 0, max_ = 0;
  bool all_affine_ = true;
  std::vector<double> point_;
  std::int64_t visited_ = 0, limit_ = 0;
  IndexFault fault_{};
};

}  // namespace

std::optional<IndexFault> find_index_fault(Expr index, double lo, double hi, std::span<const ActiveLoop> loops,
                                           std::span<const Guard> guards,
                                           const std::map<SymbolId, double>& parameters) {
  Search search(loops, parameters);
  for (const auto& guard : guards) search.add_guard(guard);
  return search.run(index, lo, hi);
}

}  // namespace cotangent
