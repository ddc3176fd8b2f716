#include "cotangent/system/places.hpp"

namespace cotangent {

Expr Places::symbol(int vector, const IndexMap& at) {
  const IndexMap map = count_ == 1 ? IndexMap::fixed(at(0)) : at;
  for (const auto& load : loads_)
    if (load.vector == vector && load.at == map) return load.symbol;
  loads_.push_back({graph_->numbered_symbol(loads_.size()), vector, map});
  return loads_.back().symbol;
}

}  // namespace cotangent
