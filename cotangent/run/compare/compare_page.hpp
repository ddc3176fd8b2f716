#pragma once

#include "cotangent/report/page_data.hpp"
#include "cotangent/run/compare/compare.hpp"

namespace cotangent {

/// The page of a comparison: its recommendation, work against error with a line for each way to make steps, and
/// its table.
PageData page_of(const Comparison& comparison, const Model& model, const PageOrigin& origin);

}  // namespace cotangent
