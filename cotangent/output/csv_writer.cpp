#include "cotangent/output/csv_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/number.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;

std::string as_text(const Fingerprint& fingerprint) { return fmt::format("{:016x}", fingerprint.value()); }

void append_name(std::string& line, const std::string& name) {
  const bool quotes = name.find(',') != name.npos;
  line += quotes ? ",\"" + name + '"' : ',' + name;
}

std::string header(const std::vector<std::string>& names) {
  std::string line = "t";
  for (const std::string& name : names) append_name(line, name);
  return line;
}

}  // namespace

FileKind record_kind(const Model& model) {
  std::vector<std::string> names;
  for (const VariableColumn& column : variable_columns(model)) names.push_back(column.name);
  return {.name = "record of this model", .begin = header(names), .then = ",\n", .may_be_stream = true};
}

template <class T>
CsvWriter<T>::CsvWriter(std::string path, const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                        const std::optional<WrittenPart>& after)
    : file_(std::move(path), record_kind(model)), columns_(model, manifold, monitors) {
  if (after) {
    expect_part(*after);
    return;
  }
  buffer_ = header(columns_.names()) + '\n';
}

// Another run may have written a file of the same name.
template <class T>
void CsvWriter<T>::expect_part(const WrittenPart& part) {
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

template <class T>
CsvWriter<T>::~CsvWriter() {
  if (!is_begun_ || is_finished_) return;
  try {
    write();
  } catch (const std::runtime_error&) {
    // There is nobody left who could be told.
  }
}

template <class T>
void CsvWriter<T>::begin() {
  if (is_begun_) return;
  is_begun_ = is_broken_ = true;
  file_.begin(written_);
  is_broken_ = false;
}

template <class T>
void CsvWriter<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  append_number(buffer_, z.t);
  for (const T& x : columns_(z, monitors)) {
    buffer_ += ',';
    append_number(buffer_, x);
  }
  buffer_ += '\n';
  begin();
  if (buffer_.size() >= kBufferSize) write();
}

template <class T>
void CsvWriter<T>::flush() {
  begin();
  write();
  if (!is_broken_) file_.sync();
}

template <class T>
void CsvWriter<T>::finish() {
  begin();
  write();
  is_finished_ = true;
  file_.close();
}

template <class T>
void CsvWriter<T>::write() {
  if (is_broken_) return;
  const std::size_t size = file_.append(buffer_);
  fingerprint_.add(std::string_view(buffer_).substr(0, size));
  written_ += static_cast<std::int64_t>(size);
  buffer_.erase(0, size);
  is_broken_ = !buffer_.empty();
  if (is_broken_) throw FileError("write", file_.path(), file_.error());
}

template <class T>
WrittenPart CsvWriter<T>::written() const {
  return {written_, as_text(fingerprint_), buffer_};
}

COTANGENT_INSTANTIATE(PRECISIONS, CsvWriter);

}  // namespace cotangent
