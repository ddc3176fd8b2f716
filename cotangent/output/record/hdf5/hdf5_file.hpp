#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/base/appended_file.hpp"
#include "cotangent/output/record/hdf5/hdf5.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/output/record/row_fingerprint.hpp"

namespace cotangent {

/// A file of HDF5 with a dataset for each field, chunked and growing: "r" of r[5,3] is (records, 5, 3). The text of the
/// model is in the dataset "model.toml", what the run was in "description.json", how it ended in "result.json".
///
/// Rows wait in memory until they fill a chunk. The times "t" are written last: a record that is there has all of its
/// numbers, and whenever the process ends the file is whole up to the last chunk.
///
/// A chunk that is compressed anew takes a new place, since readers may need the old one, and leaves a hole. So the
/// last chunk is compressed when flush() writes a part of it for the first time, and again if it is full the next time;
/// from a second flush() on it is not compressed, and written over in its place. The file is hardly ever larger than
/// one that is not compressed, however often it is flushed.
class Hdf5File final : public RecordFile {
 public:
  /// See open_record(). @throws FileError, std::runtime_error
  Hdf5File(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
           const RecordAbout& about, const RecordOptions& options, const std::optional<WrittenPart>& after = {});
  ~Hdf5File() override;

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
    std::vector<hsize_t> shape;
    Hdf5Object dataset;
  };

  void create(const RecordAbout& about);
  void expect_part(const WrittenPart& part);
  void open_columns(hid_t file);
  void cut();
  void find_stored_sizes();
  void begin();
  void write();
  void write_rows();
  void write_chunk(const Column& column, std::size_t rows);
  void close();
  template <class F>
  void guard(const F& f);

  std::optional<AppendedFile> file_;
  Hdf5Bytes bytes_;
  std::vector<Column> columns_;  // the time is the last
  std::size_t width_ = 0;        // numbers of a row
  std::size_t chunk_rows_ = 1;
  int compression_;
  Hdf5Object hdf5_;
  std::vector<double> rows_;  // from that of number `base_` on
  std::vector<double> converted_, chunk_;
  std::vector<unsigned char> shuffled_, packed_;
  std::int64_t base_ = 0;                  // rows before those, in whole chunks
  std::size_t in_file_ = 0;                // rows of these that are in the file as well
  RowFingerprint fingerprint_;             // of the rows before
  std::vector<std::size_t> stored_sizes_;  // of the last chunk of each column; 0 where it is not in the file
  bool is_begun_ = false, is_broken_ = false, is_resumed_ = false;
};

}  // namespace cotangent
