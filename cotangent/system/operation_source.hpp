#pragma once

#include <memory>

#include "cotangent/base/check.hpp"
#include "cotangent/system/operation.hpp"

namespace cotangent {

/// Where operations of a system come from that are not made of elements: H of a Lagrangian, H and g of a black box.
template <class T>
class OperationSource {
 public:
  virtual ~OperationSource() = default;

  /// The operation of a contraction; a null pointer for functions that are made of elements.
  /// @throws std::invalid_argument for derivatives that are of too high an order.
  virtual std::unique_ptr<Operation<T>> make(const Contraction& contraction) = 0;

  /// The values of G at DeclaredStructure::constraint_places, in that order. @pre elements have such places.
  virtual void G(const T*, const T&, T*) { check_failed("constraints without families come from the source"); }
};

}  // namespace cotangent
