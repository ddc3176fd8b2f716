#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/file.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/run/options/run_plan.hpp"

/// A file that is no checkpoint, and why.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline const cotangent::FileKind kCheckpointKind{.name = "checkpoint", .begin = "cotangent checkpoint "};

/// A file that a run writes, and how much of it was written: there a resumed run goes on.
struct WrittenFile {
  std::string path;  ///< resolved
  cotangent::WrittenPart part;

  void state(cotangent::Archive& archive);
};

/// The beginning of a checkpoint, before the state of the run: how it was asked for, and how far it is.
struct RememberedRun {
  std::string program;                 ///< its version
  cotangent::RunPlan plan;             ///< settled
  cotangent::RunPlan asked;            ///< before anything was chosen
  std::optional<std::string> record;   ///< the fingerprint of the file of --reference, if that is one
  double time = 0;                     ///< reached
  std::vector<std::string> variables;  ///< of the point, see variable_names()
  std::optional<WrittenFile> out, section_out;

  void state(cotangent::Archive& archive);
};

/// Of a text: equal for equal texts, and different for others but by a chance of 2^-64.
std::string fingerprint(const std::string& text);

/// The text of a checkpoint:
///
///   cotangent checkpoint 6
///   ...
///   checksum 0123456789abcdef      the fingerprint of all lines before
std::string checkpoint_text(const cotangent::Archive& archive);

/// Whether a file begins as a checkpoint does.
bool is_checkpoint(const std::string& path);

/// Everything between the first line and the checksum, for reading.
/// @throws CheckpointError for what is no checkpoint, or no whole one; cotangent::FileError
cotangent::Archive read_checkpoint(const std::string& path);
