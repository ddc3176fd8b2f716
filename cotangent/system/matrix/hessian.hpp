#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/matrix/triplets.hpp"

namespace cotangent {

/// A block of second derivatives of a function that uses no group variables, and the arguments it depends on.
struct HessianPlan : TripletPlan {
  HessianPlan(const Elements& elements, Contraction::Of of, Space rows, Space columns);

  std::vector<char> depends;  ///< by Space
};

/// A block of second derivatives of a scalar function as a sparse matrix in triplets, L_vv say.
///
/// The pattern is that of the element functions. Where the function contains functions of sums the block is full and
/// found column by column.
template <class T>
class Hessian {
 public:
  /// @param rows and columns are Space::q, p or v. @param system must outlive this.
  /// @throws std::invalid_argument if the block is full and larger than kLimits.full.
  Hessian(System<T>& system, Contraction::Of of, Space rows, Space columns);

  const std::vector<TripletPlace>& entries() const { return product_ ? full_ : triplets_->places(); }

  /// Whether the values depend on an argument.
  bool depends_on(Space space) const { return product_ || plan_->depends[static_cast<std::size_t>(space)]; }

  /// values[e] for each entry. Does not allocate once it has been called.
  void evaluate(const At<T>& at, Writes<T> values) {
    at.set(frame_);
    evaluate(values);
  }

 private:
  void plan_full(Contraction::Of of, Space rows, Space columns);
  void evaluate(T* values);

  System<T>& system_;
  const HessianPlan* plan_ = nullptr;
  std::optional<Triplets<T>> triplets_;

  // A full block: products with unit vectors.
  std::vector<TripletPlace> full_;
  const Operation<T>* product_ = nullptr;
  int direction_ = 0;
  std::vector<T> unit_;

  Frame<T> frame_;
};

COTANGENT_DECLARE(NUMBERS, Hessian);

}  // namespace cotangent
