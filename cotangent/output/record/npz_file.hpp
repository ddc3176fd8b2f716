#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/output/record/row_fingerprint.hpp"

namespace cotangent {

/// An archive of arrays of NumPy, one for each field: "r" of r[5,3] is (records, 5, 3). Beside them are the members
/// model.toml, description.json and, when the run is over, result.json.
///
/// The archive is written at the end, and with each checkpoint, as a whole. Until then rows wait in a file without a
/// name on the same disk, and memory has few of them.
class NpzFile final : public RecordFile {
 public:
  /// See open_record(). @throws FileError, std::runtime_error
  NpzFile(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields, RecordAbout about,
          const RecordOptions& options, const std::optional<WrittenPart>& after = {});
  ~NpzFile() override;

  void add(std::span<const double> row) override;
  void add(std::span<const Quad> row) override;
  void flush() override;
  void finish() override;
  void conclude(const std::string& result) override;
  WrittenPart written() const override;

 private:
  struct Column {
    std::string name;
    std::size_t first, size;  ///< in a row
    std::vector<std::int64_t> shape;
  };

  void expect_part(const WrittenPart& part);
  void spool();
  void replace();
  void write_column(class ZipWriter& zip, const Column& column);

  std::string path_;
  std::optional<ReplacedFile> file_;  // until the end of the run is told
  RecordAbout about_;
  int compression_;
  std::vector<Column> columns_;
  std::size_t width_ = 1;  // numbers of a row
  Descriptor spool_;
  std::int64_t rows_ = 0;       // in the spool
  RowFingerprint fingerprint_;  // of them
  std::vector<double> waiting_, converted_;
  std::string result_;
  bool is_begun_ = false, is_broken_ = false, is_current_ = false;
};

}  // namespace cotangent
