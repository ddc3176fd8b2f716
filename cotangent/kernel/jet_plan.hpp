#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/kernel/jet_program.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// How a KernelSpec is evaluated on power series, and where its values are kept: what the interpreter and machine code
/// follow, so that both give the same bits.
///
/// Instances are dealt into blocks of 64. Of each block the memory has rows of numbers, those of its instances: all
/// coefficients of values that later orders need, one after the other, values that are still, and sums S over lower
/// orders (see JetProgram), which are the same where the newest order is evaluated again. Other values are of no use
/// after their block: they are in a scratch space, which is that of the next block, too.
///
/// For each block results are added to places store by store, each in the order of the instances.
struct JetPlan {
  using Value = JetProgram::Value;

  /// What is different where the newest order is evaluated again.
  struct Again {
    int vector = -1;            ///< the one whose newest coefficients are others; -1: any may be
    bool needs_results = true;  ///< if not, only what later orders need is evaluated, and nothing is stored
  };

  struct Load {
    int vector;
    IndexMap at;
  };
  struct Store {
    int vector;
    IndexMap at;
  };

  /// Coefficient k of a value at first + k stride, in the memory of its block or in the scratch space.
  struct Place {
    std::size_t first = 0, stride = 0;
    bool is_kept = false;
    std::size_t rest = 0;  ///< of S, in the memory
  };

  /// @param orders that may be asked for: 0 .. orders - 1. @param width numbers of an instance, side by side.
  JetPlan(const KernelSpec& spec, int orders, const Again& again, std::size_t width);

  std::size_t instances() const { return row / width; }  ///< of a block; the last one may have less
  std::int64_t blocks() const;
  /// Whether a store adds something at order k.
  bool adds(std::size_t store, int k) const {
    return k == 0 || program.steps()[program.outputs()[store].value].rule != JetProgram::Rule::still;
  }

  /// Few instances: machine code is straight-line, with their indices in it.
  bool is_written_out() const { return count <= 2; }
  /// Machine code takes neighbours together.
  bool is_in_vectors() const { return count >= kManyInstances; }
  static constexpr std::int64_t kManyInstances = 8;
  /// Whether in each place that a store adds to an instance meets no other one, of whichever store.
  bool is_alone(std::size_t store) const;

  JetProgram program;
  std::vector<Load> loads;
  std::vector<IndexMap> counters;
  std::vector<Store> stores;
  std::vector<Value> moving, again;  ///< values that are not still, and of these what changes again
  bool stores_again;
  bool is_moving = false;  ///< some result is not still, or a piece may end
  std::int64_t count;
  std::size_t width, row;  ///< numbers of a row
  std::vector<Place> places;
  std::size_t kept_rows = 0, scratch_rows = 0;

 private:
  void find_again(const KernelSpec& spec, const Again& again);
};

}  // namespace cotangent
