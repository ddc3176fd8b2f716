#include "cotangent/output/record/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "cotangent/output/json.hpp"
#include "cotangent/output/number.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;

const FileKind kDescriptionKind{.name = "description of a record", .begin = "{\n  \"cotangent\":"};

std::string as_text(const Fingerprint& fingerprint) { return fmt::format("{:016x}", fingerprint.value()); }

}  // namespace

std::string csv_header(const std::vector<RecordField>& fields) {
  std::string line = "t";
  for (const RecordField& field : fields)
    for (const std::string& name : field.columns) {
      const bool quotes = name.find(',') != name.npos;
      line += quotes ? ",\"" + name + '"' : ',' + name;
    }
  return line;
}

std::string description_beside(const std::string& path) { return resolve(path) + ".json"; }

std::string mark_of_header(std::string_view line) {
  Fingerprint mark;
  mark.add(line);
  return as_text(mark);
}

CsvFile::CsvFile(const std::string& path, const FileKind& kind, const std::vector<RecordField>& fields,
                 const RecordAbout& about, const std::optional<WrittenPart>& after)
    : file_(path, kind, after ? "" : csv_header(fields) + '\n'), description_(about.description) {
  // A stream has no name that another file could lie beside.
  if (!file_.is_stream() && !description_.empty()) {
    beside_.emplace(description_beside(path), kDescriptionKind);
    description_ = joined_objects(description_, Json::object({{"header", mark_of_header(csv_header(fields))}}).text());
  }
  if (after) {
    expect_part(*after);
    return;
  }
  const std::string header = csv_header(fields) + '\n';
  if (!file_.is_created()) {
    buffer_ = header;
    return;
  }
  fingerprint_.add(header);
  written_ = static_cast<std::int64_t>(header.size());
}

// Another run may have written a file of the same name.
void CsvFile::expect_part(const WrittenPart& part) {
  const auto refuse = [this](const char* reason) {
    throw std::runtime_error(fmt::format("cannot go on writing {}: {}; use another file", file_.path(), reason));
  };
  if (file_.is_created()) refuse("the file that the run has begun is gone");
  while (written_ < part.bytes) {
    const std::string piece =
        file_.read(written_, static_cast<std::size_t>(std::min<std::int64_t>(part.bytes - written_, kBufferSize)));
    if (piece.empty()) break;
    fingerprint_.add(piece);
    written_ += static_cast<std::int64_t>(piece.size());
  }
  if (written_ != part.bytes || as_text(fingerprint_) != part.fingerprint)
    refuse("it is not what the run that is resumed has written");
  buffer_ = part.rest;
}

CsvFile::~CsvFile() {
  if (!is_begun_ || is_finished_) return;
  try {
    write();
  } catch (const std::runtime_error&) {
    // There is nobody left who could be told.
  }
}

void CsvFile::begin() {
  if (is_begun_) return;
  is_begun_ = is_broken_ = true;
  file_.begin(written_);
  is_broken_ = false;
  if (!beside_) return;
  try {
    beside_->replace(description_ + '\n');
  } catch (const FileError&) {
    // The record comes first; conclude() tries again, and tells.
  }
}

template <class T>
void CsvFile::add_line(std::span<const T> row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k > 0) buffer_ += ',';
    append_number(buffer_, row[k]);
  }
  buffer_ += '\n';
  begin();
  if (buffer_.size() >= kBufferSize) write();
}

void CsvFile::flush() {
  begin();
  write();
  if (!is_broken_) file_.sync();
}

void CsvFile::finish() {
  begin();
  write();
  is_finished_ = true;
  file_.close();
}

void CsvFile::conclude(const std::string& result) {
  if (beside_ && is_begun_)
    beside_->replace(joined_objects(description_, Json::object({{"result", Json::raw(result)}}).text()) + '\n');
  beside_.reset();  // others may have its place
}

void CsvFile::write() {
  if (is_broken_) return;
  const std::size_t size = file_.append(buffer_);
  fingerprint_.add(std::string_view(buffer_).substr(0, size));
  written_ += static_cast<std::int64_t>(size);
  buffer_.erase(0, size);
  is_broken_ = !buffer_.empty();
  if (is_broken_) throw FileError("write", file_.path(), file_.error());
}

WrittenPart CsvFile::written() const { return {written_, as_text(fingerprint_), buffer_}; }

}  // namespace cotangent
