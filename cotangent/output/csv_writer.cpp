#include "cotangent/output/csv_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/entries.hpp"
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
    : path_(std::move(path)), values_(manifold) {
  const auto append_places = [](std::vector<std::int64_t>& order, const auto& variables) {
    for (const auto& variable : variables)
      for (const std::int64_t entry : entries_in_reading_order(variable.shape, variable.offset)) order.push_back(entry);
  };
  append_places(order_, model.coordinates);
  append_places(state_order_, model.states);
  std::string header = "t";
  for (const char* prefix : {"", "p_"})
    for (const std::int64_t entry : order_) append_name(header, prefix + entry_name(model, entry));
  for (const std::int64_t entry : state_order_) append_name(header, state_entry_name(model, entry));
  for (const auto& rows : manifold.system().elements().observable_rows)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) append_name(header, rows.row_name(r));
  for (const auto& monitor : monitors.list()) append_name(header, monitor->full_name());
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
  const auto add = [&](const T& x) {
    buffer_ += ',';
    append_number(buffer_, x);
  };
  append_number(buffer_, z.t);
  for (const std::int64_t entry : order_) add(z.q[static_cast<std::size_t>(entry)]);
  for (const std::int64_t entry : order_) add(z.p[static_cast<std::size_t>(entry)]);
  for (const std::int64_t entry : state_order_) add(z.s[static_cast<std::size_t>(entry)]);
  for (const T& observable : values_.observables(z)) add(observable);
  for (const auto& monitor : monitors.list()) add(monitor->current());
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
