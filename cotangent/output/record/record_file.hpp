#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/file.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/output/record_table.hpp"

namespace cotangent {

/// The beginning of a file, as it was written: where a resumed run goes on, if the file is still the same up to there.
struct WrittenPart {
  std::int64_t bytes = 0;  ///< of a text; of other files the records
  std::string fingerprint;
  std::string rest;  ///< what could not be written, as a text

  void state(Archive& archive) { archive("bytes", bytes, "fingerprint", fingerprint, "rest", rest); }
};

/// What a file says of the run that it records.
struct RecordAbout {
  std::string description;             ///< a JSON object
  std::string model;                   ///< the text of the model; empty if there is none
  std::vector<std::string> variables;  ///< "x", "r[5,3]": see FileKind
};

/// A file of records, which grows by a row of numbers for each: the time, then what the fields have.
class RecordFile {
 public:
  virtual ~RecordFile() = default;

  /// Once something could not be written rows are kept, and nothing more is tried: written() has them.
  /// @throws std::runtime_error
  virtual void add(std::span<const double> row) = 0;
  /// Of files of doubles the numbers are rounded.
  virtual void add(std::span<const Quad> row) = 0;

  /// All rows so far are in the file, and on the disk, as far as there is one. @throws std::runtime_error
  virtual void flush() = 0;

  /// After the last row: the same. @throws std::runtime_error
  virtual void finish() = 0;

  /// The end of the run, a JSON object, is said in the file too. @throws std::runtime_error
  virtual void conclude(const std::string& result) = 0;

  /// The file as it is.
  virtual WrittenPart written() const = 0;
};

/// What stands at the end of a name: ".csv", ".npz", ".h5".
std::string record_ending(const std::string& path);

/// The endings of records that can be written, ".csv, .npz or .h5".
bool is_record_ending(const std::string& ending);

/// The files that are records of a model, of the kind that the ending of a path says: they may be replaced. A record
/// has all variables of the model (CSV) or says that it is one of such a model.
FileKind record_kind(const Model& model, const std::string& path);

/// How a record is written.
struct RecordOptions {
  int compression = 1;  ///< 0: none; up to 9
};

/// Opens the file, or creates it, and changes nothing before the first row. The path "-" is standard output.
/// @param after goes on with a file that exists, after this part of it; what was written behind it is cut off.
/// @throws FileError, std::runtime_error
std::unique_ptr<RecordFile> open_record(const std::string& path, const FileKind& kind,
                                        const std::vector<RecordField>& fields, const RecordAbout& about,
                                        const RecordOptions& options = {},
                                        const std::optional<WrittenPart>& after = {});

/// The names of variables of a model with their shapes, "r[5,3]": the same for models whose points have the same names.
std::vector<std::string> variable_names(const Model& model);

}  // namespace cotangent
