#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/operation/contraction.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {

/// The index lists turned around: a run of consecutive coordinates j = first + i that occur in the same slots of the
/// same families, in consecutive instances.
///
/// A gradient can be scattered (each instance adds to its coordinates) or gathered (each coordinate collects from the
/// instances that use it). Gathering writes every coordinate once and can be fused with whatever is done to it next;
/// it pays where coordinates fall into few runs: the interior of a chain is one.
struct Incidence {
  struct Term {
    const Family* family;
    std::size_t slot;
    std::int64_t instance;  ///< coordinate first + i is in that slot of instance + i
  };
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::vector<Term> terms;
};

/// Into how many kernels an operation is cut, at most: each takes time to compile.
inline constexpr std::size_t kMaxPieces = 48;

/// Runs that cover all n coordinates; nothing if there are more than kMaxPieces, or if index lists are not of stride
/// one, or if group variables are involved.
std::optional<std::vector<Incidence>> incidences(const std::vector<Family>& families, std::int64_t n);

/// What the symbols of a family stand for in a kernel with its instances `instance`, where q is read from a vector.
Replacement symbols_at(const ContractionBuilder& builder, const Family& family, const IndexMap& instance,
                       std::int64_t count, int q, Places& places);

/// The derivative of sum f (or sum u f with weights u by row) with respect to the coordinates of a run, with q from the
/// vector in::q.
Expr gathered_gradient(const Incidence& run, const ContractionBuilder& builder, Places& places, bool weighted);

}  // namespace cotangent
