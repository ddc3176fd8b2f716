#pragma once

#include "cotangent/run/plan_run.hpp"

/// Refuses a run that would write a file twice, over one that it reads (the same file, however it is spelt), or where
/// there is no place for one.
void check_files(const cotangent::RunPlan& plan, const cotangent::RunWords& words);
