#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/reference/solution_error.hpp"

namespace cotangent {

/// A coordinate, a momentum or a state of a point.
struct PointEntry {
  PointPart part;
  std::size_t place;

  template <class T>
  const T& of(const PhasePoint<T>& z) const {
    return (part == PointPart::q ? z.q : part == PointPart::p ? z.p : z.s)[place];
  }

  /// How far it is from another value of it.
  template <class T>
  void add_difference(const PhasePoint<T>& z, const T& other, SolutionError<T>& error) const {
    error[part] = larger(error[part], T(abs(of(z) - other)));
  }
};

/// All of them by the names that users know: "x", "p_x", "r[1,2]", "p_r[1,2]".
inline std::unordered_map<std::string, PointEntry> point_entries(const Model& model) {
  std::unordered_map<std::string, PointEntry> result;
  for (std::int64_t j = 0; j < model.dimension(); ++j) {
    const std::string name = entry_name(model, j);
    result.emplace(name, PointEntry{PointPart::q, static_cast<std::size_t>(j)});
    result.emplace("p_" + name, PointEntry{PointPart::p, static_cast<std::size_t>(j)});
  }
  for (const auto& state : model.states)
    for (std::int64_t j = state.offset; j < state.offset + state.size(); ++j)
      result.emplace(state_entry_name(model, j), PointEntry{PointPart::s, static_cast<std::size_t>(j)});
  return result;
}

}  // namespace cotangent
