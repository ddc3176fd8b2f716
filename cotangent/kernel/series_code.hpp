#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/kernel/jet_kernel.hpp"
#include "cotangent/kernel/series_plan.hpp"

namespace cotangent {

class MachineCode;

/// Machine code of a SeriesPlan, and what it works upon. It leaves in the memory of kernels what their interpretation
/// would leave there. Belongs to one thread.
class SeriesCode {
 public:
  /// @param kernels those of the plan, which must outlive this, and stay where they are.
  SeriesCode(const SeriesPlan& plan, const std::vector<JetKernel<double>*>& kernels, MachineCode& code);

  /// Where a vector is from now on.
  void set_vector(int v, const double* first, std::size_t stride);

  /// All coefficients. @param inverse what Act::solve reads; may be null without one.
  void operator()(SeriesTable::Call call, void* object, const double* inverse);

 private:
  SeriesTable::Code code_;
  std::vector<std::int64_t> words_;
};

}  // namespace cotangent
