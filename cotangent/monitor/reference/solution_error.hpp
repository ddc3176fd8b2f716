#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// The kinds of numbers of a point: coordinates, momenta, states. Each has units of its own.
enum class PointPart : std::uint8_t { q, p, s };
inline constexpr std::array kPointParts{PointPart::q, PointPart::p, PointPart::s};

/// "q", "p", "s".
inline const char* name_of(PointPart part) { return std::array{"q", "p", "s"}[static_cast<std::size_t>(part)]; }

/// The larger of two; the second also where it is not a number.
template <class T>
T larger(const T& largest, const T& x) {
  return select((largest < x) | (x != x), x, largest);
}

/// The largest |x_j - y_j| of the first `count`; not a number where one of them is none.
template <class T>
T largest_difference(const std::vector<T>& x, const std::vector<T>& y,
                     std::size_t count = std::numeric_limits<std::size_t>::max()) {
  T largest(0);
  for (std::size_t j = 0; j < std::min(count, x.size()); ++j) largest = larger(largest, T(abs(x[j] - y[j])));
  return largest;
}

/// How far two solutions are apart: the largest difference in a coordinate, in a momentum and in a state.
template <class T>
struct SolutionError {
  T q = T(0), p = T(0), s = T(0);

  static SolutionError unknown() {
    const T none(std::numeric_limits<double>::quiet_NaN());
    return {none, none, none};
  }

  T& operator[](PointPart part) { return part == PointPart::q ? q : part == PointPart::p ? p : s; }
  const T& operator[](PointPart part) const { return const_cast<SolutionError&>(*this)[part]; }

  /// Of all numbers, in whatever units.
  T largest() const { return larger(larger(q, p), s); }
};

/// The work done, the last of the states, is no part of the solution.
template <class T>
SolutionError<T> solution_difference(const PhasePoint<T>& z, const PhasePoint<T>& other, const Elements& elements) {
  return {largest_difference(z.q, other.q), largest_difference(z.p, other.p),
          largest_difference(z.s, other.s, static_cast<std::size_t>(elements.states))};
}

}  // namespace cotangent
