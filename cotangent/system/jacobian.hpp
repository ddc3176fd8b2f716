#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/system/system.hpp"

namespace cotangent {

/// G = dg/dq as a sparse matrix in triplets: G(row, column) is the sum of the values of the entries with that place.
///
/// Methods need products with G only, and have them without it (System::G_times, G_transposed_times); this is for
/// whoever wants to look at G itself, or to hand it to a library. A constraint that is a function of an inner sum has a
/// full row.
template <class T>
class Jacobian {
 public:
  struct Entry {
    std::int64_t row, column;
  };

  /// @param system must outlive this.
  explicit Jacobian(System<T>& system);

  const std::vector<Entry>& entries() const { return entries_; }

  /// values[e] for each entry, at (q, t). Does not allocate once it has been called.
  void evaluate(const T* q, const T& t, T* values);

 private:
  void add_kernels();

  System<T>& system_;
  std::vector<Entry> entries_;
  std::vector<KernelSpec> specs_;
  std::vector<Kernel<T>> kernels_;

  // Rows through group variables, one product with G' each.
  std::vector<std::int64_t> full_rows_;
  std::int64_t first_full_ = 0;
  Request<T> G_transposed_times_;
  std::vector<T> unit_;
  Frame<T> frame_;
};

extern template class Jacobian<double>;
extern template class Jacobian<long double>;
extern template class Jacobian<Quad>;
extern template class Jacobian<Lanes>;

}  // namespace cotangent
