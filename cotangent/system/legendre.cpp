#include "cotangent/system/legendre.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre_operation.hpp"

namespace cotangent {

template <class T>
std::unique_ptr<Operation<T>> Legendre<T>::make(const Contraction& contraction) {
  if (contraction.of != Contraction::Of::H) return nullptr;
  return std::make_unique<LegendreOperation<T>>(*this, contraction);
}

COTANGENT_INSTANTIATE(NUMBERS, Legendre);

}  // namespace cotangent
