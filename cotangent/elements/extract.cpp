#include "cotangent/elements/extract.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <tuple>

#include "cotangent/base/limits.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/legendre.hpp"
#include "cotangent/elements/model_symbols.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/elements/sum_splitter.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/shape.hpp"

namespace cotangent {
namespace {

// The parts of (q, p, v, s), which are numbered in this order.
bool is_initial(Space space) { return space <= Space::s; }
std::int64_t first_of(Space space, std::int64_t n) { return n * static_cast<std::int64_t>(space); }

// Does some work; what is refused in it is refused at its place in the text.
template <class Work>
void refuse_at(const Model& model, const Location& where, const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    throw refusal(model, where, error.what());
  }
}

class Extractor {
 public:
  explicit Extractor(const Model& model)
      : own_graph_(std::make_shared<Graph>(*model.graph)),
        graph_(*own_graph_),
        symbols_(model, graph_),
        splitter_(symbols_) {
    elements_.dynamics = model.dynamics;
    elements_.n = model.dimension();
    for (const Parameter& parameter : model.parameters)
      if (!parameter.shape.empty()) elements_.tables.push_back(parameter.table);
    for (const State& state : model.states) elements_.states += state.size();
  }

  Elements everything(const Model& model) && {
    const auto at = [&](const Location& where, const auto& work) { refuse_at(model, where, work); };
    if (model.energy.valid())
      at(model.energy_where, [&] { splitter_.add(numbers(model.energy), {}, IndexMap::fixed(0), elements_.energy); });
    splitter_.unroll_outermost();
    for (const Constraint& constraint : model.constraints) {
      const std::int64_t first = elements_.m;
      at(constraint.where, [&] { elements_.m = add_named(constraint, first, elements_.constraints, elements_.rows); });
      const std::vector<std::int64_t> shape(static_cast<std::size_t>(graph_.symbol(constraint.lambda).rank),
                                            elements_.m - first);
      symbols_.variables.emplace(constraint.lambda, ModelSymbols::Variable{Space::lambda, first, shape});
    }
    if (model.dissipation.valid())
      at(model.dissipation_where,
         [&] { splitter_.add(numbers(model.dissipation), {}, IndexMap::fixed(0), elements_.dissipation); });
    for (const Assignment& force : model.forces) at(force.where, [&] { add_assignment(force, elements_.forces); });
    for (const Assignment& rate : model.rates) at(rate.where, [&] { add_assignment(rate, elements_.rates); });
    const auto add_all = [&](const std::vector<NamedValues>& all, auto& families, auto& rows) {
      std::int64_t next = 0;
      for (const NamedValues& values : all) at(values.where, [&] { next = add_named(values, next, families, rows); });
    };
    add_all(model.observables, elements_.observables, elements_.observable_rows);
    add_all(model.invariants, elements_.invariants, elements_.invariant_rows);
    take_groups();
    if (elements_.dynamics == Dynamics::lagrangian) transform_point_masses(elements_);
    return finished();
  }

  // phi(s, t) as constraints, a row for each entry of q, on s in place of q.
  Elements phi(const Model& model) && {
    const Minimal& minimal = *model.minimal;
    elements_.n = minimal.dimension();
    elements_.m = model.dimension();
    elements_.states = 0;
    elements_.dynamics = Dynamics::hamiltonian;  // there is no energy
    declare(minimal, Space::q);
    for (const Assignment& row : minimal.phi)
      refuse_at(model, row.where, [&] { add_assignment(row, elements_.constraints); });
    for (const Coordinate& c : model.coordinates) elements_.rows.push_back(entries_of(c));
    take_groups();
    return finished();
  }

  // Guesses of s as observables, functions of (q, t).
  Elements guess(const Model& model) && {
    const Minimal& minimal = *model.minimal;
    elements_.dynamics = Dynamics::hamiltonian;
    declare(minimal, Space::v);  // as targets only
    for (const Assignment& row : minimal.guess)
      refuse_at(model, row.where, [&] { add_assignment(row, elements_.observables); });
    for (const State& s : minimal.coordinates) elements_.observable_rows.push_back(entries_of(s));
    take_groups();
    return finished();
  }

  InitialElements initial(const Model& model) && {
    symbols_.values.emplace(model.t.id(), graph_.constant(model.start));
    InitialElements result;
    result.n = elements_.n;
    result.states = elements_.states;
    for (const Assignment& assignment : model.initial) {
      const auto target = symbols_.variables.find(assignment.target);
      if (target == symbols_.variables.end() || !is_initial(target->second.space))
        throw std::invalid_argument(fmt::format("'{}' has no initial value", graph_.symbol(assignment.target).name));
      InitialElements::Step step;
      step.assignment = &assignment;
      refuse_at(model, assignment.where, [&] {
        within(assignment.loops, [&](const std::vector<Loop>& loops) {
          std::tie(step.count, step.rows) = rows_of(assignment, loops, first_of(target->second.space, elements_.n));
          splitter_.add(numbers(assignment.value), loops, IndexMap::affine(0, 1), step.families);
        });
      });
      auto groups = splitter_.take_groups();
      step.groups = std::move(groups.families);
      step.group_count = groups.count;
      result.steps.push_back(std::move(step));
    }
    Elements rest = finished();
    result.graph = std::move(rest.graph);
    result.tables = std::move(rest.tables);
    return result;
  }

 private:
  Elements finished() {
    graph_.freeze();
    elements_.graph = own_graph_;
    return std::move(elements_);
  }

  void take_groups() {
    auto groups = splitter_.take_groups();
    elements_.groups = std::move(groups.families);
    elements_.group_count = groups.count;
  }

  void declare(const Minimal& minimal, Space space) {
    for (const State& s : minimal.coordinates)
      symbols_.variables.emplace(s.symbol, ModelSymbols::Variable{space, s.offset, s.shape});
  }

  // The rows of a coordinate, a state or a minimal coordinate where each entry has one.
  template <class Variable>
  static NamedRows entries_of(const Variable& x) {
    NamedRows rows{.name = x.name, .first = x.offset, .count = x.size(), .indices = {}};
    std::vector<std::vector<std::int32_t>> lists(x.shape.size());
    for (std::int64_t k = 0; k < x.size(); ++k) {
      const EntryIndices indices = indices_at(k, x.shape);
      for (std::size_t d = 0; d < lists.size(); ++d) lists[d].push_back(static_cast<std::int32_t>(indices[d]));
    }
    for (auto& list : lists) rows.indices.push_back(IndexMap::from_list(std::move(list)));
    return rows;
  }

  // e with numbers for parameters, and with the indices of the loops that are renamed.
  Expr numbers(Expr e) { return substitute(graph_.own(e), symbols_.values); }

  // Calls work(loops) with the loops of a function, whose indices are those that all families share. In it numbers()
  // leads to these: there may be many parameters, and many functions, so that the replacement is not copied.
  template <class Work>
  void within(const std::vector<Loop>& loops, const Work& work) {
    std::vector<Loop> renamed;
    std::vector<NodeId> added;
    for (const Loop& loop : loops) {
      const SymbolId index = splitter_.index_symbol(renamed.size());
      renamed.push_back({index, numbers(loop.lo), numbers(loop.hi)});
      const NodeId own = graph_.symbol_expr(loop.index).id();
      if (symbols_.values.emplace(own, graph_.symbol_expr(index)).second) added.push_back(own);
    }
    work(renamed);
    for (const NodeId own : added) symbols_.values.erase(own);
  }

  // @return the row after the last one.
  std::int64_t add_named(const NamedValues& values, std::int64_t first, std::vector<Family>& families,
                         std::vector<NamedRows>& names) {
    within(values.loops, [&](const std::vector<Loop>& loops) {
      const LoopNest nest(loops, symbols_.tables);
      const auto components = static_cast<std::int64_t>(values.components.size());
      NamedRows rows{.name = values.name,
                     .first = first,
                     .count = nest.count() * components,
                     .indices = {},
                     .components = components,
                     .is_vector = values.is_vector};
      if (first + rows.count > kLimits.entries)
        throw std::invalid_argument(
            fmt::format("'{}' has too many values: the limit is {}", values.name, kLimits.entries));
      for (const Expr& label : values.labels) rows.indices.push_back(nest.map(numbers(label)));
      for (std::int64_t c = 0; c < components; ++c)
        splitter_.add(numbers(values.components[static_cast<std::size_t>(c)]), loops,
                      IndexMap::affine(first + c, components), families);
      names.push_back(std::move(rows));
    });
    return first + names.back().count;
  }

  void add_assignment(const Assignment& assignment, std::vector<Family>& families) {
    within(assignment.loops, [&](const std::vector<Loop>& loops) {
      splitter_.add(numbers(assignment.value), loops, rows_of(assignment, loops, 0).second, families);
    });
  }

  // How many entries are assigned, and where: from the entry `first` on.
  std::pair<std::int64_t, IndexMap> rows_of(const Assignment& assignment, const std::vector<Loop>& loops,
                                            std::int64_t first) {
    const ModelSymbols::Variable& target = symbols_.variables.at(assignment.target);
    const LoopNest nest(loops, symbols_.tables);
    std::vector<Expr> indices;
    for (const Expr& index : assignment.indices) indices.push_back(numbers(index));
    return {nest.count(), nest.map(flat_index(graph_, indices, target.shape)).shifted(first + target.offset)};
  }

  // The model's graph, and what is built for the elements: the model stays as it is.
  std::shared_ptr<Graph> own_graph_;
  Graph& graph_;
  Elements elements_;
  ModelSymbols symbols_;
  SumSplitter splitter_;
};

}  // namespace

Elements extract_elements(const Model& model) {
  Elements elements = Extractor(model).everything(model);
  if (model.minimal)
    elements.minimal = {model.minimal->dimension(),
                        [copy = std::make_shared<const Model>(model)] { return extract_minimal(*copy); }};
  return elements;
}

MinimalElements extract_minimal(const Model& model) {
  MinimalElements map{std::make_shared<const Elements>(Extractor(model).phi(model)), nullptr};
  if (!model.minimal->guess.empty()) map.guess = std::make_shared<const Elements>(Extractor(model).guess(model));
  return map;
}

InitialElements extract_initial(const Model& model) { return Extractor(model).initial(model); }

}  // namespace cotangent
