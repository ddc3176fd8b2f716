#include "cotangent/derivatives/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cotangent/base/limits.hpp"
#include "cotangent/derivatives/partials.hpp"
#include "cotangent/expr/arithmetic.hpp"

namespace cotangent {
namespace {

// What lies between an expression and the bodies of its sums, arguments before users.
struct Layer {
  std::vector<Expr> nodes;
  std::unordered_map<NodeId, std::size_t> at;
  std::vector<char> varies;  // depends on more than parameters and indices
};

// The arguments of a sum that belong to the layer of the sum itself: its bounds.
int own_arity(Expr e) { return e.op() == Op::sum ? 2 : e.arity(); }

bool is_choice(Op op) { return op == Op::select || op == Op::min || op == Op::max; }

// A body of a sum that depends on nothing is rare: sums count as if they did.
bool is_variable(Expr e) {
  if (e.op() == Op::sum) return true;
  if (e.op() != Op::symbol && e.op() != Op::entry) return false;
  return e.symbol().kind != SymbolKind::parameter && e.symbol().kind != SymbolKind::index;
}

bool is_leaf(Op op) { return op == Op::constant || op == Op::symbol || op == Op::entry; }

// Thrown when the search has become too long.
struct TooMuchWork {};

class Search {
 public:
  Search(const LeafValue<double>& leaf, BreakdownOf of) : leaf_(leaf), of_(of) {}

  std::optional<Breakdown> in(Expr root) {
    const Layer& layer = layer_of(root);
    const std::vector<double> values = evaluate(layer);
    const std::vector<char> used = used_nodes(layer, values);
    for (std::size_t k = 0; k < layer.nodes.size(); ++k) {
      if (!used[k]) continue;
      const Expr e = layer.nodes[k];
      auto found = e.op() == Op::sum ? in_sum(e, layer, values) : at_operation(e, layer, values);
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  const Layer& layer_of(Expr root) {
    const auto [it, is_new] = layers_.try_emplace(root.id());
    Layer& layer = it->second;
    if (!is_new) return layer;
    std::vector<Expr> stack{root};
    while (!stack.empty()) {
      const Expr e = stack.back();
      stack.pop_back();
      if (!layer.at.emplace(e.id(), 0).second) continue;
      layer.nodes.push_back(e);
      for (int k = 0; k < own_arity(e); ++k) stack.push_back(e.arg(k));
    }
    std::sort(layer.nodes.begin(), layer.nodes.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
    for (std::size_t k = 0; k < layer.nodes.size(); ++k) {
      const Expr e = layer.nodes[k];
      layer.at[e.id()] = k;
      layer.varies.push_back(is_variable(e) ? 1 : 0);
      for (int a = 0; a < own_arity(e); ++a) layer.varies[k] |= layer.varies[layer.at[e.arg(a).id()]];
    }
    return layer;
  }

  std::array<double, Graph::kMaxArity> arguments(Expr e, const Layer& layer, const std::vector<double>& values) const {
    std::array<double, Graph::kMaxArity> x{};
    for (int k = 0; k < own_arity(e); ++k) x[static_cast<std::size_t>(k)] = values[layer.at.at(e.arg(k).id())];
    return x;
  }

  std::vector<double> evaluate(const Layer& layer) {
    work_ += static_cast<std::int64_t>(layer.nodes.size());
    if (work_ > kLimits.entries) throw TooMuchWork{};
    std::vector<double> values;
    values.reserve(layer.nodes.size());
    for (const Expr& e : layer.nodes) values.push_back(value(e, arguments(e, layer, values)));
    return values;
  }

  double value(Expr e, const std::array<double, Graph::kMaxArity>& x) {
    switch (e.op()) {
      case Op::constant:
        return static_cast<double>(e.value());
      case Op::symbol:
        if (const auto index = index_of(e.symbol_id())) return static_cast<double>(*index);
        return leaf_(e.symbol_id(), {});
      case Op::entry: {
        std::array<std::int64_t, Graph::kMaxArity> indices{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(e.arity()); ++k) {
          if (!std::isfinite(x[k])) return std::numeric_limits<double>::quiet_NaN();
          indices[k] = static_cast<std::int64_t>(x[k]);
        }
        return leaf_(e.symbol_id(), std::span(indices).first(static_cast<std::size_t>(e.arity())));
      }
      case Op::sum: {
        double total = 0;
        for_each_term(e, x, [&](Expr body) {
          total += evaluate(layer_of(body)).back();
          return false;
        });
        return total;
      }
      default:
        return apply_scalar<double>(e.op(), x[0], x[1], x[2]);
    }
  }

  std::optional<std::int64_t> index_of(SymbolId symbol) const {
    for (auto it = indices_.rbegin(); it != indices_.rend(); ++it)
      if (it->first == symbol) return it->second;
    return std::nullopt;
  }

  // Calls f(body) for every term of a sum, until it says true.
  template <class F>
  void for_each_term(Expr sum, const std::array<double, Graph::kMaxArity>& bounds, const F& f) {
    if (!std::isfinite(bounds[0]) || !std::isfinite(bounds[1])) return;
    indices_.emplace_back(sum.symbol_id(), 0);
    for (auto i = static_cast<std::int64_t>(bounds[0]); i <= static_cast<std::int64_t>(bounds[1]); ++i) {
      indices_.back().second = i;
      if (f(sum.arg(2))) break;
    }
    indices_.pop_back();
  }

  // What the value of the last node comes from: of choices only the branch that is taken, and of a value that is not
  // finite only the arguments that make it so.
  std::vector<char> used_nodes(const Layer& layer, const std::vector<double>& values) const {
    std::vector<char> used(layer.nodes.size(), 0);
    used.back() = 1;
    const auto at = [&](Expr e) { return layer.at.at(e.id()); };
    for (std::size_t k = layer.nodes.size(); k-- > 0;) {
      const Expr e = layer.nodes[k];
      if (!used[k]) continue;
      bool has_nan = false;
      std::vector<std::size_t> taken;
      for (int a = 0; a < own_arity(e); ++a) {
        if (e.op() == Op::select && a == (values[at(e.arg(0))] != 0 ? 2 : 1)) continue;
        taken.push_back(at(e.arg(a)));
        has_nan = has_nan || std::isnan(values[taken.back()]);
      }
      for (const std::size_t a : taken)
        if (of_ == BreakdownOf::derivative || is_cause(values[a], has_nan)) used[a] = 1;
    }
    return used;
  }

  // Whether a value makes that of an operation or of a sum not finite. Where another makes it not a number, an infinite
  // one does not matter: exp(1000)*log(-1) is not a number because of the logarithm.
  static bool is_cause(double value, bool others_are_nan) {
    return others_are_nan ? std::isnan(value) : !std::isfinite(value);
  }

  std::optional<Breakdown> in_sum(Expr sum, const Layer& layer, const std::vector<double>& values) {
    if (of_ == BreakdownOf::value && std::isfinite(values[layer.at.at(sum.id())])) return std::nullopt;
    const auto bounds = arguments(sum, layer, values);
    bool has_nan = false;
    if (of_ == BreakdownOf::value)
      for_each_term(sum, bounds, [&](Expr body) { return has_nan = std::isnan(evaluate(layer_of(body)).back()); });
    std::optional<Breakdown> found;
    for_each_term(sum, bounds, [&](Expr body) {
      if (of_ == BreakdownOf::derivative || is_cause(evaluate(layer_of(body)).back(), has_nan)) found = in(body);
      return found.has_value();
    });
    return found;
  }

  std::optional<Breakdown> at_operation(Expr e, const Layer& layer, const std::vector<double>& values) {
    if (is_leaf(e.op())) return std::nullopt;
    const auto x = arguments(e, layer, values);
    const auto count = static_cast<std::size_t>(e.arity());
    if (!std::all_of(x.begin(), x.begin() + e.arity(), [](double a) { return std::isfinite(a); })) return std::nullopt;
    double value = values[layer.at.at(e.id())];
    if (of_ == BreakdownOf::derivative) {
      const auto slope = infinite_slope(e, x, layer);
      if (!slope) return std::nullopt;
      value = *slope;
    } else if (std::isfinite(value)) {
      return std::nullopt;
    }
    Breakdown found{e, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)}, value};
    for (const auto& [symbol, index] : indices_) found.indices.emplace_back(e.graph().symbol(symbol).name, index);
    return found;
  }

  // Of the operation by an argument that varies, in letters of its own.
  static std::optional<double> infinite_slope(Expr e, const std::array<double, Graph::kMaxArity>& x,
                                              const Layer& layer) {
    const bool is_kink = e.op() == Op::sqrt && x[0] == 0 && is_sum_of_squares(e.arg(0));
    if (is_choice(e.op()) || is_kink) return std::nullopt;
    Graph graph;
    std::vector<Expr> letters;
    for (int k = 0; k < e.arity(); ++k)
      letters.push_back(layer.varies[layer.at.at(e.arg(k).id())] ? graph.new_symbol("x", SymbolKind::local)
                                                                 : graph.constant(x[static_cast<std::size_t>(k)]));
    const Expr f = graph.apply(e.op(), letters);
    if (f.op() != e.op()) return std::nullopt;  // 1 x, x + 0: nothing happens there
    const auto leaf = [&](SymbolId symbol, auto) {
      for (std::size_t k = 0; k < letters.size(); ++k)
        if (letters[k].op() == Op::symbol && letters[k].symbol_id() == symbol) return x[k];
      return 0.0;
    };
    for (int k = 0; k < e.arity(); ++k) {
      if (letters[static_cast<std::size_t>(k)].is_constant()) continue;
      const Expr slope = partial(f, k);
      if (!slope.valid()) continue;
      const double value = cotangent::evaluate<double>(slope, leaf);
      if (!std::isfinite(value)) return value;
    }
    return std::nullopt;
  }

  const LeafValue<double>& leaf_;
  BreakdownOf of_;
  std::unordered_map<NodeId, Layer> layers_;
  std::vector<std::pair<SymbolId, std::int64_t>> indices_;
  std::int64_t work_ = 0;
};

std::string describe_operation(const Breakdown& breakdown) {
  const auto& x = breakdown.arguments;
  switch (breakdown.operation.op()) {
    case Op::log:
      return fmt::format("logarithm of {:g}", x[0]);
    case Op::sqrt:
      return fmt::format("square root of {:g}", x[0]);
    case Op::div:
      return x[1] == 0 ? "division by 0" : fmt::format("{:g}/{:g}", x[0], x[1]);
    case Op::pow:
      return fmt::format("{:g} to the power {:g}", x[0], x[1]);
    case Op::add:
      return fmt::format("{:g} + {:g}", x[0], x[1]);
    case Op::mul:
      return fmt::format("{:g} times {:g}", x[0], x[1]);
    default:
      return fmt::format("{}({:g})", spelling(breakdown.operation.op()), fmt::join(x, ", "));
  }
}

}  // namespace

std::optional<Breakdown> find_breakdown(Expr e, const LeafValue<double>& leaf, BreakdownOf of) {
  try {
    return Search(leaf, of).in(e);
  } catch (const TooMuchWork&) {
    return std::nullopt;
  }
}

std::string printed(double value) { return std::isnan(value) ? "nan" : fmt::format("{:g}", value); }

std::string describe(const Breakdown& breakdown, BreakdownOf of) {
  std::string text = describe_operation(breakdown);
  if (of == BreakdownOf::derivative) text += fmt::format(", whose derivative is {}", printed(breakdown.value));
  std::vector<std::string> indices;
  for (const auto& [name, value] : breakdown.indices) indices.push_back(fmt::format("{} = {}", name, value));
  if (!indices.empty()) text += fmt::format(", at {}", fmt::join(indices, ", "));
  return text;
}

}  // namespace cotangent
