#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/output/record/record_file.hpp"
#include "cotangent/output/record/row_fingerprint.hpp"

namespace cotangent {

/// A file with an array of doubles for each field and for the times "t": "r" of r[5,3] is (records, 5, 3). Beside them
/// are the texts of record_members.hpp.
class ArrayFile : public RecordFile {
 public:
  using RecordFile::add;
  void add(std::span<const Quad> row) final;

 protected:
  struct Column {
    std::string name;
    std::size_t first, size;  ///< in a row
    std::vector<std::int64_t> shape;
  };

  ArrayFile(std::string path, const std::vector<RecordField>& fields);

  /// A resumed run finds something else than it has written. @throws std::runtime_error
  [[noreturn]] void refuse(const char* reason) const;
  static constexpr const char* kOther = "it is not what the run that is resumed has written";
  static constexpr const char* kGone = "the file that the run has begun is gone";

  std::string path_;
  std::vector<Column> columns_;  // the time first
  std::size_t width_ = 1;        // numbers of a row

 private:
  std::vector<double> converted_;
};

std::string as_text(const RowFingerprint& fingerprint);

/// The parameters are those of open_record(). @throws FileError, std::runtime_error
std::unique_ptr<RecordFile> open_npz_file(const std::string& path, const FileKind& kind,
                                          const std::vector<RecordField>& fields, const RecordAbout& about,
                                          const RecordOptions& options, const std::optional<WrittenPart>& after);
std::unique_ptr<RecordFile> open_hdf5_file(const std::string& path, const FileKind& kind,
                                           const std::vector<RecordField>& fields, const RecordAbout& about,
                                           const RecordOptions& options, const std::optional<WrittenPart>& after);

}  // namespace cotangent
