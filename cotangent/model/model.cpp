#include "cotangent/model/model.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "cotangent/model/language/shape.hpp"

namespace cotangent {
namespace {

// Of coordinates or states, all together.
template <class Variable>
std::int64_t entries_of(const std::vector<Variable>& variables) {
  return std::accumulate(variables.begin(), variables.end(), std::int64_t{0},
                         [](std::int64_t sum, const Variable& x) { return sum + x.size(); });
}

template <class Variable>
std::string entry_name_of(const std::vector<Variable>& variables, std::int64_t entry) {
  for (const auto& variable : variables) {
    const std::int64_t k = entry - variable.offset;
    if (k >= 0 && k < variable.size()) return entry_text(variable.name, indices_at(k, variable.shape));
  }
  return fmt::format("entry {}", entry);
}

// Calls f with every expression of a model.
template <class F>
void each_expression(Model& model, const F& f) {
  const auto of_loops = [&](std::vector<Loop>& loops) {
    for (Loop& loop : loops) f(loop.lo), f(loop.hi);
  };
  const auto of_values = [&](auto& all) {
    for (NamedValues& values : all) {
      of_loops(values.loops);
      for (Expr& label : values.labels) f(label);
      for (Expr& component : values.components) f(component);
    }
  };
  const auto of_assignments = [&](std::vector<Assignment>& all) {
    for (Assignment& assignment : all) {
      of_loops(assignment.loops);
      for (Expr& index : assignment.indices) f(index);
      f(assignment.value);
    }
  };
  for (Expr* e : {&model.t, &model.energy, &model.alternative, &model.dissipation}) f(*e);
  of_values(model.constraints);
  of_values(model.primary_constraints);
  of_values(model.gauge);
  of_values(model.observables);
  of_values(model.invariants);
  if (model.picture) {
    of_values(model.picture->points);
    of_values(model.picture->bodies);
    for (auto* paths : {&model.picture->rods, &model.picture->lines, &model.picture->polygons, &model.picture->trails})
      for (Picture::Path& path : *paths) {
        of_loops(path.loops);
        for (Picture::Reference& point : path.points) f(point.first);
      }
  }
  for (auto* all : {&model.forces, &model.rates, &model.exact, &model.initial}) of_assignments(*all);
  if (!model.minimal) return;
  of_assignments(model.minimal->phi);
  of_assignments(model.minimal->guess);
}

}  // namespace

std::int64_t entry_count(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::optional<std::size_t> place_of(std::span<const std::int64_t> indices, std::span<const std::int64_t> shape) {
  if (indices.size() != shape.size()) return std::nullopt;
  std::int64_t place = 0;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (indices[k] < 1 || indices[k] > shape[k]) return std::nullopt;
    place = place * shape[k] + indices[k] - 1;
  }
  return static_cast<std::size_t>(place);
}

EntryIndices indices_at(std::int64_t place, std::span<const std::int64_t> shape) {
  EntryIndices indices;
  for (const std::int64_t extent : shape) {
    indices.push_back(place % extent + 1);
    place /= extent;
  }
  return indices;
}

std::string entry_text(const std::string& name, const EntryIndices& indices) {
  return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ","));
}

Model branch(const Model& model) {
  Model result = model;
  result.graph = std::make_shared<Graph>(*model.graph);
  each_expression(result, [&](Expr& e) {
    if (e.valid()) e = result.graph->own(e);
  });
  return result;
}

std::int64_t Coordinate::size() const { return entry_count(shape); }

std::int64_t State::size() const { return entry_count(shape); }

std::int64_t Minimal::dimension() const { return entries_of(coordinates); }

std::int64_t Model::dimension() const { return entries_of(coordinates); }

std::string entry_name(const Model& model, std::int64_t entry) { return entry_name_of(model.coordinates, entry); }

std::string state_entry_name(const Model& model, std::int64_t entry) { return entry_name_of(model.states, entry); }

}  // namespace cotangent
