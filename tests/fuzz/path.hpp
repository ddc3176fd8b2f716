#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cotangent::fuzz {

/// How far a text came on the way to numbers.
enum class Reached : std::uint8_t {
  text,      ///< it was refused by the reader
  model,     ///< its index lists were refused, or it is too large to go on here
  elements,  ///< its functions were compiled; its initial data were refused
  numbers,   ///< everything was evaluated at the initial data
};

/// The whole path: text -> model -> elements -> kernels -> values at the initial data. Lines "#--set NAME=VALUE" are
/// overrides, as on the command line.
///
/// Input that is wrong ends in a smaller value; everything else (another exception, a crash, a broken invariant) is a
/// defect of the library and is let through.
Reached follow_path(const std::string& text);

/// The models that mutants are made of: tests/fuzz/corpus, models and the examples of docs/model-files.md.
std::vector<std::string> seeds();

}  // namespace cotangent::fuzz
