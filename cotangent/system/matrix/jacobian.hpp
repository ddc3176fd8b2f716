#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/matrix/triplets.hpp"

namespace cotangent {

/// G = dg/dq as a sparse matrix in triplets.
///
/// Methods need products with G only, and have them without it (System::G_times, G_transposed_times); this is for
/// whoever wants to look at G itself, or to hand it to a library. A constraint that is a function of an inner sum has a
/// full row.
template <class T>
class Jacobian {
 public:
  /// @param system must outlive this.
  explicit Jacobian(System<T>& system);

  const std::vector<TripletPlace>& entries() const { return entries_; }

  /// values[e] for each entry, at (q, t). Does not allocate once it has been called.
  void evaluate(Reads<T> q, const T& t, Writes<T> values);

 private:
  static const TripletPlan& plan(const CompiledModel& model);

  System<T>& system_;
  Triplets<T> triplets_;
  std::vector<TripletPlace> entries_;

  // Rows through group variables, one product with G' each.
  std::vector<std::int64_t> full_rows_;
  std::int64_t first_full_ = 0;
  std::vector<T> unit_;
  Frame<T> frame_;
};

COTANGENT_DECLARE(NUMBERS, Jacobian);

}  // namespace cotangent
