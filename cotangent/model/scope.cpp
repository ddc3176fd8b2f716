#include "cotangent/model/scope.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cotangent/expr/op.hpp"

namespace cotangent {
namespace {

constexpr std::array<std::string_view, 7> kOtherWords{"sum", "in", "dot", "cross", "norm", "norm2", "each"};

}  // namespace

std::string_view describe(NameKind kind) {
  switch (kind) {
    case NameKind::parameter:
      return "parameter";
    case NameKind::coordinate:
      return "coordinate";
    case NameKind::momentum:
      return "momentum";
    case NameKind::velocity:
      return "velocity";
    case NameKind::time:
      return "time";
    case NameKind::constant:
      return "constant";
    case NameKind::definition:
      return "definition";
    case NameKind::constraint:
      return "constraint";
  }
  return "name";
}

bool Purpose::allows(NameKind kind) const {
  switch (kind) {
    case NameKind::coordinate:
      return coordinates;
    case NameKind::momentum:
      return momenta;
    case NameKind::velocity:
      return velocities;
    case NameKind::time:
      return time;
    case NameKind::constraint:
      return false;
    case NameKind::definition:
      return !parameter_values;
    case NameKind::parameter:
    case NameKind::constant:
      return true;
  }
  return false;
}

bool is_word_of_language(std::string_view name) {
  return function_named(name) || std::find(kOtherWords.begin(), kOtherWords.end(), name) != kOtherWords.end();
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"pow", "if", "sum"};
    for (auto op = Op::sin; op <= Op::max; op = static_cast<Op>(static_cast<int>(op) + 1))
      all.emplace_back(spelling(op));
    return all;
  }();
  return names;
}

Scope::Scope(Graph& graph) : graph_(&graph) { declare_builtins(graph.new_symbol("t", SymbolKind::time)); }

Scope::Scope(const Model& model) : graph_(model.graph.get()) {
  declare_builtins(model.t.valid() ? model.t : graph_->new_symbol("t", SymbolKind::time));
  for (const auto& p : model.parameters)
    insert(p.name, {.kind = NameKind::parameter, .value = graph_->symbol_expr(p.symbol), .number = p.value});
  for (const auto& c : model.coordinates) {
    for (const auto& [symbol, kind] : {std::pair{c.q, NameKind::coordinate}, std::pair{c.p, NameKind::momentum},
                                       std::pair{c.v, NameKind::velocity}}) {
      Named named{.kind = kind, .array = symbol, .shape = c.shape};
      if (c.shape.empty()) named.value = graph_->symbol_expr(symbol);
      insert(graph_->symbol(symbol).name, named);
    }
  }
  for (SymbolId id = 0; id < graph_->symbol_count(); ++id)
    if (graph_->symbol(id).kind == SymbolKind::index) index_symbols_[graph_->symbol(id).name].push_back(id);
}

void Scope::declare_builtins(Expr time) {
  time_ = time;
  insert("t", {.kind = NameKind::time, .value = time});
  insert("pi", {.kind = NameKind::constant, .value = graph_->constant(M_PIq)});
  insert("e", {.kind = NameKind::constant, .value = graph_->constant(M_Eq)});
}

void Scope::insert(const std::string& name, Named named) {
  if (named.kind == NameKind::parameter)
    parameter_numbers_[named.value.symbol_id()] = static_cast<double>(named.number);
  names_.insert_or_assign(name, std::move(named));
}

void Scope::declare(const std::string& name, Named named) {
  const auto kind = describe(named.kind);
  if (is_word_of_language(name))
    throw ModelError(named.where, fmt::format("'{}' is a word of the language and cannot name a {}", name, kind));
  if (const Named* old = find(name)) {
    if (old->kind == NameKind::time)
      throw ModelError(named.where, fmt::format("'{}' is the time and cannot name a {}", name, kind));
    if (old->kind != NameKind::constant) {
      throw ModelError(named.where, fmt::format("the name '{}' is taken: it is the {} declared at {}", name,
                                                describe(old->kind), to_string(old->where)));
    }
    note(named.where, fmt::format("the {} '{}' hides the constant of that name", kind, name));
  }
  insert(name, std::move(named));
}

Coordinate Scope::declare_coordinate(const std::string& name, std::vector<std::int64_t> shape, const Location& where) {
  const int rank = static_cast<int>(shape.size());
  const auto add = [&](const std::string& full_name, NameKind kind, SymbolKind symbol_kind) {
    const SymbolId symbol = graph_->declare(full_name, symbol_kind, rank);
    Named named{.kind = kind, .array = symbol, .shape = shape, .where = where};
    if (rank == 0) named.value = graph_->symbol_expr(symbol);
    declare(full_name, named);
    return symbol;
  };
  Coordinate result;
  result.name = name;
  result.q = add(name, NameKind::coordinate, SymbolKind::coordinate);
  result.p = add("p_" + name, NameKind::momentum, SymbolKind::momentum);
  result.v = add("v_" + name, NameKind::velocity, SymbolKind::velocity);
  result.shape = std::move(shape);
  return result;
}

const Named* Scope::find(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

const ActiveLoop* Scope::find_loop(std::string_view name) const {
  const auto it = std::find_if(loops_.rbegin(), loops_.rend(), [&](const auto& l) { return l.name == name; });
  return it == loops_.rend() ? nullptr : &*it;
}

std::vector<std::string> Scope::usable_names(const Purpose& purpose) const {
  std::vector<std::string> result;
  for (const auto& loop : loops_) result.push_back(loop.name);
  for (const auto& [name, named] : names_)
    if (purpose.allows(named.kind)) result.push_back(name);
  return result;
}

SymbolId Scope::index_symbol(const std::string& name) {
  const std::string full_name = definition_.empty() ? name : name + "_" + definition_;
  auto& symbols = index_symbols_[full_name];
  for (const SymbolId symbol : symbols) {
    const bool active =
        std::any_of(loops_.begin(), loops_.end(), [&](const auto& loop) { return loop.index == symbol; });
    if (!active) return symbol;
  }
  symbols.push_back(graph_->declare(full_name, SymbolKind::index));
  return symbols.back();
}

SymbolId Scope::enter_loop(const std::string& name, Expr lo, Expr hi, const Location& where) {
  if (is_word_of_language(name) || name == "t")
    throw ModelError(where, fmt::format("'{}' is a word of the language and cannot name an index", name));
  const SymbolId symbol = index_symbol(name);
  loops_.push_back({name, symbol, lo, hi});
  return symbol;
}

void Scope::note_hidden_by(const std::string& index, const Location& where) {
  if (find_loop(index)) {
    note(where, fmt::format("the index '{}' hides the index of an enclosing loop", index));
  } else if (const Named* hidden = find(index)) {
    note(where, fmt::format("the index '{}' hides the {} of that name here", index, describe(hidden->kind)));
  }
}

void Scope::note(const Location& where, std::string_view text) {
  const std::string full = fmt::format("{}: {}", to_string(where), text);
  if (noted_.insert(full).second) notes_.push_back(full);
}

}  // namespace cotangent
