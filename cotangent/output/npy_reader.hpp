#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace cotangent {

/// An array of numbers, the last index running fastest.
struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// Reads a file of NumPy, as numpy.save writes it: floating-point numbers or integers of 4 or 8 bytes, little-endian.
/// @param most numbers that are read; no more memory is taken than for these.
/// @throws std::runtime_error with the reason, or FileError.
NpyArray read_npy(const std::filesystem::path& file, std::int64_t most);

}  // namespace cotangent
