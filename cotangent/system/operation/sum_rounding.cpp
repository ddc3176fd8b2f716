#include "cotangent/system/operation/sum_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cotangent/kernel/spec.hpp"

namespace cotangent {

double sum_rounding(const IndexMap& at, std::int64_t count) {
  double terms = 1;
  if (at.kind() == IndexMap::Kind::fixed) terms = static_cast<double>(count) / KernelSpec::kPartialSums;
  if (at.kind() == IndexMap::Kind::list) {
    std::unordered_map<std::int64_t, std::int64_t> times;
    for (std::int64_t k = 0; k < count; ++k) terms = std::max(terms, static_cast<double>(++times[at(k)]));
  }
  return std::max(1.0, std::sqrt(terms) / 2);
}

std::vector<double> row_sum_rounding(const Elements& elements) {
  std::vector<double> of_group(static_cast<std::size_t>(elements.group_count), 1);
  std::vector<double> of_row(static_cast<std::size_t>(elements.m), 1);
  const auto add = [&](const Family& family, std::vector<double>& factors) {
    const double own = sum_rounding(family.row, family.count);
    for (std::int64_t k = 0; k < family.count; ++k) {
      double inside = 1;
      for (const auto& slot : family.slots)
        if (slot.space == Space::w) inside = std::max(inside, of_group[static_cast<std::size_t>(slot.at(k))]);
      double& factor = factors[static_cast<std::size_t>(family.row(k))];
      factor = std::max(factor, own * inside);
    }
  };
  for (const Family& family : elements.groups) add(family, of_group);
  for (const Family& family : elements.constraints) add(family, of_row);
  return of_row;
}

}  // namespace cotangent
