#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>

#include "cotangent/kernel/series_plan.hpp"

namespace cotangent {

/// Writes the plan as a function `void name(const Word* table)` of the module, see SeriesTable. It has a loop over the
/// orders, so that it is as long for all of them; k = 0 stands before that loop.
///
///   few instances   written out one by one; coefficients of the order that is being found stay in registers
///   many            loops over blocks and vectors of native_width() instances, in functions of their own
///
/// Sums over lower orders do not depend on each other: all of an instance are in one loop, or a few.
llvm::Function* emit_series(llvm::Module& module, const SeriesPlan& plan, const std::string& name);

}  // namespace cotangent
