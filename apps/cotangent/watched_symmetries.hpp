#pragma once

#include "cotangent/model/model.hpp"
#include "run_choices.hpp"

/// For --monitor symmetries: adds the momenta that symmetries of the model conserve to its invariants, and a note that
/// names them.
void watch_symmetries(cotangent::Model& model, const RunOptions& options, const RunChoices& choices);
