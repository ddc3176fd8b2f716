#include "cotangent/model/language/purpose.hpp"

#include <fmt/core.h>

#include <array>

namespace cotangent {

std::string_view describe(NameKind kind) {
  static constexpr std::array<std::string_view, 13> words{
      "parameter", "coordinate", "momentum",   "velocity",   "state",      "multiplier", "minimal coordinate",
      "time",      "constant",   "definition", "constraint", "observable", "invariant"};
  return words[static_cast<std::size_t>(kind)];
}

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

NameKind kind_of(const Symbol& symbol) {
  if (symbol.kind < SymbolKind::coordinate || symbol.kind > SymbolKind::time) return NameKind::parameter;
  // Both have the same order from coordinates on.
  const int k = static_cast<int>(symbol.kind) - static_cast<int>(SymbolKind::coordinate);
  return static_cast<NameKind>(static_cast<int>(NameKind::coordinate) + k);
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
