#pragma once

/// Everything that a program needs to run models: see docs/library.md.

#include "cotangent/run/run.hpp"
