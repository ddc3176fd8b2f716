#include "cotangent/output/csv_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
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

}  // namespace

template <class T>
CsvWriter<T>::CsvWriter(std::string path, const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                        const std::optional<WrittenPart>& after)
    : path_(std::move(path)), columns_(model, manifold, monitors) {
  std::string header = "t";
  for (const std::string& name : columns_.names()) append_name(header, name);
  open(header + '\n', after);
}

template <class T>
void CsvWriter<T>::open(const std::string& header, const std::optional<WrittenPart>& after) {
  file_ = std::fopen(path_.c_str(), after ? "r+b" : "wb");
  if (!file_ && after && errno == ENOENT)
    throw std::runtime_error(
        fmt::format("cannot go on writing {}: the file that the run has begun is gone; use another file", path_));
  if (!file_) fail();
  std::setvbuf(file_, nullptr, _IONBF, 0);
  if (!after) {
    buffer_ = header;
    return;
  }
  // Another run may have written a file of the same name.
  std::string piece;
  while (written_ < after->bytes) {
    piece.resize(static_cast<std::size_t>(std::min<std::int64_t>(after->bytes - written_, kBufferSize)));
    piece.resize(std::fread(piece.data(), 1, piece.size(), file_));
    if (piece.empty()) break;
    fingerprint_.add(piece);
    written_ += static_cast<std::int64_t>(piece.size());
  }
  const bool is_ours = written_ == after->bytes && as_text(fingerprint_) == after->fingerprint;
  const bool is_cut = is_ours && ftruncate(fileno(file_), after->bytes) == 0 && std::fseek(file_, 0, SEEK_END) == 0;
  if (is_cut) return;
  std::fclose(std::exchange(file_, nullptr));
  throw std::runtime_error(fmt::format(
      "cannot go on writing {}: {}", path_,
      is_ours ? "it is no ordinary file" : "it is not what the run that is resumed has written; use another file"));
}

template <class T>
WrittenPart CsvWriter<T>::written() {
  flush();
  return {written_, as_text(fingerprint_)};
}

template <class T>
CsvWriter<T>::~CsvWriter() {
  if (!file_) return;
  std::fwrite(buffer_.data(), 1, buffer_.size(), file_);
  std::fclose(file_);
}

template <class T>
void CsvWriter<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  append_number(buffer_, z.t);
  for (const T& x : columns_(z, monitors)) {
    buffer_ += ',';
    append_number(buffer_, x);
  }
  buffer_ += '\n';
  if (buffer_.size() >= kBufferSize) flush();
}

template <class T>
void CsvWriter<T>::finish() {
  flush();
  const int result = std::fclose(std::exchange(file_, nullptr));
  if (result != 0) fail();
}

template <class T>
void CsvWriter<T>::flush() {
  const std::size_t written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_);
  const bool complete = written == buffer_.size();
  written_ += static_cast<std::int64_t>(written);
  fingerprint_.add(buffer_);
  buffer_.clear();
  if (!complete) fail();
}

template <class T>
void CsvWriter<T>::fail() const {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

COTANGENT_INSTANTIATE(PRECISIONS, CsvWriter);

}  // namespace cotangent
