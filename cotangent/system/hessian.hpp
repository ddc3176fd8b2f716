#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/triplets.hpp"

namespace cotangent {

/// A block of second derivatives of a scalar function as a sparse matrix in triplets, L_vv say.
///
/// The pattern is that of the element functions. Where the function contains functions of sums the block is full and
/// found column by column.
template <class T>
class Hessian {
 public:
  /// The largest number of columns for which a full block is accepted.
  static constexpr std::int64_t kMaxFull = 2000;

  /// @param rows and columns are Space::q, p or v. @param system must outlive this.
  /// @throws std::invalid_argument if the block is full and larger than kMaxFull.
  Hessian(System<T>& system, Contraction::Of of, Space rows, Space columns);

  const std::vector<TripletPlace>& entries() const { return product_ ? full_ : triplets_.places(); }

  /// Whether the values depend on an argument.
  bool depends_on(Space space) const { return depends_[static_cast<std::size_t>(space)]; }

  /// values[e] for each entry, at the arguments of the frame, whose output is changed. Does not allocate once it has
  /// been called.
  void evaluate(Frame<T>& frame, T* values);

 private:
  void plan_families(const std::vector<Family>& families, Space rows, Space columns);
  void plan_full(Contraction::Of of, Space rows, Space columns);

  System<T>& system_;
  Triplets<T> triplets_;
  std::vector<char> depends_;

  // A full block: products with unit vectors.
  std::vector<TripletPlace> full_;
  const Operation<T>* product_ = nullptr;
  int direction_ = 0;
  std::vector<T> unit_;
};

COTANGENT_DECLARE(NUMBERS, Hessian);

}  // namespace cotangent
