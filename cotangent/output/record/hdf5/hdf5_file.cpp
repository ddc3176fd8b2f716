#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cotangent/base/appended_file.hpp"
#include "cotangent/output/record/array_file.hpp"
#include "cotangent/output/record/hdf5/hdf5.hpp"
#include "cotangent/output/record/record_members.hpp"
#include "cotangent/output/record/rows_text.hpp"

namespace cotangent {
namespace {

// All chunks that are waited for take about a megabyte together, as long as a row does not take more.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20, kMostChunkRows = 4096;
constexpr hsize_t kResultChunk = 4096;  // bytes

std::vector<hsize_t> with_rows(std::size_t rows, const std::vector<hsize_t>& shape) {
  std::vector<hsize_t> extent{rows};
  extent.insert(extent.end(), shape.begin(), shape.end());
  return extent;
}

Hdf5Object create_dataset(hid_t file, const std::string& name, hid_t type, hid_t space, hid_t creation) {
  return {
      expect_hdf5(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "make a dataset"),
      H5Dclose};
}

void write_text(hid_t file, const char* name, const std::string& text) {
  const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  expect_hdf5(H5Tset_size(type.id(), std::max<std::size_t>(text.size(), 1)), "size a text");
  expect_hdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "size a text");
  expect_hdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), "size a text");
  const Hdf5Object dataset = create_dataset(file, name, type.id(), space.id(), H5P_DEFAULT);
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  expect_hdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write a text");
}

void set_extent(const Hdf5Object& dataset, const std::vector<hsize_t>& extent) {
  expect_hdf5(H5Dset_extent(dataset.id(), extent.data()), "let a dataset grow");
}

// A file of HDF5 with a dataset for each column, chunked and growing.
//
// Rows wait in memory until they fill a chunk. The times "t" are written last: a record that is there has all of its
// numbers, and whenever the process ends the file is whole up to the last chunk.
//
// A chunk that is compressed anew takes a new place, since readers may need the old one, and leaves a hole. So the
// last chunk is compressed when flush() writes a part of it for the first time, and again if it is full the next time;
// from a second flush() on it is not compressed, and written over in its place. The file is hardly ever larger than
// one that is not compressed, however often it is flushed.
class Hdf5File final : public ArrayFile {
 public:
  Hdf5File(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
           const RecordAbout& about, const RecordOptions& options, const std::optional<WrittenPart>& after);
  ~Hdf5File() override;

  using ArrayFile::add;
  void add(std::span<const double> row) override;
  void flush() override;
  void finish() override;
  void conclude(const std::string& result) override;
  WrittenPart written() const override;

 private:
  // A column in the file.
  struct Dataset {
    const Column& column;
    std::vector<hsize_t> shape;
    std::size_t stored = 0;  // bytes of the last chunk; 0 where it is not in the file
    Hdf5Object object = {};
  };

  void create(const RecordAbout& about);
  void expect_part(const WrittenPart& part);
  void open_datasets(hid_t file);
  void close_datasets();
  void cut();
  void find_stored_sizes();
  void begin();
  void write();
  void write_rows();
  void write_chunk(Dataset& dataset, std::size_t rows);
  void close();
  template <class F>
  void guard(const F& f);

  std::optional<AppendedFile> file_;
  Hdf5Bytes bytes_;
  std::vector<Dataset> datasets_;  // of columns that have numbers; the time is the last
  std::size_t chunk_rows_ = 1;
  int compression_;
  Hdf5Object hdf5_;
  std::vector<double> rows_;  // from that of number `base_` on
  std::vector<double> chunk_;
  std::vector<unsigned char> shuffled_, packed_;
  std::int64_t base_ = 0;       // rows before those, in whole chunks
  std::size_t in_file_ = 0;     // rows of these that are in the file as well
  RowFingerprint fingerprint_;  // of the rows before
  bool is_begun_ = false, is_broken_ = false, is_resumed_ = false;
};

Hdf5File::Hdf5File(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
                   const RecordAbout& about, const RecordOptions& options, const std::optional<WrittenPart>& after)
    : ArrayFile(path, fields), compression_(options.compression) {
  const Hdf5Use use;
  std::ranges::rotate(columns_, columns_.begin() + 1);
  for (const Column& column : columns_)
    if (column.size > 0) datasets_.push_back({column, {column.shape.begin(), column.shape.end()}});
  chunk_rows_ = std::clamp<std::size_t>(kChunkBytes / (sizeof(double) * width_), 1, kMostChunkRows);
  is_resumed_ = after.has_value();
  if (after) {
    file_.emplace(path, kind);
    bytes_ = Hdf5Bytes(file_->descriptor());
    expect_part(*after);
  } else {
    create(about);
    file_.emplace(path, kind, bytes_.held());
  }
}

// In memory: the file is to have all of this when it appears.
void Hdf5File::create(const RecordAbout& about) {
  hdf5_ = create_hdf5(bytes_);
  write_text(hdf5_.id(), kDescriptionMember, about.description);
  write_text(hdf5_.id(), kModelMember, about.model);
  const auto make_growing = [&](const std::string& name, hid_t type, const std::vector<hsize_t>& shape, hsize_t chunk,
                                bool is_packed) {
    std::vector<hsize_t> first = with_rows(0, shape), most = first, chunks = first;
    most[0] = H5S_UNLIMITED;
    chunks[0] = chunk;
    const Hdf5Object space(H5Screate_simple(static_cast<int>(first.size()), first.data(), most.data()), H5Sclose);
    const Hdf5Object creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    expect_hdf5(H5Pset_chunk(creation.id(), static_cast<int>(chunks.size()), chunks.data()), "choose chunks");
    if (is_packed) {
      expect_hdf5(H5Pset_shuffle(creation.id()), "choose a compression");
      expect_hdf5(H5Pset_deflate(creation.id(), static_cast<unsigned>(compression_)), "choose a compression");
    }
    return create_dataset(hdf5_.id(), name, type, space.id(), creation.id());
  };
  static_cast<void>(make_growing(kResultMember, H5T_STD_U8LE, {}, kResultChunk, false));
  for (Dataset& dataset : datasets_)
    dataset.object = make_growing(dataset.column.name, H5T_IEEE_F64LE, dataset.shape, chunk_rows_, compression_ > 0);
  expect_hdf5(H5Fflush(hdf5_.id(), H5F_SCOPE_GLOBAL), "begin a file");
}

void Hdf5File::open_datasets(hid_t file) {
  for (Dataset& dataset : datasets_)
    dataset.object = {expect_hdf5(H5Dopen2(file, dataset.column.name.c_str(), H5P_DEFAULT), "find a dataset"),
                      H5Dclose};
  const Hdf5Object creation(H5Dget_create_plist(datasets_.back().object.id()), H5Pclose);
  if (H5Pget_nfilters(creation.id()) == 0) {
    compression_ = 0;
  } else if (compression_ == 0) {
    compression_ = 1;
  }
}

void Hdf5File::close_datasets() {
  for (Dataset& dataset : datasets_) dataset.object.close();
}

// Another run may have written a file of the same name.
void Hdf5File::expect_part(const WrittenPart& part) {
  if (file_->is_created()) refuse(kGone);
  const auto total = static_cast<std::size_t>(part.bytes);
  try {
    const Hdf5Object file = open_hdf5(bytes_, H5F_ACC_RDONLY);
    open_datasets(file.id());
    RowFingerprint all;
    for (std::size_t row = 0; row < total; row += chunk_rows_) {
      const std::size_t count = std::min(chunk_rows_, total - row);
      rows_.assign(count * width_, 0);
      for (const Dataset& dataset : datasets_) {
        const Column& column = dataset.column;
        chunk_.resize(count * column.size);
        std::vector<hsize_t> start = with_rows(row, dataset.shape), extent = with_rows(count, dataset.shape);
        std::fill(start.begin() + 1, start.end(), 0);
        const Hdf5Object space(H5Dget_space(dataset.object.id()), H5Sclose),
            memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
        expect_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
                    "find rows");
        expect_hdf5(
            H5Dread(dataset.object.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, chunk_.data()),
            "read rows");
        for (std::size_t k = 0; k < count; ++k)
          std::copy_n(chunk_.data() + k * column.size, column.size, rows_.data() + k * width_ + column.first);
      }
      all.add(rows_);
      if (count == chunk_rows_) fingerprint_.add(rows_);
    }
    if (as_text(all) != part.fingerprint) refuse(kOther);
    close_datasets();
  } catch (const FileError&) {
    throw;
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    if (text.starts_with("cannot go on")) throw;
    refuse(kOther);
  }
  in_file_ = total % chunk_rows_;
  base_ = static_cast<std::int64_t>(total - in_file_);
  rows_.resize(in_file_ * width_);
  const std::vector<double> rest = rows_of_text(part.rest);
  rows_.insert(rows_.end(), rest.begin(), rest.end());
}

// What was written after the part that is kept.
void Hdf5File::cut() {
  const Hdf5Object file = open_hdf5(bytes_, H5F_ACC_RDWR);
  open_datasets(file.id());
  const auto rows = static_cast<std::size_t>(base_) + in_file_;
  // The times first: then there are no records that lack numbers.
  for (std::size_t k = datasets_.size(); k-- > 0;) set_extent(datasets_[k].object, with_rows(rows, datasets_[k].shape));
  const Hdf5Object result(expect_hdf5(H5Dopen2(file.id(), kResultMember, H5P_DEFAULT), "find a dataset"), H5Dclose);
  set_extent(result, {0});
  close_datasets();
}

// What the library cannot do because a write has failed is told as that.
template <class F>
void Hdf5File::guard(const F& f) {
  try {
    f();
  } catch (const FileError&) {
    is_broken_ = true;
    throw;
  } catch (const std::runtime_error& error) {
    is_broken_ = true;
    if (bytes_.error() != 0) throw FileError("write", file_->path(), bytes_.error());
    throw FileError("write", file_->path(), error.what());
  }
}

// Of the last chunk, where it is not full.
void Hdf5File::find_stored_sizes() {
  if (in_file_ == 0) return;
  for (Dataset& dataset : datasets_) {
    std::vector<hsize_t> offset = with_rows(static_cast<std::size_t>(base_), dataset.shape);
    std::fill(offset.begin() + 1, offset.end(), 0);
    hsize_t size = 0;
    expect_hdf5(H5Dget_chunk_storage_size(dataset.object.id(), offset.data(), &size), "find a chunk");
    dataset.stored = size;
  }
}

void Hdf5File::begin() {
  if (is_begun_) return;
  is_begun_ = true;
  guard([&] {
    if (is_resumed_) {
      file_->begin(static_cast<std::int64_t>(bytes_.size()));
      cut();
      hdf5_ = open_hdf5(bytes_, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE);
      open_datasets(hdf5_.id());
      find_stored_sizes();
      return;
    }
    file_->begin(file_->is_created() ? static_cast<std::int64_t>(bytes_.size()) : 0);
    if (!bytes_.release(file_->descriptor())) throw FileError("write", file_->path(), bytes_.error());
    expect_hdf5(H5Fstart_swmr_write(hdf5_.id()), "write for readers");
  });
}

void Hdf5File::add(std::span<const double> row) {
  const Hdf5Use use;
  rows_.insert(rows_.end(), row.begin(), row.end());
  if (is_broken_) return;
  begin();
  if (rows_.size() >= chunk_rows_ * width_) write();
}

void Hdf5File::write() {
  if (is_broken_) return;
  guard([&] { write_rows(); });
}

// One chunk after the other.
void Hdf5File::write_rows() {
  while (in_file_ * width_ < rows_.size()) {
    const std::size_t rows = std::min(rows_.size() / width_, chunk_rows_);
    for (Dataset& dataset : datasets_) {
      // A record that has its time has everything.
      if (&dataset == &datasets_.back()) expect_hdf5(H5Fflush(hdf5_.id(), H5F_SCOPE_LOCAL), "write rows");
      write_chunk(dataset, rows);
    }
    expect_hdf5(H5Fflush(hdf5_.id(), H5F_SCOPE_LOCAL), "write rows");
    in_file_ = rows;
    if (rows < chunk_rows_) return;
    const std::span<const double> done(rows_.data(), rows * width_);
    fingerprint_.add(done);
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(done.size()));
    base_ += static_cast<std::int64_t>(rows);
    in_file_ = 0;
    for (Dataset& dataset : datasets_) dataset.stored = 0;
  }
}

void Hdf5File::write_chunk(Dataset& dataset, std::size_t rows) {
  const Column& column = dataset.column;
  chunk_.assign(chunk_rows_ * column.size, 0);
  for (std::size_t k = 0; k < rows; ++k)
    std::copy_n(rows_.data() + k * width_ + column.first, column.size, chunk_.data() + k * column.size);
  const void* data = chunk_.data();
  std::size_t size = chunk_.size() * sizeof(double);
  std::size_t& stored = dataset.stored;
  const bool is_settled = stored == size || (stored > 0 && rows < chunk_rows_);
  std::uint32_t left_out = compression_ > 0 ? 0b11 : 0;  // of the two filters
  if (compression_ > 0 && !is_settled) {
    // As the filters of the dataset do it: the first bytes of all numbers, then the second ones, ...; then deflated.
    shuffled_.resize(size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(chunk_.data());
    for (std::size_t byte = 0; byte < sizeof(double); ++byte)
      for (std::size_t k = 0; k < chunk_.size(); ++k)
        shuffled_[byte * chunk_.size() + k] = bytes[k * sizeof(double) + byte];
    uLongf packed = compressBound(static_cast<uLong>(size));
    packed_.resize(packed + 1);
    if (compress2(packed_.data(), &packed, shuffled_.data(), static_cast<uLong>(size), compression_) != Z_OK)
      throw std::runtime_error("zlib could not compress a chunk");
    // A chunk of the same size would be written over the one before, which readers may need; bytes after the end of
    // what was deflated mean nothing.
    if (packed == stored) packed_[packed++] = 0;
    if (packed < size) {
      size = packed;
      data = packed_.data();
      left_out = 0;
    }
  }
  stored = size;
  const auto first = static_cast<std::size_t>(base_);
  set_extent(dataset.object, with_rows(first + rows, dataset.shape));
  std::vector<hsize_t> offset = with_rows(first, dataset.shape);
  std::fill(offset.begin() + 1, offset.end(), 0);
  expect_hdf5(H5Dwrite_chunk(dataset.object.id(), H5P_DEFAULT, left_out, offset.data(), size, data), "write rows");
}

void Hdf5File::flush() {
  const Hdf5Use use;
  if (!is_broken_) begin();
  write();
  if (!is_broken_) file_->sync();
}

void Hdf5File::finish() {
  const Hdf5Use use;
  if (!is_broken_) begin();
  write();
}

void Hdf5File::conclude(const std::string& result) {
  const Hdf5Use use;
  if (!is_begun_ || is_broken_) return;
  guard([&] {
    {
      const Hdf5Object dataset(expect_hdf5(H5Dopen2(hdf5_.id(), kResultMember, H5P_DEFAULT), "find a dataset"),
                               H5Dclose);
      std::string padded = result;
      padded.resize((result.size() + kResultChunk - 1) / kResultChunk * kResultChunk, ' ');
      for (hsize_t at = 0; at < padded.size(); at += kResultChunk) {
        set_extent(dataset, {std::min<hsize_t>(at + kResultChunk, result.size())});
        expect_hdf5(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &at, kResultChunk, padded.data() + at),
                    "write the result");
      }
    }
    close();
  });
}

void Hdf5File::close() {
  close_datasets();
  const bool is_closed = hdf5_.close();
  if (bytes_.error() != 0) throw FileError("write", file_->path(), bytes_.error());
  if (!is_closed) throw std::runtime_error("HDF5 could not close the file");
  file_->close();
}

Hdf5File::~Hdf5File() {
  const Hdf5Use use;
  try {
    if (is_begun_ && hdf5_) write();
  } catch (const std::runtime_error&) {
    // There is nobody left who could be told.
  }
  close_datasets();
  hdf5_.close();
}

WrittenPart Hdf5File::written() const {
  RowFingerprint all = fingerprint_;
  all.add({rows_.data(), in_file_ * width_});
  const std::span<const double> rest(rows_.data() + in_file_ * width_, rows_.size() - in_file_ * width_);
  return {base_ + static_cast<std::int64_t>(in_file_), as_text(all), rows_text(rest)};
}

}  // namespace

std::unique_ptr<RecordFile> open_hdf5_file(const std::string& path, const FileKind& kind,
                                           const std::vector<RecordField>& fields, const RecordAbout& about,
                                           const RecordOptions& options, const std::optional<WrittenPart>& after) {
  return std::make_unique<Hdf5File>(path, kind, fields, about, options, after);
}

}  // namespace cotangent
