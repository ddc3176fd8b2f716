#include "cotangent/model/model.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

namespace cotangent {

namespace {

std::int64_t entries(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Of coordinates or states, all together.
template <class Variable>
std::int64_t entries_of(const std::vector<Variable>& variables) {
  return std::accumulate(variables.begin(), variables.end(), std::int64_t{0},
                         [](std::int64_t sum, const Variable& x) { return sum + x.size(); });
}

template <class Variable>
std::string entry_name_of(const std::vector<Variable>& variables, std::int64_t entry) {
  for (const auto& variable : variables) {
    std::int64_t k = entry - variable.offset;
    if (k < 0 || k >= variable.size()) continue;
    if (variable.shape.empty()) return variable.name;
    std::vector<std::int64_t> indices;
    for (const std::int64_t extent : variable.shape) {
      indices.push_back(k % extent + 1);
      k /= extent;
    }
    return fmt::format("{}[{}]", variable.name, fmt::join(indices, ","));
  }
  return fmt::format("entry {}", entry);
}

}  // namespace

std::int64_t Coordinate::size() const { return entries(shape); }

std::int64_t State::size() const { return entries(shape); }

std::int64_t Minimal::dimension() const { return entries_of(coordinates); }

std::int64_t Model::dimension() const { return entries_of(coordinates); }

std::string entry_name(const Model& model, std::int64_t entry) { return entry_name_of(model.coordinates, entry); }

std::string state_entry_name(const Model& model, std::int64_t entry) { return entry_name_of(model.states, entry); }

}  // namespace cotangent
