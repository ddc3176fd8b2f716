#include "cotangent/system/mass.hpp"

#include <algorithm>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/fuse.hpp"

namespace cotangent {

std::optional<DiagonalMass> constant_diagonal_mass(const Elements& elements) {
  // A function of a sum over momenta couples all of them.
  for (const Family& group : elements.groups)
    for (const auto& slot : group.slots)
      if (slot.space == Space::p) return std::nullopt;

  const ContractionBuilder builder(elements);
  DiagonalMass mass;
  mass.graph = builder.graph();
  for (const Family& stated : elements.energy) {
    const Family family = builder.own(stated);
    KernelSpec spec;
    spec.count = family.count;
    spec.loads = builder.column_loads(stated);
    std::vector<Expr> symbols;
    for (const auto& slot : family.slots) symbols.push_back(slot.symbol);
    const auto f_x = gradient(family.f, symbols);
    Replacement at_rest;
    for (const auto& slot : family.slots)
      if (slot.space == Space::p) at_rest.emplace(slot.symbol.id(), family.f.graph().constant(0));
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      if (family.slots[s].space != Space::p) continue;
      const auto f_sx = gradient(f_x[s], symbols);
      for (std::size_t t = 0; t < symbols.size(); ++t)
        if (t != s && family.slots[t].space == Space::p && !f_sx[t].is_constant(0)) return std::nullopt;
      const auto is_slot = [&](Expr e) { return std::find(symbols.begin(), symbols.end(), e) != symbols.end(); };
      if (depends_on(f_sx[s], is_slot)) return std::nullopt;
      if (!substitute(f_x[s], at_rest).is_constant(0)) mass.is_homogeneous = false;
      if (!f_sx[s].is_constant(0)) spec.stores.push_back({f_sx[s], out::result, family.slots[s].at});
    }
    drop_unused(spec);
    if (!spec.stores.empty()) mass.kernels.push_back(std::move(spec));
  }
  return mass;
}

}  // namespace cotangent
