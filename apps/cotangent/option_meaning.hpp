#pragma once

#include <optional>
#include <string>

#include "cotangent/model/model.hpp"
#include "run_options.hpp"

/// What an option of a run means: equal texts for equal meanings, in whatever words, and whether a default was given or
/// left out.
///
///   --metric mass               what a run does without --metric
///   --monitor "wedge, energy"   --monitor energy,wedge
///   --baumgarte 10              --baumgarte 10,10
///   --section "x + y"           --section y+x
///
/// Nothing where it is not given and no value of it would mean the same.
/// @param options whose numbers are evaluated.
/// @throws cotangent::ModelError for names that there are not.
std::optional<std::string> meaning(const RunOptions& options, const cotangent::Model& model, const std::string& option);
