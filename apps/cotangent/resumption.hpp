#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint_file.hpp"
#include "commands.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/run/parts/run_records.hpp"

/// A run that is resumed: what its checkpoint says of it, and the state that follows.
struct Resumption {
  RememberedRun run;
  cotangent::Archive archive;

  /// How much of the files of a plan is kept; nothing of others.
  cotangent::WrittenParts kept(const cotangent::RunPlan& plan) const;
};

/// Reads the checkpoint of --resume, if there is one, and takes from it the model and what is set there.
/// @throws cotangent::ModelError or UsageError for files that are no checkpoints, and for another model.
std::optional<Resumption> read_resumption(RunRequest& request);

/// Refuses times, records of it and a record to compare with, with which the run would not be the same. @throws
/// cotangent::ModelError
void check_resumption(const Resumption& resumption, const cotangent::RunPlan& plan, const cotangent::RunWords& words);

/// Remarks about it, for the user.
cotangent::Notes resumption_notes(const Resumption& resumption, const cotangent::RunPlan& plan,
                                  const cotangent::RunWords& words);

/// The part of a checkpoint that says how a run was asked for.
/// @param asked the plan before anything was chosen.
RememberedRun remember(cotangent::RunPlan asked, const cotangent::RunWords& words);
