#include "cotangent/system/matrix/triplets.hpp"

#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {

void TripletPlan::add(const Family& family, const std::vector<Value>& values) {
  KernelSpec spec = builder_.spec_of(family);
  for (const auto& slot : builder_.own(family).slots)
    spec.loads.push_back({slot.symbol, in::argument(slot.space), slot.at});
  for (const auto& [value, row, column] : values) {
    if (value.is_constant(0)) continue;
    const auto first = static_cast<std::int64_t>(places_.size());
    spec.stores.push_back({value, out::result, IndexMap::affine(first, 1), KernelSpec::Mode::assign});
    for (std::int64_t k = 0; k < family.count; ++k) places_.push_back({(*row)(k), (*column)(k)});
  }
  drop_unused(spec);
  if (!spec.stores.empty()) specs_.kernels.push_back(std::move(spec));
}

}  // namespace cotangent
