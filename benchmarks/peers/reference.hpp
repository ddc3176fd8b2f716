#pragma once

#include <filesystem>

#include "benchmarks/peers/problems.hpp"

namespace cotangent::peers {

/// (q, p) of a problem at its end, integrated in quad precision; kept in a file of that folder, since it may take
/// minutes. Two runs with steps of different lengths must agree to what is returned.
struct Reference {
  Vector z;
  double error = 0;  ///< by how much they differ
};

template <class P>
Reference reference_of(const P& problem, const std::filesystem::path& folder);

}  // namespace cotangent::peers
