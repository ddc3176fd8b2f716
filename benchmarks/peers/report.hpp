#pragma once

#include <string>
#include <vector>

#include "benchmarks/peers/measure.hpp"

namespace cotangent::peers {

/// A problem with all that was measured on it.
struct Result {
  Task task;
  double reference_error = 0;
  std::vector<Measured> measured;
  std::vector<std::string> left_out;
};

/// A target of the project with the figure that was measured.
struct Target {
  std::string what;
  double figure = 0, most = 0;
  double noise = 0;
};

/// The table of ratios: for each method the time of its cheapest setting that meets the wanted error, relative to the
/// fastest peer.
std::string ratio_table(const std::vector<Result>& results);

std::string target_table(const std::vector<Target>& targets);

/// docs/benchmarks.md, and the pictures that it shows in the folder of the same name.
void write_page(const std::string& docs, const std::vector<Result>& results, const std::vector<Target>& targets,
                const std::vector<std::string>& absent);

}  // namespace cotangent::peers
