#pragma once

#include <memory>
#include <vector>

#include "cotangent/scheme/schedule.hpp"
#include "cotangent/system/compiled_model.hpp"

namespace cotangent {

/// A kernel whose vectors, read and written, are places of the table of a schedule.
struct FusedItems {
  std::shared_ptr<Graph> graph;  ///< of its expressions
  SpecSequence kernel;
};

/// Where the table has what belongs to the system: columns of families from `columns` on, and the sizes of the rows of
/// the last g or psi.
struct SystemPlaces {
  int columns, row_size;
};

/// In a small system the calls of operations cost more than what they compute. Items that follow each other become one
/// kernel: operations on elements with those operations of the system that are a single instance, each with the
/// expressions of those before it. The schedule then has these kernels in place of the items.
std::vector<FusedItems> fuse_items(const Scheme& scheme, Schedule& schedule, const CompiledModel& model,
                                   const SystemPlaces& places);

}  // namespace cotangent
