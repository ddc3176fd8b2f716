#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/appended_file.hpp"
#include "cotangent/base/fingerprint.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/output/record/record_file.hpp"

namespace cotangent {

/// The first line of a table, `t,x,"r[1,2]"`.
std::string csv_header(const std::vector<RecordField>& fields);

/// The file that describes a table, which lies beside it: FILE.csv.json. Links are followed. @throws FileError
std::string description_beside(const std::string& path);

/// What the description says of the first line of its table: a description that was left behind says nothing of others.
std::string mark_of_header(std::string_view line);

/// A table: a header line and a line for each record,
///
///   t,x,y,p_x,p_y,energy,position,momentum
///
/// with `x[1]`, `r[1,2]` for array entries (the latter in quotes, because of its comma) and every number in the
/// shortest form that reads back as the same number. The header is there from the first moment on. Whatever happens,
/// the file ends with a whole line; only where the process is killed while the system writes, the beginning of a row
/// may follow (see AppendedFile::append). Beside it, in FILE.csv.json, lies what it is a record of.
class CsvFile final : public RecordFile {
 public:
  /// See open_record(). @throws FileError
  CsvFile(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
          const RecordAbout& about, const std::optional<WrittenPart>& after = {});
  ~CsvFile() override;

  void add(std::span<const double> row) override { add_line(row); }
  void add(std::span<const Quad> row) override { add_line(row); }
  void flush() override;
  void finish() override;
  void conclude(const std::string& result) override;
  WrittenPart written() const override;

 private:
  template <class T>
  void add_line(std::span<const T> row);
  void expect_part(const WrittenPart& part);
  void begin();
  void write();

  AppendedFile file_;
  std::optional<ReplacedFile> beside_;
  std::string description_;
  std::string buffer_;        // lines that are not written
  std::int64_t written_ = 0;  // bytes
  Fingerprint fingerprint_;   // of them
  bool is_begun_ = false, is_broken_ = false, is_finished_ = false;
};

}  // namespace cotangent
