#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace cotangent {

/// An order of the nodes 0, 1, ... in which each comes after all that it points to; otherwise as they stand.
/// @param on_cycle is called with the nodes of a cycle, each pointing to the next, and must throw.
std::vector<std::size_t> topological_order(std::span<const std::vector<std::size_t>> edges,
                                           const std::function<void(std::span<const std::size_t>)>& on_cycle);

}  // namespace cotangent
