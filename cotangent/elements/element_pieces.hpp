#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/derivatives/pieces.hpp"
#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// A family whose function is put together of pieces: see pieces.hpp.
struct PiecewiseFamily {
  /// What the family is a part of; `group`: of inner sums that others use.
  enum class Of : std::uint8_t { energy, constraint, dissipation, force, rate, group };

  Of of = Of::energy;
  Family family;
  Pieces pieces;
};

/// The families of everything that moves a system, as far as they have pieces, in expressions of a graph that is built
/// upon that of the elements. Observables and invariants do not count.
std::vector<PiecewiseFamily> piecewise_families(const Elements& elements, Graph& graph);

/// The same elements with one smooth function in place of each function that has pieces: see blended(). Null if none
/// has. The arbitrary numbers are others in each instance.
std::shared_ptr<const Elements> blended_elements(const Elements& elements);

}  // namespace cotangent
