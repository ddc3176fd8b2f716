#pragma once

#include <utility>
#include <vector>

#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// Vectors of some kinds, for each stage of a method.
using Stages = std::vector<std::vector<scheme::Vec>>;

/// One after the other as one vector, and back: for each kind the number of its vectors, and their size.
scheme::Vec joined(const Stages& kinds);
Stages parts(const scheme::Writer& w, scheme::Vec x,
             const std::vector<std::pair<std::size_t, std::size_t>>& counts_and_sizes);

/// The polynomials through what the step before has found at its nodes c, at the nodes of this one; or what is given
/// for every node of the first step.
std::vector<scheme::Vec> continued(const scheme::Writer& w, const scheme::Remembered& before,
                                   const std::vector<Quad>& c, const std::vector<scheme::Vec>& found);

using SquareMatrix = std::vector<std::vector<Quad>>;
SquareMatrix inverse_of(const SquareMatrix& a);

}  // namespace cotangent
