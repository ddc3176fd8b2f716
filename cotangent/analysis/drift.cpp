#include "cotangent/analysis/drift.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

namespace cotangent {
namespace {

constexpr std::size_t kFewestBlocks = 16;

std::vector<SeriesBin> blocks_of(std::span<const SeriesBin> bins, std::size_t count) {
  std::vector<SeriesBin> blocks(count);
  for (std::size_t i = 0; i < bins.size(); ++i) blocks[i * count / bins.size()].add(bins[i]);
  return blocks;
}

// s_M.
double slope_error(const std::vector<SeriesBin>& blocks) {
  SeriesBin means;
  for (const SeriesBin& block : blocks) means.add(block.t_mean, block.mean);
  const double left = std::max(0.0, means.yy - means.ty * means.ty / means.tt);
  return std::sqrt(left / (static_cast<double>(blocks.size() - 2) * means.tt));
}

}  // namespace

Drift measure_drift(const Series& series) {
  Drift drift;
  const auto bins = series.bins();
  const SeriesBin all = series.all();
  if (all.tt > 0) drift.slope = all.ty / all.tt;
  if (bins.size() < kFewestBlocks) return drift;
  for (const SeriesBin& block : blocks_of(bins, kFewestBlocks))
    drift.oscillation = std::max(drift.oscillation, block.max - block.min);
  drift.is_settled = bins.size() >= 4 * kFewestBlocks;
  drift.error = 0;
  double shorter = 0;
  for (std::size_t count = std::bit_floor(bins.size()); count >= kFewestBlocks; count /= 2) {
    const double error = slope_error(blocks_of(bins, count));
    if (count > 2 * kFewestBlocks) {
      shorter = std::max(shorter, error);
      continue;
    }
    const double chance = 1 / std::sqrt(2 * static_cast<double>(count - 1));
    if (error > (1 + chance) * shorter) drift.is_settled = false;
    drift.error = std::max(drift.error, error);
  }
  if (!drift.is_settled) drift.error *= std::sqrt(static_cast<double>(kFewestBlocks));
  return drift;
}

}  // namespace cotangent
