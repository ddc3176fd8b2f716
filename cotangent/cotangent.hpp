#pragma once

/// Everything that a program needs to run models: see docs/library.md.

#include "cotangent/run/compare/compare.hpp"
#include "cotangent/run/evaluation.hpp"
#include "cotangent/run/initial_files.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/run.hpp"
#include "cotangent/system/black_box/black_box_check.hpp"
