#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/output/record/hdf5/hdf5.hpp"

namespace cotangent {

/// Reads datasets of numbers, and texts, from a file of HDF5.
class Hdf5Reader {
 public:
  /// @throws std::runtime_error
  explicit Hdf5Reader(const std::filesystem::path& file);
  ~Hdf5Reader();

  /// Of a dataset of bytes or of a text; empty if there is none of that name.
  std::string text(const std::string& name);

  /// Of the datasets of floating-point numbers.
  std::vector<std::string> names();
  std::vector<std::int64_t> shape(const std::string& name);
  /// Rows from the first on, the last index running fastest.
  std::vector<double> read(const std::string& name, std::int64_t first, std::int64_t count);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  Hdf5Object dataset(const std::string& name);

  std::string path_;
  Descriptor descriptor_;
  Hdf5Bytes bytes_;
  Hdf5Object file_;
};

}  // namespace cotangent
