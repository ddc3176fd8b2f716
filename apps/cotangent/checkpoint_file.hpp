#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/output/csv_writer.hpp"
#include "cotangent/run/options/run_plan.hpp"

/// A checkpoint that cannot be written or read, and why.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that a run writes, and how much of it was written: there a resumed run goes on.
struct WrittenFile {
  std::string path;  ///< absolute
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
  std::vector<std::string> variables;  ///< of the point, see variables_of()
  std::optional<WrittenFile> out, section_out;

  void state(cotangent::Archive& archive);
};

/// Of a text: equal for equal texts, and different for others but by a chance of 2^-64.
std::string fingerprint(const std::string& text);

/// The text of a file. @throws CheckpointError
std::string read_text(const std::string& path);

/// Writes FILE.tmp and renames it, so that FILE is a whole checkpoint at any time:
///
///   cotangent checkpoint 5
///   ...
///   checksum 0123456789abcdef      the fingerprint of all lines before
///
/// @throws CheckpointError
void write_checkpoint(const std::string& path, const cotangent::Archive& archive);

/// Whether there will be a place for it. @throws CheckpointError if not.
void expect_writable(const std::string& path);

/// Whether a file begins as a checkpoint does.
bool is_checkpoint(const std::string& path);

/// Everything between the first line and the checksum, for reading.
/// @throws CheckpointError for what is no checkpoint, or no whole one.
cotangent::Archive read_checkpoint(const std::string& path);
