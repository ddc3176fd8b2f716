#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cotangent/output/record/zip_reader.hpp"

namespace cotangent {

/// Reads arrays of numbers from an archive of NumPy.
class NpzReader {
 public:
  /// @throws std::runtime_error
  explicit NpzReader(const std::filesystem::path& file) : zip_(file), path_(file.string()) {}

  /// Of a member that is a text; empty if there is none of that name.
  std::string text(const std::string& name) { return zip_.has(name) ? zip_.read(name) : std::string(); }

  /// Of arrays, without the ending .npy.
  std::vector<std::string> names() const;
  std::vector<std::int64_t> shape(const std::string& name);
  /// The last index running fastest.
  std::vector<double> read(const std::string& name);

 private:
  std::string where(const std::string& name) const { return path_ + ", '" + name + "',"; }

  ZipReader zip_;
  std::string path_;
};

}  // namespace cotangent
