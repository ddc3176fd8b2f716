#include "cotangent/system/operation/incidence.hpp"

#include <array>
#include <iterator>
#include <set>

#include "cotangent/derivatives/derivatives.hpp"

namespace cotangent {

std::optional<std::vector<Incidence>> incidences(const std::vector<Family>& families, std::int64_t n) {
  std::set<std::int64_t> ends{0, n};
  for (const Family& family : families) {
    for (const auto& slot : family.slots) {
      if (slot.space == Space::w) return std::nullopt;
      if (slot.space != Space::q) continue;
      if (family.count > 1 && slot.at.kind() != IndexMap::Kind::unit) return std::nullopt;
      ends.insert(slot.at(0));
      ends.insert(slot.at(0) + family.count);
    }
  }
  if (ends.size() > kMaxPieces) return std::nullopt;

  std::vector<Incidence> runs;
  for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
    Incidence run{*std::prev(end), *end - *std::prev(end), {}};
    for (const Family& family : families) {
      for (std::size_t s = 0; s < family.slots.size(); ++s) {
        if (family.slots[s].space != Space::q) continue;
        const std::int64_t instance = run.first - family.slots[s].at(0);
        if (instance >= 0 && instance < family.count) run.terms.push_back({&family, s, instance});
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Replacement symbols_at(const ContractionBuilder& builder, const Family& family, const IndexMap& instance,
                       std::int64_t count, int q, Places& places) {
  Replacement result;
  for (const auto& slot : builder.own(family).slots)
    result.emplace(slot.symbol.id(), places.symbol(slot.space == Space::q ? q : in::argument(slot.space),
                                                   slot.at.after(instance, count)));
  for (const auto& load : builder.spec_of(family).loads)
    result.emplace(load.symbol.id(), places.symbol(load.vector, load.at.after(instance, count)));
  return result;
}

Expr gathered_gradient(const Incidence& run, const ContractionBuilder& builder, Places& places, bool weighted) {
  Expr total;
  for (const auto& term : run.terms) {
    const Family family = builder.own(*term.family);
    const IndexMap instance = IndexMap::affine(term.instance, 1);
    const Replacement to_place = symbols_at(builder, *term.family, instance, run.count, in::q, places);
    const Expr derivative = gradient(family.f, std::array{family.slots[term.slot].symbol})[0];
    if (derivative.is_constant(0)) continue;
    Expr value = substitute(derivative, to_place);
    if (weighted) value = places.symbol(in::weights, family.row.after(instance, run.count)) * value;
    total = total.valid() ? total + value : value;
  }
  return total;
}

}  // namespace cotangent
