#include <fmt/core.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {
namespace {

// What functions of other languages are called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kForeignFunctions{{
    {"ln", "the natural logarithm is log(x)"},
    {"log10", "write log(x)/log(10)"},
    {"log2", "write log(x)/log(2)"},
    {"arcsin", "the inverse of sin is asin(x)"},
    {"arccos", "the inverse of cos is acos(x)"},
    {"arctan", "the inverse of tan is atan(x)"},
    {"arctan2", "the angle of a point is atan2(y, x)"},
    {"sgn", "the sign of a number is sign(x)"},
    {"fabs", "the absolute value is abs(x)"},
    {"sqr", "powers are written x^2"},
    {"cbrt", "write x^(1/3)"},
    {"cot", "write 1/tan(x)"},
    {"sec", "write 1/cos(x)"},
    {"csc", "write 1/sin(x)"},
    {"asinh", "write log(x + sqrt(x^2 + 1))"},
    {"acosh", "write log(x + sqrt(x^2 - 1))"},
    {"atanh", "write log((1 + x)/(1 - x))/2"},
    {"length", "the length of a vector is norm(r)"},
    {"der", "velocities are called v_x, momenta p_x"},
    {"diff", "velocities are called v_x, momenta p_x"},
}};

// The inner product. @pre equal sizes.
Expr dot(const Value& a, const Value& b) {
  Expr sum = a[0] * b[0];
  for (std::size_t k = 1; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

bool is_vector_function(std::string_view name) {
  return name == "dot" || name == "cross" || name == "norm" || name == "norm2";
}

}  // namespace

Value Resolver::call(const SyntaxNode& node) {
  const std::string name = syntax_.text(node.name);
  const std::size_t count = node.children.size();
  if (is_vector_function(name)) return vector_function(node, name);
  const auto op = function_named(name);
  if (!op) {
    const bool hidden = scope_.find_index(name) || scope_.find_argument(name);
    const Named* named = hidden ? nullptr : scope_.find(name);
    if (!named || !named->function) unknown_function(node, name);
    return expand(node, name, *named->function);
  }

  const bool open_ended = *op == Op::min || *op == Op::max;
  const auto expected = static_cast<std::size_t>(arity(*op));
  if (count < expected || (count > expected && !open_ended))
    fail(node.span, fmt::format("{} takes {}{}, not {}", name, open_ended ? "at least " : "",
                                plural(expected, "argument"), count));
  if (*op == Op::select) return conditional(node);
  Expr result = child_number(node, 0);
  if (expected == 1) return apply(*op, node, {result});
  for (std::size_t k = 1; k < count; ++k) result = apply(*op, node, {result, child_number(node, k)});
  return result;
}

Value Resolver::vector_function(const SyntaxNode& node, const std::string& name) {
  const std::size_t expected = name == "dot" || name == "cross" ? 2 : 1;
  if (node.children.size() != expected)
    fail(node.span, fmt::format("{} takes {}, not {}", name, plural(expected, "argument"), node.children.size()));
  std::vector<Value> args;
  for (std::size_t k = 0; k < expected; ++k) {
    args.push_back(child(node, k));
    if (!args[k].is_vector())
      fail(syntax_.node(node.children[k]).span, fmt::format("{} needs a vector, not a number", name),
           expected == 1 ? "the absolute value of a number is abs(x)" : "numbers are multiplied with '*'");
  }
  if (expected == 2 && args[0].size() != args[1].size())
    fail(node.span, fmt::format("{} of {} and {}", name, args[0].describe(), args[1].describe()));
  if (name == "dot") return dot(args[0], args[1]);
  if (name == "norm2") return dot(args[0], args[0]);
  if (name == "norm") return apply(Op::sqrt, node, {dot(args[0], args[0])});
  if (args[0].size() == 2)
    fail(node.span, "cross needs vectors of 3 components, not 2", "in the plane write a[1]*b[2] - a[2]*b[1]");
  if (args[0].size() != 3) fail(node.span, fmt::format("cross needs vectors of 3 components, not {}", args[0].size()));
  const Value &a = args[0], &b = args[1];
  return Value({a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]});
}

Value Resolver::expand(const SyntaxNode& node, const std::string& name, const FunctionDefinition& function) {
  scope_.use(name);
  if (node.children.size() != function.arguments.size())
    fail(node.span, fmt::format("'{}' takes {}, not {}", name, plural(function.arguments.size(), "argument"),
                                node.children.size()));
  std::map<std::string, Value> arguments;
  for (std::size_t k = 0; k < node.children.size(); ++k) arguments.emplace(function.arguments[k], child(node, k));
  return inside(node, name, std::move(arguments),
                [&] { return Resolver(scope_, function.body, context_).value(function.body.root()); });
}

// body() in the frame of a definition that is used at `node`. It may be right elsewhere: a mistake is this use of it.
Value Resolver::inside(const SyntaxNode& node, const std::string& name, std::map<std::string, Value> arguments,
                       const std::function<Value()>& body) {
  auto outside = scope_.enter_definition(name, std::move(arguments), syntax_.locate(node));
  const bool outermost = !outside.is_expansion;
  try {
    Value result = body();
    scope_.leave_definition(std::move(outside));
    return result;
  } catch (const ModelError& error) {
    if (!outermost) throw;
    throw ModelError(
        syntax_.locate(node),
        fmt::format("{} (inside '{}', at {}:{}:{})", error.message(), name, error.file(), error.line(), error.column()),
        error.suggestion());
  }
}

void Resolver::unknown_function(const SyntaxNode& node, const std::string& name) {
  if (scope_.find_index(name)) fail(node.name, fmt::format("the index '{}' is not a function", name));
  if (scope_.find_argument(name))
    fail(node.name, fmt::format("the argument '{}' is not a function", name),
         fmt::format("to multiply, write '{}*(...)'", name));
  if (const Named* named = scope_.find(name))
    fail(node.name, fmt::format("the {} '{}' is not a function", describe(named->kind), name),
         named->is_array() || named->family ? fmt::format("an entry is written {}[i]", name)
                                            : fmt::format("to multiply, write '{}*(...)'", name));
  for (const auto& [foreign, advice] : kForeignFunctions)
    if (name == foreign) fail(node.name, fmt::format("unknown function '{}'", name), std::string(advice));
  fail(node.name, fmt::format("unknown function '{}'", name), did_you_mean(name, scope_.callable_names()));
}

Value Resolver::conditional(const SyntaxNode& node) {
  const Expr condition = child_number(node, 0);
  // Only the chosen branch has to be defined.
  if (condition.is_constant()) return child(node, condition.value() != 0 ? 1 : 2);
  auto& guards = context_.guards;
  guards.push_back({condition, true});
  const Value a = child(node, 1);
  guards.back().holds = false;
  const Value b = child(node, 2);
  guards.pop_back();
  if (!alike(a, b)) fail(node.span, fmt::format("one branch of 'if' is {}, the other {}", a.describe(), b.describe()));
  return Value::combine(a, b, [&](Expr x, Expr y) { return graph_.apply(Op::select, condition, x, y); });
}

Value Resolver::sum(const SyntaxNode& node) {
  const double terms_outside = context_.terms, run_terms_outside = context_.run_terms;
  const auto loops = enter(node.loops);
  count_terms(loops, node);
  Value result = child(node, 0);
  context_.terms = terms_outside;
  context_.run_terms = run_terms_outside;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    scope_.leave_loop();
    result = result.map([&](Expr e) { return graph_.sum(loop->index, loop->lo, loop->hi, e); });
  }
  return result;
}

// What is added up while the model is read must end in reasonable time. A loop whose bounds depend on the
// loops around it counts as long as the last one that does not.
void Resolver::count_terms(const std::vector<Loop>& loops, const SyntaxNode& node) {
  for (const auto& loop : loops) {
    if (loop.lo.is_constant() && loop.hi.is_constant())
      context_.length = static_cast<double>(loop.hi.value() - loop.lo.value()) + 1;
    context_.terms *= std::max(context_.length, 0.0);
    // Here a loop of unknown length counts as one term: what is refused is surely too long.
    const Expr length = loop.hi - loop.lo;
    if (length.is_constant()) context_.run_terms *= std::max(static_cast<double>(length.value()) + 1, 0.0);
  }
  // A sum, with the sums around it, is added up while the model is read, or in every step of a run.
  const auto expect = [&](double terms, std::int64_t most) {
    if (terms > static_cast<double>(most))
      fail(node.span, fmt::format("a sum of {:.3g} terms in {}; the limit is {}", terms, purpose().place, most));
  };
  if (purpose().evaluated) expect(context_.terms, kLimits.terms_read);
  expect(context_.run_terms, kLimits.entries);
}

std::vector<Loop> Resolver::enter(const std::vector<LoopSyntax>& loops) {
  std::vector<Loop> entered;
  for (const auto& loop : loops) entered.push_back(loop.over_list() ? enter_list(loop) : enter_range(loop));
  return entered;
}

Loop Resolver::enter_range(const LoopSyntax& loop) {
  const Expr lo = bound(loop.lo), hi = bound(loop.hi);
  const std::string name = syntax_.text(loop.names.front());
  const Location where = syntax_.locate(loop.names.front());
  scope_.note_hidden_by(name, where);
  return {scope_.enter_loop(name, lo, hi, where).index, lo, hi};
}

Loop Resolver::enter_list(const LoopSyntax& loop) {
  const std::string list_name = syntax_.text(loop.list);
  const auto not_a_list = [&](const std::string& why) {
    fail(loop.list, fmt::format("'{}' is not an index list: {}", list_name, why),
         "an index list is a parameter such as [[1,2], [1,3]] or [1, 3, 5]; a range is written 'i in 1..N'");
  };
  if (scope_.find_index(list_name) || scope_.find_argument(list_name)) not_a_list("it is a number");
  const Named& named = lookup(loop.list);
  if (named.kind != NameKind::parameter) not_a_list(fmt::format("it is a {}", describe(named.kind)));
  const Parameter& list = *named.parameter;
  if (list.shape.empty()) not_a_list("it is a number");
  if (list.shape.size() > 2) not_a_list(fmt::format("it is a table with {} indices", list.shape.size()));
  const auto fraction = std::ranges::find_if(list.table, [](Quad value) { return rintq(value) != value; });
  if (fraction != list.table.end())
    not_a_list(fmt::format("row {} contains {:.6g}", (fraction - list.table.begin()) % list.shape[0] + 1,
                           static_cast<double>(*fraction)));
  const auto columns = list.shape.size() == 1 ? std::size_t{1} : static_cast<std::size_t>(list.shape[1]);
  if (columns != loop.names.size())
    fail(loop.span, fmt::format("a row of '{}' has {}, the loop names {}", list_name, plural(columns, "index"),
                                loop.names.size()));
  std::vector<std::string> names;
  for (const Span span : loop.names) {
    names.push_back(syntax_.text(span));
    scope_.note_hidden_by(names.back(), syntax_.locate(span));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      fail(span, fmt::format("the index '{}' stands twice in one loop", names.back()));
  }
  const auto& active = scope_.enter_list(names, list, syntax_.locate(loop.names.front()));
  return {active.index, active.lo, active.hi};
}

}  // namespace cotangent
