#include "cotangent/output/record/array_file.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace cotangent {

ArrayFile::ArrayFile(std::string path, const std::vector<RecordField>& fields)
    : path_(std::move(path)), columns_{{"t", 0, 1, {}}} {
  for (const RecordField& field : fields) {
    columns_.push_back({field.name, width_, field.size(), field.shape});
    width_ += field.size();
  }
}

void ArrayFile::add(std::span<const Quad> row) {
  converted_.clear();
  for (const Quad& x : row) converted_.push_back(static_cast<double>(x));
  add(std::span<const double>(converted_));
}

void ArrayFile::refuse(const char* reason) const {
  throw std::runtime_error(fmt::format("cannot go on writing {}: {}; use another file", path_, reason));
}

std::string as_text(const RowFingerprint& fingerprint) { return fmt::format("{:016x}", fingerprint.value()); }

}  // namespace cotangent
