#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A coordinate, a momentum or a state of a point.
struct PointEntry {
  enum class Part : std::uint8_t { q, p, s };

  Part part;
  std::size_t place;

  template <class T>
  const T& of(const PhasePoint<T>& z) const {
    return (part == Part::q ? z.q : part == Part::p ? z.p : z.s)[place];
  }
};

/// All of them by the names that users know: "x", "p_x", "r[1,2]", "p_r[1,2]".
std::unordered_map<std::string, PointEntry> point_entries(const Model& model);

}  // namespace cotangent
