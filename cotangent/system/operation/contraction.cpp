#include "cotangent/system/operation/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>
#include <stdexcept>

#include "cotangent/base/check.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/derivatives/evaluation_error.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/operation/fuse.hpp"
#include "cotangent/system/operation/sum_rounding.hpp"

namespace cotangent {

// One family with its arguments moved along the directions, x(e) = x + e_1 a + e_2 b + ..., where e_d^2 = 0.
//
// The component of F(x(e)) with the factor e_1 e_2 ... is the contracted derivative F^(k)[a, b, ...]. A group
// variable w depends on x, so w(e) has components along every subset ("mask") of directions, not only along single
// ones; so have adjoints.
class FamilyJet {
 public:
  enum class Weight { none, given, adjoint };

  FamilyJet(ContractionBuilder& builder, const Family& family, const std::vector<Contraction::Direction>& directions,
            Weight weight)
      : builder_(builder), family_(builder.own(family)), function_(family_.f), rates_(directions.size()) {
    spec_ = builder.spec_of(family);
    const auto masks = 1U << directions.size();
    for (const auto& slot : family_.slots) {
      add_symbol(slot.symbol, 0, in::argument(slot.space), slot.at);
      for (unsigned mask = 1; mask < masks; ++mask) add_component(slot, mask, directions);
    }
    if (weight != Weight::none) add_weight(weight, masks);
  }

  /// F^(k) along the directions of the mask.
  Expr along(unsigned mask) const {
    Expr f = function_;
    for (std::size_t d = 0; d < rates_.size(); ++d)
      if (mask & (1U << d)) f = derivative(f, rates_[d]);
    return f;
  }

  std::vector<Expr> gradient_along(unsigned mask) const { return gradient(along(mask), slot_symbols(family_)); }

  /// sum_s |dF/dx_s x_s| with x the last direction or, without directions, the arguments themselves, and then what is
  /// rounded inside F; for a group variable its own scale stands for |x_s|, since the sum may be much smaller than its
  /// terms. Where instances are added up in one place, as often as a sum of so many rounds: sum_rounding().
  /// @param is_part F is a term of a group variable.
  Expr rounding_scale(bool is_part = false) {
    const double factor = sum_rounding(family_.row, family_.count);
    const Expr scale = rounding_scale_of_term(is_part);
    return factor == 1 ? scale : function_.graph().constant(factor) * scale;
  }

  void store(Expr value, int vector, const IndexMap& at, KernelSpec::Mode mode = KernelSpec::Mode::add) {
    if (!value.is_constant(0)) spec_.stores.push_back({value, vector, at, mode});
  }

  /// Adds to a component of the group variables of the family's rows.
  void store_component(unsigned mask) {
    const Expr value = along(mask);
    if (value.is_constant(0)) return;
    store(value, out::kGroups + static_cast<int>(mask), family_.row);
    mark(builder_.written_.components, family_.row, mask);
  }

  /// Adds the adjoints of the group variables that F uses, for every subset of directions.
  void store_adjoints() {
    const auto masks = 1U << rates_.size();
    for (unsigned mask = 0; mask < masks; ++mask) {
      const auto dF = gradient_along(mask);
      for (std::size_t s = 0; s < family_.slots.size(); ++s)
        if (family_.slots[s].space == Space::w && !dF[s].is_constant(0)) {
          store(dF[s], out::kAdjoints + static_cast<int>(mask), family_.slots[s].at);
          mark(builder_.written_.adjoints, family_.slots[s].at, mask);
        }
    }
  }

  void store_gradient(Space space) {
    const auto dF = gradient_along((1U << rates_.size()) - 1);
    for (std::size_t s = 0; s < family_.slots.size(); ++s)
      if (family_.slots[s].space == space) store(dF[s], out::result, family_.slots[s].at);
  }

  KernelSpec take() {
    drop_unused(spec_);
    return std::move(spec_);
  }

 private:
  Expr rounding_scale_of_term(bool is_part) {
    const unsigned full = (1U << rates_.size()) - 1;
    const unsigned last = rates_.empty() ? 0 : 1U << (rates_.size() - 1);
    std::vector<Expr> x;
    for (const auto& slot : family_.slots) x.push_back(builder_.component(slot.symbol, last));
    const auto dF = gradient(along(full), x);
    Expr scale = function_.graph().constant(0);
    for (std::size_t s = 0; s < x.size(); ++s) {
      const auto& slot = family_.slots[s];
      if (slot.space == Space::t && last != 0) {
        // The part that comes from the time changing at the rate one.
        if (rates_.back().contains(slot.symbol.id()))
          scale = scale + abs(gradient(along(full & ~last), std::array{slot.symbol})[0]);
      } else if (slot.space != Space::w) {
        scale = scale + abs(dF[s] * x[s]);
      } else if (!dF[s].is_constant(0)) {
        const Expr w_scale = builder_.component(slot.symbol, in::kMasks);
        spec_.loads.push_back({w_scale, in::kScales, slot.at});
        scale = scale + abs(dF[s]) * w_scale;
      }
    }
    if (last != 0) return scale;
    return scale + evaluation_error(function_, is_part, [&](Expr symbol) -> ArgumentError {
             return {std::ranges::find(family_.slots, symbol, &Family::Slot::symbol) != family_.slots.end()};
           });
  }

  void mark(std::vector<std::uint8_t>& written, const IndexMap& at, unsigned mask) const {
    for (std::int64_t k = 0; k < family_.count; ++k)
      written[static_cast<std::size_t>(at(k))] |= static_cast<std::uint8_t>(1U << mask);
  }
  bool is_written(const std::vector<std::uint8_t>& written, const IndexMap& at, unsigned mask) const {
    for (std::int64_t k = 0; k < family_.count; ++k)
      if (written[static_cast<std::size_t>(at(k))] & (1U << mask)) return true;
    return false;
  }

  // @pre mask is not empty.
  void add_component(const Family::Slot& slot, unsigned mask, const std::vector<Contraction::Direction>& directions) {
    if (slot.space == Space::w) {
      if (is_written(builder_.written_.components, slot.at, mask))
        add_symbol(slot.symbol, mask, in::kGroups + static_cast<int>(mask), slot.at);
      return;
    }
    const auto d = static_cast<std::size_t>(std::countr_zero(mask));
    if (!std::has_single_bit(mask) || !directions[d].has(slot.space)) return;
    if (slot.space == Space::t) {
      rates_[d].emplace(slot.symbol.id(), function_.graph().constant(1));
    } else {
      add_symbol(slot.symbol, mask, in::argument(slot.space, d), slot.at);
    }
  }

  void add_weight(Weight weight, unsigned masks) {
    Graph& graph = function_.graph();
    if (!builder_.weight_.valid()) builder_.weight_ = graph.new_symbol("u", SymbolKind::local);
    const Expr u = builder_.weight_;
    function_ = u * function_;
    if (weight == Weight::given) {
      add_symbol(u, 0, in::weights, family_.row);
    } else {
      for (unsigned mask = 0; mask < masks; ++mask)
        if (mask == 0 || is_written(builder_.written_.adjoints, family_.row, mask))
          add_symbol(u, mask, in::kAdjoints + static_cast<int>(mask), family_.row);
    }
  }

  // Loads the component of x along the mask, and makes it the rate of the components with one direction fewer.
  void add_symbol(Expr x, unsigned mask, int vector, const IndexMap& at) {
    const Expr component = builder_.component(x, mask);
    spec_.loads.push_back({component, vector, at});
    for (std::size_t d = 0; d < rates_.size(); ++d)
      if (mask & (1U << d)) rates_[d].emplace(builder_.component(x, mask & ~(1U << d)).id(), component);
  }

  ContractionBuilder& builder_;
  const Family family_;
  Expr function_;
  std::vector<Rates> rates_;  // per direction
  KernelSpec spec_;
};

namespace {

bool each_row_once(const std::vector<Family>& families, std::int64_t rows) {
  std::vector<bool> touched(static_cast<std::size_t>(rows), false);
  for (const Family& family : families) {
    for (std::int64_t k = 0; k < family.count; ++k) {
      auto row = touched[static_cast<std::size_t>(family.row(k))];
      if (row) return false;
      row = true;
    }
  }
  return true;
}

}  // namespace

ContractionBuilder::ContractionBuilder(const Elements& elements, const Graph& graph)
    : elements_(elements), graph_(std::make_shared<Graph>(graph)) {
  for (const auto* families : {&elements.groups, &elements.energy, &elements.constraints, &elements.dissipation,
                               &elements.forces, &elements.rates, &elements.observables, &elements.invariants})
    for (const Family& family : *families)
      for (const auto& column : family.columns) columns_.push_back({&family, &column});
}

KernelSpec ContractionBuilder::spec_of(const Family& family) const {
  KernelSpec spec;
  spec.count = family.count;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].family == &family)
      spec.loads.push_back({.symbol = graph_->own(columns_[c].column->symbol),
                            .vector = in::kColumns + static_cast<int>(c),
                            .at = IndexMap::affine(0, 1),
                            .constant = true});
  return spec;
}

std::vector<const Family*> ContractionBuilder::groups_of(const std::vector<Family>& families) const {
  std::vector<bool> needed(static_cast<std::size_t>(elements_.group_count), false);
  const auto mark = [&](const Family& family) {
    for (const auto& slot : family.slots)
      for (std::int64_t k = 0; k < family.count && slot.space == Space::w; ++k)
        needed[static_cast<std::size_t>(slot.at(k))] = true;
  };
  for (const Family& family : families) mark(family);
  std::vector<const Family*> found;
  for (const Family& group : std::views::reverse(elements_.groups)) {
    bool used = false;
    for (std::int64_t k = 0; k < group.count && !used; ++k) used = needed[static_cast<std::size_t>(group.row(k))];
    if (!used) continue;
    mark(group);
    found.push_back(&group);
  }
  std::ranges::reverse(found);
  return found;
}

Expr ContractionBuilder::component(Expr x, unsigned mask) {
  if (mask == 0) return x;
  const auto [it, fresh] = components_.try_emplace({x.id(), mask});
  if (fresh) it->second = x.graph().new_symbol(fmt::format("{}_{}", x.symbol().name, mask), SymbolKind::local);
  return it->second;
}

const std::vector<Family>& ContractionBuilder::families_of(Contraction::Of of) const {
  using E = Elements;
  static constexpr std::array families = {&E::energy,      &E::energy,      &E::constraints, &E::constraints,
                                          &E::invariants,  &E::dissipation, &E::forces,      &E::rates,
                                          &E::observables, &E::invariants};  // in the order of Of
  COTANGENT_CHECK(of > Contraction::Of::L ||
                  (of == Contraction::Of::L) == (elements_.dynamics == Dynamics::lagrangian));
  return elements_.*families[static_cast<std::size_t>(of)];
}

std::vector<Expr> slot_symbols(const Family& family) {
  std::vector<Expr> symbols;
  for (const auto& slot : family.slots) symbols.push_back(slot.symbol);
  return symbols;
}

std::vector<Expr> slot_gradient(const Family& family) { return gradient(family.f, slot_symbols(family)); }

std::string key_of(const Contraction& contraction) {
  std::string key;
  const auto add = [&key](auto value) { key.push_back(static_cast<char>(value)); };
  add(contraction.of);
  add(contraction.result);
  add(contraction.norms);
  for (const auto& d : contraction.directions) add(d.q | d.p << 1 | d.v << 2 | d.s << 3 | d.lambda << 4 | d.t << 5);
  return key;
}

std::int64_t row_count(const Elements& elements, Contraction::Of of) {
  using Of = Contraction::Of;
  const auto end = [](const std::vector<NamedRows>& rows) {
    return rows.empty() ? 0 : rows.back().first + rows.back().count;
  };
  if (of == Of::observable) return end(elements.observable_rows);
  if (of == Of::invariant) return end(elements.invariant_rows);
  return of == Of::force ? elements.n : of == Of::rate ? elements.states : elements.m;
}

ContractionPlan ContractionBuilder::build(const Contraction& contraction, bool fused) {
  using Weight = FamilyJet::Weight;
  const auto& directions = contraction.directions;
  if (directions.size() > Contraction::kMaxDirections)
    throw std::invalid_argument("a contraction has at most three directions");
  const bool is_value = contraction.result == Contraction::Result::value;
  COTANGENT_CHECK(is_value || !contraction.has_rows());
  COTANGENT_CHECK(!contraction.norms || (is_value && contraction.of == Contraction::Of::g));

  const auto& families = families_of(contraction.of);
  const auto groups = groups_of(families);
  const unsigned masks = 1U << directions.size();
  const unsigned full = masks - 1;
  ContractionPlan plan;

  // Forward: the group variables and their components.
  const auto group_count = static_cast<std::size_t>(elements_.group_count);
  written_ = {std::vector<std::uint8_t>(group_count, 0), std::vector<std::uint8_t>(group_count, 0)};
  for (const Family* group : groups) {
    FamilyJet jet(*this, *group, directions, Weight::none);
    for (unsigned mask = 0; mask < masks; ++mask) jet.store_component(mask);
    if (contraction.norms) jet.store(jet.rounding_scale(true), out::kScales, group->row);
    plan.kernels.push_back(jet.take());
  }
  if (!groups.empty()) {
    if (contraction.norms) plan.zero.push_back({out::kScales, elements_.group_count});
    for (unsigned mask = 0; mask < masks; ++mask)
      plan.zero.push_back({out::kGroups + static_cast<int>(mask), elements_.group_count});
  }

  // The families themselves.
  plan.rows_from_one_family = contraction.norms && each_row_once(families, elements_.m);
  const bool is_weighted =
      contraction.of == Contraction::Of::weighted_g || contraction.of == Contraction::Of::weighted_invariant;
  const Weight weight = is_weighted ? Weight::given : Weight::none;
  std::vector<KernelSpec> specs;
  for (const Family& family : families) {
    FamilyJet jet(*this, family, directions, weight);
    if (is_value) {
      const Expr value = jet.along(full);
      jet.store(value, out::result, weight == Weight::given ? IndexMap::fixed(0) : family.row);
      if (contraction.norms) {
        if (plan.rows_from_one_family) {
          jet.store(abs(value), out::norms, IndexMap::fixed(0), KernelSpec::Mode::max);
          jet.store(jet.rounding_scale(), out::norms, IndexMap::fixed(1), KernelSpec::Mode::max);
        } else {
          jet.store(jet.rounding_scale(), out::kRowScales, family.row);
        }
      }
    } else {
      jet.store_gradient(contraction.space());
      if (!groups.empty()) jet.store_adjoints();
    }
    specs.push_back(jet.take());
  }
  std::erase_if(specs, [](const KernelSpec& spec) { return spec.stores.empty(); });
  if (fused) specs = fuse(std::move(specs));
  for (auto& spec : specs) plan.kernels.push_back(std::move(spec));
  if (contraction.norms) plan.zero.push_back({out::norms, 2});
  if (contraction.norms && !plan.rows_from_one_family) plan.zero.push_back({out::kRowScales, elements_.m});

  // Reverse: through the inner sums.
  if (!is_value && !groups.empty()) {
    for (const Family* group : std::views::reverse(groups)) {
      FamilyJet jet(*this, *group, directions, Weight::adjoint);
      jet.store_gradient(contraction.space());
      jet.store_adjoints();
      plan.kernels.push_back(jet.take());
    }
    for (unsigned mask = 0; mask < masks; ++mask)
      plan.zero.push_back({out::kAdjoints + static_cast<int>(mask), elements_.group_count});
  }
  std::erase_if(plan.kernels, [](const KernelSpec& spec) { return spec.stores.empty(); });

  const std::int64_t gradient_size =
      contraction.result == Contraction::Result::gradient_s ? elements_.states : elements_.n;
  const std::int64_t size = !is_value                ? gradient_size
                            : contraction.has_rows() ? row_count(elements_, contraction.of)
                                                     : 1;
  if (assign_first(plan.kernels, out::result, size)) plan.zero.push_back({out::result, size});
  return plan;
}

}  // namespace cotangent
