#include "cotangent/model/language/scope.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/expr/op.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 7> kOtherWords{"sum", "in", "dot", "cross", "norm", "norm2", "each"};

}  // namespace

bool is_word_of_language(std::string_view name) {
  return function_named(name) || std::find(kOtherWords.begin(), kOtherWords.end(), name) != kOtherWords.end();
}

Scope::Scope(Graph& graph) : graph_(&graph) { declare_builtins(graph.new_symbol("t", SymbolKind::time)); }

Scope::Scope(const Model& model) : graph_(model.graph.get()) {
  declare_builtins(model.t.valid() ? model.t : graph_->new_symbol("t", SymbolKind::time));
  const auto variable = [&](SymbolId symbol, const std::vector<std::int64_t>& shape) {
    insert(graph_->symbol(symbol).name, array(symbol, shape));
  };
  for (const auto& p : model.parameters) insert(p.name, array(p.symbol, p.shape, {}, &p));
  for (const auto& c : model.coordinates)
    for (const SymbolId symbol : {c.q, c.p, c.v}) variable(symbol, c.shape);
  for (const auto& state : model.states) variable(state.symbol, state.shape);
  for (const auto& c : model.constraints)
    insert("lambda_" + c.name,
           {.kind = NameKind::multiplier, .array = c.lambda, .family = std::make_shared<NamedValues>(c)});
  for (SymbolId id = 0; id < graph_->symbol_count(); ++id)
    if (graph_->symbol(id).kind == SymbolKind::index) index_symbols_[graph_->symbol(id).name].push_back(id);
}

void Scope::declare_builtins(Expr time) {
  time_ = time;
  insert("t", {.kind = NameKind::time, .value = Value(time)});
  insert("pi", {.kind = NameKind::constant, .value = Value(graph_->constant(M_PIq))});
  insert("e", {.kind = NameKind::constant, .value = Value(graph_->constant(M_Eq))});
}

void Scope::insert(const std::string& name, Named named) {
  if (named.parameter) parameters_[named.parameter->symbol] = named.parameter;
  names_.insert_or_assign(name, std::move(named));
}

void Scope::declare(const std::string& name, Named named) {
  const auto kind = describe(named.kind);
  // A constraint may be called floor: expressions mention its multiplier, lambda_floor, never itself.
  if (named.kind != NameKind::constraint && is_word_of_language(name))
    throw ModelError(named.where,
                     fmt::format("'{}' is a word of the language and cannot name {}", name, with_article(kind)));
  if (const Named* old = find(name)) {
    if (old->kind == NameKind::time)
      throw ModelError(named.where, fmt::format("'{}' is the time and cannot name {}", name, with_article(kind)));
    if (old->kind != NameKind::constant) {
      throw ModelError(named.where, fmt::format("the name '{}' is taken: it is the {} declared at {}", name,
                                                describe(old->kind), to_string(old->where)));
    }
    note(named.where, fmt::format("the {} '{}' hides the constant of that name", kind, name));
  }
  insert(name, std::move(named));
}

State Scope::declare_variable(State variable, SymbolKind kind, const Location& where) {
  variable.symbol = graph_->declare(variable.name, kind, static_cast<int>(variable.shape.size()));
  declare(variable.name, array(variable.symbol, variable.shape, where));
  return variable;
}

Coordinate Scope::declare_coordinate(const State& q, const Location& where) {
  const auto declared = [&](const std::string& name, SymbolKind kind) {
    return declare_variable({name, q.shape, 0}, kind, where).symbol;
  };
  Coordinate result{.name = q.name, .shape = q.shape, .q = 0, .p = 0, .v = 0, .offset = q.offset};
  result.q = declared(q.name, SymbolKind::coordinate);
  result.p = declared("p_" + q.name, SymbolKind::momentum);
  result.v = declared("v_" + q.name, SymbolKind::velocity);
  return result;
}

void Scope::declare_parameter(const Parameter& parameter, const Location& where) {
  declare(parameter.name, array(parameter.symbol, parameter.shape, where, &parameter));
}

Named Scope::array(SymbolId symbol, const std::vector<std::int64_t>& shape, const Location& where,
                   const Parameter* parameter) const {
  Named named{
      .kind = kind_of(graph_->symbol(symbol)), .array = symbol, .shape = shape, .parameter = parameter, .where = where};
  if (shape.empty()) named.value = graph_->symbol_expr(symbol);
  return named;
}

const Named* Scope::find(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

std::optional<Expr> Scope::find_index(std::string_view name) const {
  for (std::size_t l = loops_.size(); l-- > frame_.first_loop;)
    for (std::size_t n = 0; n < loops_[l].names.size(); ++n)
      if (loops_[l].names[n] == name) return loops_[l].values[n];
  return std::nullopt;
}

const Value* Scope::find_argument(const std::string& name) const {
  const auto it = frame_.arguments.find(name);
  return it == frame_.arguments.end() ? nullptr : &it->second;
}

std::string Scope::meant_by(const std::string& name, std::span<const std::string> candidates) const {
  for (const std::string_view ending : {"_dot", "dot"}) {
    if (!name.ends_with(ending)) continue;
    const std::string coordinate = name.substr(0, name.size() - ending.size());
    if (const Named* of = find(coordinate); of && of->kind == NameKind::coordinate)
      return fmt::format("the velocity of '{0}' is called v_{0}, its momentum p_{0}", coordinate);
  }
  // Letters that stand for an index, unless something is called like them but for the case.
  const bool is_index = name == "i" || name == "j" || name == "k";
  if (is_index && closest_name(name, candidates).size() != 1)
    return fmt::format("an index needs its loop: sum({0} in 1..N, ...), or {{ each = \"{0} in 1..N\", ... }}", name);
  return did_you_mean(name, candidates);
}

std::vector<std::string> Scope::usable_names(const Purpose& purpose) const {
  std::vector<std::string> result;
  for (std::size_t l = frame_.first_loop; l < loops_.size(); ++l)
    result.insert(result.end(), loops_[l].names.begin(), loops_[l].names.end());
  for (const auto& argument : frame_.arguments) result.push_back(argument.first);
  for (const auto& [name, named] : names_)
    if (purpose.allows(named.kind)) result.push_back(name);
  return result;
}

std::vector<std::string> Scope::callable_names() const {
  std::vector<std::string> result{"pow", "if", "sum", "dot", "cross", "norm", "norm2"};
  for (auto op = Op::sin; op <= Op::max; op = static_cast<Op>(static_cast<int>(op) + 1))
    result.emplace_back(spelling(op));
  for (const auto& [name, named] : names_)
    if (named.function) result.push_back(name);
  return result;
}

SymbolId Scope::index_symbol(const std::string& name) {
  const std::string full_name = frame_.definition.empty() ? name : name + "_" + frame_.definition;
  // What loops outside definitions are called must not matter to a definition that they use.
  auto& symbols = index_symbols_[frame_.definition.empty() ? name : frame_.definition + "." + name];
  for (const SymbolId symbol : symbols) {
    const bool active =
        std::any_of(loops_.begin(), loops_.end(), [&](const auto& loop) { return loop.index == symbol; });
    if (!active && !frame_.taken.contains(symbol)) return symbol;
  }
  symbols.push_back(graph_->declare(full_name, SymbolKind::index));
  return symbols.back();
}

void Scope::check_index_name(const std::string& name, const Location& where) {
  if (is_word_of_language(name) || name == "t")
    throw ModelError(where, fmt::format("'{}' is a word of the language and cannot name an index", name));
}

const ActiveLoop& Scope::enter_loop(const std::string& name, Expr lo, Expr hi, const Location& where) {
  check_index_name(name, where);
  const SymbolId symbol = index_symbol(name);
  loops_.push_back({{name}, {graph_->symbol_expr(symbol)}, symbol, lo, hi});
  return loops_.back();
}

const ActiveLoop& Scope::enter_list(const std::vector<std::string>& names, const Parameter& list,
                                    const Location& where) {
  for (const auto& name : names) check_index_name(name, where);
  const SymbolId symbol = index_symbol("k_" + list.name);
  ActiveLoop loop{names, {}, symbol, graph_->constant(1), graph_->constant(static_cast<Quad>(list.shape[0]))};
  const Expr k = graph_->symbol_expr(symbol);
  for (std::size_t column = 1; column <= names.size(); ++column) {
    const std::array indices{k, graph_->constant(static_cast<Quad>(column))};
    loop.values.push_back(graph_->entry(list.symbol, std::span(indices).first(list.shape.size())));
  }
  loops_.push_back(std::move(loop));
  return loops_.back();
}

DefinitionFrame Scope::enter_definition(std::string name, std::map<std::string, Value> arguments,
                                        const Location& where) {
  if (!frame_.is_expansion) expansions_ = 0;
  if (++expansions_ > kLimits.expansions)
    throw ModelError(where, fmt::format("this leads to more than {} uses of definitions", kLimits.expansions),
                     "definitions that use each other several times multiply");
  DefinitionFrame inside{.definition = std::move(name),
                         .arguments = std::move(arguments),
                         .is_expansion = true,
                         .first_loop = loops_.size()};
  for (const auto& argument : inside.arguments)
    for (const Expr e : reachable(argument.second.components()))
      if (e.op() == Op::sum || (e.op() == Op::symbol && e.symbol().kind == SymbolKind::index))
        inside.taken.insert(e.symbol_id());
  return std::exchange(frame_, std::move(inside));
}

NameKinds Scope::kinds_in(const Value& value) {
  NameKinds result = 0;
  for (std::size_t k = 0; k < value.size(); ++k) {
    // Arguments come before what uses them: a long chain of definitions is walked once, not once for each of its links.
    while (kinds_.size() <= value[k].id()) {
      const Expr e(graph_, static_cast<NodeId>(kinds_.size()));
      NameKinds kinds = e.op() == Op::symbol || e.op() == Op::entry ? kinds_of(kind_of(e.symbol())) : 0;
      for (int a = 0; a < e.arity(); ++a) kinds |= kinds_[e.arg(a).id()];
      kinds_.push_back(kinds);
    }
    result |= kinds_[value[k].id()];
  }
  return result;
}

void Scope::note_hidden_by(const std::string& index, const Location& where) {
  if (find_index(index)) {
    note(where, fmt::format("the index '{}' hides the index of an enclosing loop", index));
  } else if (const Named* hidden = find(index)) {
    note(where, fmt::format("the index '{}' hides the {} of that name here", index, describe(hidden->kind)));
  }
}

void Scope::note(const Location& where, std::string_view text) {
  std::string full = fmt::format("{}: {}", to_string(where), text);
  if (std::ranges::count(notes_, full) == 0) notes_.push_back(std::move(full));
}

}  // namespace cotangent
