#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint_file.hpp"
#include "run_choices.hpp"
#include "run_options.hpp"

/// A run that is resumed: what its checkpoint says of it, and the state that follows.
struct Resumption {
  RememberedRun run;
  cotangent::Archive archive;

  /// How much of a file is kept; nothing if it is another one.
  static std::optional<cotangent::WrittenPart> kept(const std::optional<WrittenFile>& before,
                                                    const std::optional<std::string>& now);
};

/// A path that is the same in every folder.
std::string absolute(const std::string& path);

/// Reads the checkpoint of --resume, if there is one, and takes from it the model and what is set there.
/// @throws cotangent::ModelError or UsageError for files that are no checkpoints, and for another model.
std::optional<Resumption> read_resumption(RunOptions& options);

/// Refuses times, records of it and a record to compare with, with which the run would not be the same. @throws
/// cotangent::ModelError
void check_resumption(const Resumption& resumption, const RunOptions& options, const RunChoices& choices);

/// What there is to say about it.
std::vector<std::string> resumption_notes(const Resumption& resumption, const RunOptions& options);

/// How the run is asked for, but for what is chosen later. @pre options are complete.
RememberedRun remember(RunOptions options, const std::string& precision);
