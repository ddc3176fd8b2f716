#pragma once

#include "run_options.hpp"

/// Where errors are to be estimated and --reference does not say by what, a run with half the step does it.
void settle_reference(RunOptions& options);

/// Whether errors are measured against a record, --reference FILE.csv.
bool is_record(const RunOptions& options);
