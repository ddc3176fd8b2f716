#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/output/record/array_file.hpp"
#include "cotangent/output/record/array_reader.hpp"
#include "cotangent/output/record/record_members.hpp"
#include "cotangent/output/record/rows_text.hpp"
#include "cotangent/output/record/zip_writer.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kWaiting = std::size_t{1} << 17;  // numbers, a megabyte

std::span<const char> as_bytes(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

// What stands before the numbers in a file of NumPy: its kind, its version, and a line that ends at a multiple of 64.
std::string npy_header(std::int64_t rows, const std::vector<std::int64_t>& shape) {
  std::string extent = fmt::format("({},", rows);
  for (const std::int64_t n : shape) extent += fmt::format(" {},", n);
  if (!shape.empty()) extent.pop_back();
  std::string line = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}), }}", extent);
  constexpr std::size_t kBefore = 10, kMultiple = 64;
  line.resize((kBefore + line.size() + kMultiple) / kMultiple * kMultiple - kBefore, ' ');
  line.back() = '\n';
  std::string header("\x93NUMPY\x01", 7);
  header += '\0';
  header += static_cast<char>(line.size() & 0xff);
  header += static_cast<char>(line.size() >> 8);
  return header + line;
}

// An archive of arrays of NumPy. It is written at the end, and with each checkpoint, as a whole. Until then rows wait
// in a file without a name on the same disk, and memory has few of them.
class NpzFile final : public ArrayFile {
 public:
  NpzFile(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields, RecordAbout about,
          const RecordOptions& options, const std::optional<WrittenPart>& after);
  ~NpzFile() override;

  using ArrayFile::add;
  void add(std::span<const double> row) override;
  void flush() override;
  void finish() override;
  void conclude(const std::string& result) override;
  WrittenPart written() const override;

 private:
  void expect_part(const WrittenPart& part);
  void spool();
  void replace();
  void write_column(ZipWriter& zip, const Column& column);

  std::optional<ReplacedFile> file_;  // until the end of the run is told
  RecordAbout about_;
  int compression_;
  Descriptor spool_;
  std::int64_t rows_ = 0;       // in the spool
  RowFingerprint fingerprint_;  // of them
  std::vector<double> waiting_;
  std::string result_;
  bool is_begun_ = false, is_broken_ = false, is_current_ = false;
};

NpzFile::NpzFile(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
                 RecordAbout about, const RecordOptions& options, const std::optional<WrittenPart>& after)
    : ArrayFile(path, fields),
      file_(std::in_place, path, kind),
      about_(std::move(about)),
      compression_(options.compression) {
  if (after) expect_part(*after);
}

void NpzFile::expect_part(const WrittenPart& part) {
  std::vector<std::vector<double>> arrays;
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) refuse(kGone);
  const auto total = static_cast<std::size_t>(part.bytes);
  try {
    const auto reader = read_npz_file(path_);
    for (const Column& column : columns_)
      arrays.push_back(reader->read(column.name, 0, reader->shape(column.name).front()));
  } catch (const std::runtime_error&) {
    refuse(kOther);
  }
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (arrays[k].size() < total * columns_[k].size) refuse(kOther);
  for (std::size_t row = 0; row < total; ++row) {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      waiting_.insert(waiting_.end(), arrays[k].begin() + static_cast<std::ptrdiff_t>(row * columns_[k].size),
                      arrays[k].begin() + static_cast<std::ptrdiff_t>((row + 1) * columns_[k].size));
    if (waiting_.size() >= kWaiting) spool();
  }
  spool();
  if (as_text(fingerprint_) != part.fingerprint) refuse(kOther);
  waiting_ = rows_of_text(part.rest);
}

NpzFile::~NpzFile() {
  if (!is_begun_ || is_current_ || is_broken_) return;
  try {
    finish();
  } catch (const std::runtime_error&) {
    // There is nobody left who could be told.
  }
}

void NpzFile::add(std::span<const double> row) {
  is_begun_ = true;
  is_current_ = false;
  waiting_.insert(waiting_.end(), row.begin(), row.end());
  if (waiting_.size() >= kWaiting) spool();
}

// Whole rows: where there is no room for all of them, as many as there is room for.
void NpzFile::spool() {
  if (is_broken_ || waiting_.empty()) return;
  if (!spool_) spool_ = file_->scratch();
  const std::size_t row_bytes = width_ * sizeof(double);
  const std::span<const char> bytes = as_bytes(waiting_);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pwrite(spool_.get(), bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(static_cast<std::size_t>(rows_) * row_bytes + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
  const int error = errno;
  const std::size_t rows = done / row_bytes;
  fingerprint_.add({waiting_.data(), rows * width_});
  rows_ += static_cast<std::int64_t>(rows);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(rows * width_));
  is_broken_ = !waiting_.empty();
  if (is_broken_) throw FileError("write", path_, error);
}

void NpzFile::write_column(ZipWriter& zip, const Column& column) {
  zip.begin(column.name + ".npy");
  const std::string header = npy_header(rows_, column.shape);
  zip.add(header);
  const std::size_t row_bytes = width_ * sizeof(double);
  const std::size_t many = std::max<std::size_t>(1, kWaiting / width_);
  std::vector<double> rows(many * width_), numbers;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); row += many) {
    const std::size_t count = std::min(many, static_cast<std::size_t>(rows_) - row);
    auto* bytes = reinterpret_cast<char*>(rows.data());
    for (std::size_t done = 0; done < count * row_bytes;) {
      const ssize_t more =
          pread(spool_.get(), bytes + done, count * row_bytes - done, static_cast<off_t>(row * row_bytes + done));
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) throw FileError("read", path_, errno);
      done += static_cast<std::size_t>(more);
    }
    numbers.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const double* begin = rows.data() + k * width_ + column.first;
      numbers.insert(numbers.end(), begin, begin + column.size);
    }
    zip.add(as_bytes(numbers));
  }
  zip.end();
}

void NpzFile::replace() {
  file_->replace([&](int file) {
    ZipWriter zip(file, path_, compression_);
    zip.add_member(kDescriptionMember, about_.description);
    zip.add_member(kModelMember, about_.model);
    for (const Column& column : columns_) write_column(zip, column);
    if (!result_.empty()) zip.add_member(kResultMember, result_);
    zip.finish();
  });
  is_current_ = true;
}

void NpzFile::flush() {
  is_begun_ = true;
  if (!is_broken_) spool();
  if (!is_current_) replace();
}

// With what is there, even if the disk has no room for more rows: perhaps it has for this.
void NpzFile::finish() { flush(); }

void NpzFile::conclude(const std::string& result) {
  if (!is_begun_ || !file_) return;
  result_ = result;
  replace();
  file_.reset();  // others may have its place
}

WrittenPart NpzFile::written() const { return {rows_, as_text(fingerprint_), rows_text(waiting_)}; }

}  // namespace

std::unique_ptr<RecordFile> open_npz_file(const std::string& path, const FileKind& kind,
                                          const std::vector<RecordField>& fields, const RecordAbout& about,
                                          const RecordOptions& options, const std::optional<WrittenPart>& after) {
  return std::make_unique<NpzFile>(path, kind, fields, about, options, after);
}

}  // namespace cotangent
