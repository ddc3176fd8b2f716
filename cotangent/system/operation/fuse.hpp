#pragma once

#include <vector>

#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// Symbols for the places that a kernel reads: one for each vector and index map, however often it is asked for.
/// Symbols are numbered, so that kernels that read alike are built from the same nodes and share their code.
class Places {
 public:
  /// @param count instances of the kernel; maps of a single instance are compared by the place itself.
  Places(Graph& graph, std::int64_t count) : graph_(&graph), count_(count) {}

  /// @param constant see KernelSpec::Load; of a place always the same.
  Expr symbol(int vector, const IndexMap& at, bool constant = false);
  /// For what is read there: its vector, map and whether it is constant.
  Expr symbol(const KernelSpec::Load& load) { return symbol(load.vector, load.at, load.constant); }
  const std::vector<KernelSpec::Load>& loads() const { return loads_; }

 private:
  Graph* graph_;
  std::int64_t count_;
  std::vector<KernelSpec::Load> loads_;
};

/// The same specs with expressions of a graph that is a copy of theirs.
std::vector<KernelSpec> within(Graph& graph, std::vector<KernelSpec> specs);

/// Joins specs with the same number of instances, none of which reads what another writes, into fewer: what several of
/// them read is read once, and a small model becomes one kernel per operation instead of one per term. Values that are
/// added to the same places are added in the kernel.
std::vector<KernelSpec> fuse(std::vector<KernelSpec> specs);

/// One kernel for two of a single instance, where the second reads what the first writes.
struct Wiring {
  struct Pair {
    int from, to;
  };
  std::vector<Pair> values;  ///< outputs of the first that are inputs of the second: no longer read from memory
  std::vector<Pair> inputs;  ///< other inputs of the second, by the numbers they get in the common kernel
};
KernelSpec compose(const KernelSpec& first, const KernelSpec& second, const Wiring& wiring);

/// Removes loads and counters that neither a store nor a guard uses. To be done before positions of loads are noted.
void drop_unused(KernelSpec& spec);

/// Turns the first addition to each place of an output vector into an assignment, where a store covers only places
/// that no store before it has touched; for a single instance also the first maximum, of values that are not negative.
/// @return whether the vector must still be set to zero beforehand.
bool assign_first(std::vector<KernelSpec>& specs, int vector, std::int64_t size);

}  // namespace cotangent
