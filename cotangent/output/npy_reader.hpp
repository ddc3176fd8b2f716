#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
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

/// The same from a stream; `name` stands in messages.
NpyArray read_npy(std::istream& stream, const std::string& name, std::int64_t most);

/// Its shape alone. @throws std::runtime_error
std::vector<std::int64_t> npy_shape(std::istream& stream, const std::string& name);

}  // namespace cotangent
