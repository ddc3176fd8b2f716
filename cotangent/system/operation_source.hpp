#pragma once

#include <memory>

#include "cotangent/system/operation.hpp"

namespace cotangent {

/// Where the operations of a system come from if H and g are not made of elements.
template <class T>
class OperationSource {
 public:
  virtual ~OperationSource() = default;

  /// The operation of a contraction of H or g; a null pointer for other functions.
  /// @throws std::invalid_argument for derivatives that are of too high an order.
  virtual std::unique_ptr<Operation<T>> make(const Contraction& contraction) = 0;

  /// The values of G at DeclaredStructure::constraint_places, in that order.
  virtual void G(const T* q, const T& t, T* values) = 0;
};

}  // namespace cotangent
