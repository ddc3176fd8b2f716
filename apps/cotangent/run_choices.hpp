#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/kernel/kernel.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/simulation/adaptive_options.hpp"
#include "cotangent/simulation/time_grid.hpp"
#include "run_options.hpp"

/// What the options come to, before anything expensive is done.
struct RunChoices {
  std::string precision, backend;
  bool uses_alternative = false;  ///< hamiltonian_alternative in place of H
  cotangent::InitialPolicy initial;
  cotangent::TimeGridOptions grid;                     ///< of fixed steps
  std::optional<cotangent::AdaptiveOptions> adaptive;  ///< instead of them
  std::vector<std::string> monitors;
  std::vector<std::string> signals;  ///< whose periodograms are asked for
};

/// How the functions of a run are evaluated.
cotangent::Backend backend_of(const RunChoices& choices);

/// @throws cotangent::ModelError or UsageError for options that make no sense.
RunChoices choose(const RunOptions& options);

/// The words of a list such as "energy, momentum".
std::vector<std::string> split_at_commas(const std::string& text);

/// What is watched: what was asked for or is usual, and what certificates and references need.
/// @throws cotangent::ModelError for monitors that there are not.
std::vector<std::string> choose_monitors(const RunOptions& options);

/// What was asked for, or what suits the method.
cotangent::Controller choose_controller(const RunOptions& options, const cotangent::MethodFacts& facts);

/// A note for each option that was given but changes nothing in this combination; for those of projections and
/// formulations see projection_choice.hpp and formulation_choice.hpp.
std::vector<std::string> idle_options(const RunOptions& options, const cotangent::MethodFacts& facts,
                                      std::int64_t constraints);
