#include "cotangent/model/purpose.hpp"

#include <fmt/core.h>

namespace cotangent {

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
    case NameKind::state:
      return "state";
    case NameKind::multiplier:
      return "multiplier";
    case NameKind::minimal:
      return "minimal coordinate";
    case NameKind::time:
      return "time";
    case NameKind::constant:
      return "constant";
    case NameKind::definition:
      return "definition";
    case NameKind::constraint:
      return "constraint";
    case NameKind::observable:
      return "observable";
    case NameKind::invariant:
      return "invariant";
  }
  return "name";
}

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

NameKind kind_of(const Symbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::coordinate:
      return NameKind::coordinate;
    case SymbolKind::momentum:
      return NameKind::momentum;
    case SymbolKind::velocity:
      return NameKind::velocity;
    case SymbolKind::state:
      return NameKind::state;
    case SymbolKind::multiplier:
      return NameKind::multiplier;
    case SymbolKind::minimal:
      return NameKind::minimal;
    case SymbolKind::time:
      return NameKind::time;
    case SymbolKind::parameter:
    case SymbolKind::index:
    case SymbolKind::local:
      break;
  }
  return NameKind::parameter;
}

std::string Purpose::advice_for(NameKind kind, const std::string& name) const {
  if (kind == NameKind::velocity && allows(NameKind::momentum))
    return fmt::format("{}; use the momentum p_{}", advice, name.substr(2));
  if (kind == NameKind::momentum && allows(NameKind::velocity))
    return fmt::format("{}; use the velocity v_{}", advice, name.substr(2));
  if (kind == NameKind::constraint) return fmt::format("its multiplier is called lambda_{}", name);
  if (kind == NameKind::observable || kind == NameKind::invariant)
    return "an expression that several others use is named in [definitions]";
  if (kind == NameKind::multiplier) return "multipliers are known in [forces], [equations] and [observables]";
  if (kind == NameKind::minimal) return "minimal coordinates are known in [minimal] only";
  return std::string(advice);
}

}  // namespace cotangent
