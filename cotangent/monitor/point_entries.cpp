#include "cotangent/monitor/point_entries.hpp"

namespace cotangent {

std::unordered_map<std::string, PointEntry> point_entries(const Model& model) {
  std::unordered_map<std::string, PointEntry> result;
  for (std::int64_t j = 0; j < model.dimension(); ++j) {
    const std::string name = entry_name(model, j);
    result.emplace(name, PointEntry{PointEntry::Part::q, static_cast<std::size_t>(j)});
    result.emplace("p_" + name, PointEntry{PointEntry::Part::p, static_cast<std::size_t>(j)});
  }
  for (const auto& state : model.states)
    for (std::int64_t j = state.offset; j < state.offset + state.size(); ++j)
      result.emplace(state_entry_name(model, j), PointEntry{PointEntry::Part::s, static_cast<std::size_t>(j)});
  return result;
}

}  // namespace cotangent
