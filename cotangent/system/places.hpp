#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// Symbols for the places that a kernel reads: one for each vector and index map, however often it is asked for.
/// Symbols are numbered, so that kernels that read alike are built from the same nodes and share their code.
class Places {
 public:
  /// @param count instances of the kernel; maps of a single instance are compared by the place itself.
  Places(Graph& graph, std::int64_t count) : graph_(&graph), count_(count) {}

  Expr symbol(int vector, const IndexMap& at);
  const std::vector<KernelSpec::Load>& loads() const { return loads_; }

 private:
  Graph* graph_;
  std::int64_t count_;
  std::vector<KernelSpec::Load> loads_;
};

}  // namespace cotangent
