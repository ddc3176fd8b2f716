#include "reference_choice.hpp"

void settle_reference(RunOptions& options) {
  if (options.certify.value_or(false) && !options.reference) options.reference = "finer:2";
}

bool is_record(const RunOptions& options) { return options.reference && options.reference->ends_with(".csv"); }
