#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// A place in a sparse matrix in triplets: the element at (row, column) is the sum of the values of all triplets there.
struct TripletPlace {
  std::int64_t row, column;
};

/// The part of such a matrix whose values come from the element functions of families: derivatives of them, one value
/// for each instance.
template <class T>
class Triplets {
 public:
  /// One value for each instance of a family: what it is, and where.
  struct Value {
    Expr value;
    const IndexMap* row;
    const IndexMap* column;
  };

  /// @param system must outlive this.
  explicit Triplets(System<T>& system) : system_(system) {}

  void add(const Family& family, const std::vector<Value>& values);

  /// Sets places()[e] of the result of the frame for every triplet. Does not allocate once it has been called.
  void evaluate(const Frame<T>& frame);

  const std::vector<TripletPlace>& places() const { return places_; }

 private:
  System<T>& system_;
  std::vector<TripletPlace> places_;
  std::vector<KernelSpec> specs_;  // until they are first used
  std::vector<Kernel<T>> kernels_;
};

COTANGENT_DECLARE(NUMBERS, Triplets);

}  // namespace cotangent
