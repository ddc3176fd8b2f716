#include "cotangent/system/compiled_model.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/kernel/machine_code.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {
namespace {

// Columns and masses are evaluated once: not worth compiling.
template <class T>
std::vector<T> evaluate_column(const Elements& elements, const ContractionBuilder::ColumnOf& of) {
  Graph graph(elements.graph);
  const Family family = of.family->within(graph);
  const auto& column = family.columns[static_cast<std::size_t>(of.column - of.family->columns.data())];
  KernelSpec spec;
  spec.count = family.count;
  for (const auto& index : family.indices) spec.counters.push_back({index.symbol, index.at});
  std::vector<std::vector<T>> tables;
  for (const auto& entry : column.entries) {
    spec.loads.push_back({entry.symbol, static_cast<int>(tables.size()), entry.at});
    auto& table = tables.emplace_back();
    for (const Quad x : elements.tables[static_cast<std::size_t>(entry.table)])
      table.push_back(T(static_cast<LaneOf<T>>(x)));
  }
  std::vector<const T*> in;
  for (const auto& table : tables) in.push_back(table.data());
  spec.stores.push_back({column.value, 0, IndexMap::affine(0, 1), KernelSpec::Mode::assign});
  std::vector<T> values(static_cast<std::size_t>(family.count));
  KernelCompiler<T> compiler(Backend::interpreter);
  T* const out[] = {values.data()};
  compiler.add(std::move(spec))(in.data(), out);
  return values;
}

/// The inverse mass matrix W = H_pp, where it is diagonal and constant (point masses).
struct DiagonalMass {
  std::shared_ptr<Graph> graph;     ///< of the kernels
  std::vector<KernelSpec> kernels;  ///< add the diagonal to out::result, a vector of n numbers
  bool is_homogeneous = true;       ///< H_p = W p, without a part that does not depend on p
};

// Nothing where W is not diagonal and constant, as far as the symbols tell.
std::optional<DiagonalMass> constant_diagonal_mass(const Elements& elements) {
  // A function of a sum over momenta couples all of them.
  for (const Family& group : elements.groups)
    if (group.uses(Space::p)) return std::nullopt;

  const ContractionBuilder builder(elements);
  DiagonalMass mass;
  mass.graph = builder.graph();
  for (const Family& stated : elements.energy) {
    const Family family = builder.own(stated);
    KernelSpec spec = builder.spec_of(stated);
    const auto symbols = slot_symbols(family), f_x = slot_gradient(family);
    Replacement at_rest;
    for (const auto& slot : family.slots)
      if (slot.space == Space::p) at_rest.emplace(slot.symbol.id(), family.f.graph().constant(0));
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      if (family.slots[s].space != Space::p) continue;
      const auto f_sx = gradient(f_x[s], symbols);
      for (std::size_t t = 0; t < symbols.size(); ++t)
        if (t != s && family.slots[t].space == Space::p && !f_sx[t].is_constant(0)) return std::nullopt;
      if (depends_on(f_sx[s], [&](Expr e) { return std::ranges::find(symbols, e) != symbols.end(); }))
        return std::nullopt;
      if (!substitute(f_x[s], at_rest).is_constant(0)) mass.is_homogeneous = false;
      if (!f_sx[s].is_constant(0)) spec.stores.push_back({f_sx[s], out::result, family.slots[s].at});
    }
    drop_unused(spec);
    if (!spec.stores.empty()) mass.kernels.push_back(std::move(spec));
  }
  return mass;
}

bool find_separable(const CompiledModel& model) {
  const Elements& elements = model.elements();
  if (elements.declared) return elements.declared->is_separable;
  const bool of_L = elements.dynamics == Dynamics::lagrangian;
  return model.vanishes({.of = of_L ? Contraction::Of::L : Contraction::Of::H,
                         .directions = {{.q = false, .p = !of_L, .v = of_L}},
                         .result = Contraction::Result::gradient_q});
}

}  // namespace

// Tangents are computed by kernels over double, in the same code.
struct CompiledModel::Compilers {
  Compilers(Backend backend, const std::shared_ptr<MachineCode>& code)
      : numbers(backend, code), tangents(numbers), lanes(backend, code) {}

  KernelCompiler<double> numbers;
  KernelCompiler<Tangents> tangents;
  KernelCompiler<Lanes> lanes;
  KernelCompiler<Quad> quads{Backend::interpreter};
  KernelCompiler<Traced> traced{Backend::interpreter};
};

CompiledModel::CompiledModel(std::shared_ptr<const Elements> elements, Backend backend,
                             std::shared_ptr<MachineCode> code)
    : elements_(std::move(elements)),
      backend_(backend),
      code_(code ? std::move(code) : std::make_shared<MachineCode>()),
      compilers_(std::make_shared<Compilers>(backend, code_)) {
  has_work_ = elements_->has_forces() || !elements_->is_autonomous();
  is_separable_ = find_separable(*this);
  if (elements_->dynamics == Dynamics::hamiltonian && !elements_->declared) {
    const auto mass = constant_diagonal_mass(*elements_);
    has_homogeneous_mass_ = mass && mass->is_homogeneous;
  }
}

bool CompiledModel::is_made_of_elements(const Contraction& contraction) const {
  using Of = Contraction::Of;
  if (elements_->declared)
    return contraction.of != Of::H && contraction.of != Of::g && contraction.of != Of::weighted_g;
  return elements_->dynamics != Dynamics::lagrangian || contraction.of != Of::H;
}

bool CompiledModel::vanishes(const Contraction& contraction) const {
  if (!is_made_of_elements(contraction)) return false;
  return shared<bool>(key_of(contraction), [&] {
    ContractionBuilder builder(*elements_);
    const ContractionPlan plan = builder.build(contraction);
    for (const auto& spec : plan.kernels)
      for (const auto& store : spec.stores)
        if (store.vector == out::result) return false;
    return true;
  });
}

template <class T>
KernelCompiler<T>& CompiledModel::compiler() const {
  if constexpr (std::is_same_v<T, double>) return compilers_->numbers;
  if constexpr (std::is_same_v<T, Tangents>) return compilers_->tangents;
  if constexpr (std::is_same_v<T, Lanes>) return compilers_->lanes;
  if constexpr (std::is_same_v<T, Quad>) return compilers_->quads;
  if constexpr (std::is_same_v<T, Traced>) return compilers_->traced;
}

template <class T>
const Operation<T>& CompiledModel::operation(const Contraction& contraction) const {
  return shared<KernelOperation<T>>(key_of(contraction), [&] {
    ContractionBuilder builder(*elements_);
    const ContractionPlan plan = builder.build(contraction);
    const std::int64_t rows = contraction.norms && !plan.rows_from_one_family ? elements_->m : 0;
    return KernelOperation<T>(compile<T>(*builder.graph(), plan), rows);
  });
}

// Compiling over dual numbers needs more symbols.
template <class T>
KernelSequence<T> CompiledModel::compile(const Graph& graph, const SpecSequence& specs) const {
  Graph own(graph);
  KernelSequence<T> result{{}, specs.zero};
  for (const KernelSpec& spec : within(own, specs.kernels)) result.kernels.push_back(compiler<T>().add(spec));
  return result;
}

template <class T>
const std::vector<std::vector<T>>& CompiledModel::columns() const {
  return shared<std::vector<std::vector<T>>>("columns", [&] {
    std::vector<std::vector<T>> result;
    if constexpr (is_dual<T>) {
      for (const auto& column : columns<double>()) result.emplace_back(column.begin(), column.end());
    } else {
      const ContractionBuilder builder(*elements_);
      for (const auto& column : builder.columns()) result.push_back(evaluate_column<T>(*elements_, column));
    }
    return result;
  });
}

template <class T>
const std::optional<std::vector<T>>& CompiledModel::diagonal_mass() const {
  using Diagonal = std::optional<std::vector<T>>;
  return shared<Diagonal>("mass", [&]() -> Diagonal {
    if constexpr (is_dual<T>) {
      const auto& W = diagonal_mass<double>();
      return W ? Diagonal(std::in_place, W->begin(), W->end()) : std::nullopt;
    } else {
      if (elements_->dynamics == Dynamics::lagrangian || elements_->declared) return std::nullopt;
      const auto mass = constant_diagonal_mass(*elements_);
      if (!mass) return std::nullopt;
      std::vector<T> W(static_cast<std::size_t>(elements_->n), T(0));
      std::vector<const T*> in(in::kColumns, nullptr);
      for (const auto& column : columns<T>()) in.push_back(column.data());
      T* const out[] = {W.data()};
      KernelCompiler<T> compiler(Backend::interpreter);
      for (const auto& spec : mass->kernels) compiler.add(spec)(in.data(), out);
      return W;
    }
  });
}

#define COTANGENT_COMPILED_MODEL(T)                                                           \
  template KernelCompiler<T>& CompiledModel::compiler() const;                                \
  template const Operation<T>& CompiledModel::operation(const Contraction&) const;            \
  template KernelSequence<T> CompiledModel::compile(const Graph&, const SpecSequence&) const; \
  template const std::vector<std::vector<T>>& CompiledModel::columns() const;                 \
  template const std::optional<std::vector<T>>& CompiledModel::diagonal_mass() const;
COTANGENT_FOR_NUMBERS(COTANGENT_COMPILED_MODEL)
#undef COTANGENT_COMPILED_MODEL

}  // namespace cotangent
