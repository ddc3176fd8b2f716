#pragma once

#include "cotangent/model/model.hpp"
#include "resumption.hpp"

/// One run over numbers of type T, from symbols to the summary that is printed.
/// @param remembered what checkpoints say of how the run was asked for. @param resumption a null pointer for a run from
/// t = 0.
/// @return the exit status. @throws cotangent::ModelError or UsageError for what cannot be done, and
/// cotangent::ArchiveError for a checkpoint of another run.
template <class T>
int run_in_precision(const cotangent::Model& model, const cotangent::RunPlan& plan, const cotangent::RunWords& words,
                     RememberedRun remembered, Resumption* resumption);
