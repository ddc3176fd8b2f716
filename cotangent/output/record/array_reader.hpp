#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cotangent {

/// Reads arrays of numbers, and texts, from a file of them.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;

  /// Of a member that is a text; empty if there is none of that name.
  virtual std::string text(const std::string& name) = 0;

  /// Of the arrays of floating-point numbers.
  virtual std::vector<std::string> names() = 0;
  virtual std::vector<std::int64_t> shape(const std::string& name) = 0;
  /// Rows from the first on, the last index running fastest.
  virtual std::vector<double> read(const std::string& name, std::int64_t first, std::int64_t count) = 0;
};

/// @throws std::runtime_error
std::unique_ptr<ArrayReader> read_npz_file(const std::filesystem::path& file);
std::unique_ptr<ArrayReader> read_hdf5_file(const std::filesystem::path& file);

}  // namespace cotangent
