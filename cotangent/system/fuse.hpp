#pragma once

#include <vector>

#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// Joins specs of a single instance, which neither read what another writes, into few: a small model is then one
/// kernel per operation instead of one per term. Terms that are added to the same place are added in the kernel.
std::vector<KernelSpec> fuse_single_instances(std::vector<KernelSpec> specs);

/// Removes loads and counters that no store uses.
void drop_unused(KernelSpec& spec);

/// Turns the first addition to each place of an output vector into an assignment, where a store covers only places
/// that no store before it has touched.
/// @return whether the vector must still be set to zero beforehand.
bool assign_first(std::vector<KernelSpec>& specs, int vector, std::int64_t size);

}  // namespace cotangent
