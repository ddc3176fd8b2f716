#include "cotangent/monitor/reference/exact_solution.hpp"

#include <fmt/format.h>

#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// Under the names of what they are the solution of.
std::vector<NamedValues> named(const Model& model) {
  std::vector<NamedValues> result;
  for (const Assignment& assignment : model.exact)
    result.push_back({.name = model.graph->symbol(assignment.target).name,
                      .loops = assignment.loops,
                      .labels = assignment.indices,
                      .components = {assignment.value},
                      .where = assignment.where});
  return result;
}

}  // namespace

template <class T>
ExactSolution<T>::ExactSolution(const Model& model, Backend backend) : solution_(model, named(model), backend) {
  const auto entries = point_entries(model);
  for (const NamedRows& rows : solution_.rows())
    for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
      names_.push_back(rows.row_name(row));
      entries_.push_back(entries.at(names_.back()));
    }
}

template <class T>
std::optional<SolutionError<T>> ExactSolution<T>::error(const PhasePoint<T>& z) {
  const std::vector<T>& exact = solution_(z);
  SolutionError<T> error;
  for (std::size_t k = 0; k < entries_.size(); ++k) entries_[k].add_difference(z, exact[k], error);
  return error;
}

template <class T>
std::string ExactSolution<T>::mismatch(const PhasePoint<T>& z) {
  const std::vector<T>& exact = solution_(z);
  T worst(0);
  std::string text;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const T given = entries_[k].of(z);
    const T change = abs(given - exact[k]), level = T(1000) * epsilon<T>() * max(T(1), abs(given));
    if (change <= max(worst, level)) continue;
    worst = change;
    text = fmt::format("{} is {:.17g} at t = {:g}, not {:.17g}", names_[k], static_cast<double>(exact[k]),
                       static_cast<double>(z.t), static_cast<double>(given));
  }
  return text;
}

template <class T>
void note_exact_mismatch(const Model& model, const PhasePoint<T>& start, std::vector<std::string>& notes) {
  if (model.exact.empty()) return;
  const std::string mismatch = ExactSolution<T>(model, Backend::interpreter).mismatch(start);
  if (!mismatch.empty()) notes.push_back("the solution in [exact] is not that of the initial data: " + mismatch);
}

#define COTANGENT_FUNCTIONS(T) \
  template void note_exact_mismatch(const Model&, const PhasePoint<T>&, std::vector<std::string>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

COTANGENT_INSTANTIATE(PRECISIONS, ExactSolution);

}  // namespace cotangent
