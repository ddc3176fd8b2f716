#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/kernel/program.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent {

/// How many of the lanes of a T go together through the passes of a repeated kernel (see KernelSpec::Repeat).
int repeat_width(int lanes);

/// A KernelSpec made ready for execution: what both backends follow, so that both do the same.
///
/// The spec's meaning is one loop per store. Stores whose targets are disjoint can share a loop; those that overlap
/// (x[k] and x[k-1] of a chain) cannot just like that, or additions into one place would change their order. So the
/// stores are dealt into stages, which are executed one after the other, each with its own program:
///
///   neighbours   stores to x[k + a], x[k + b], ... share a loop over places instead of instances: the place is
///                read once, receives the term of each store in turn, each from another instance, and is
///                written once. The few places at the ends that not all stores reach are stages of their own.
///   others       a store comes in a later stage than every earlier store it overlaps; each stage recomputes what
///                its stores need. Indices that go round, x[1] after x[N], are lists that a few instances keep from
///                being affine: these become stages of their own, so that the others need no lists.
///
/// With one instance every place is fixed, and so is it in a stage that assigns to a fixed place: only the
/// last instance counts there.
struct KernelPlan {
  struct Load {
    int vector;
    IndexMap at;
    int part = 0;
    bool operator==(const Load&) const = default;
  };
  struct Store {
    int vector;
    IndexMap at;
    KernelSpec::Mode mode;
    int part = 0;
  };
  struct Stage {
    std::int64_t count;
    Program program;
    std::vector<Load> loads;  ///< all of them used, in order of their first use
    std::vector<IndexMap> counters;
    std::vector<Store> stores;  ///< of the program's outputs, in order; after them comes the guard, if any

    /// The first store of the stage that goes to the same numbers, instance by instance, as store s.
    std::size_t first_to_same_place(std::size_t s) const;
  };

  /// Of a plan with one stage.
  struct Repeat {
    std::vector<std::optional<int>> fed_by;  ///< for each load the store whose place it is fed from, if any
    int passes, done;                        ///< vectors
  };

  /// What a repeated plan may be made of instead of a guard: a pass goes one of several ways (see RecordedKernel). The
  /// instructions of the program are dealt out to parts, one after the other, and use values of their own part and of
  /// those through which it is reached. The first part is the beginning of all ways.
  struct Part {
    using Values = std::vector<Program::Value>;
    struct Branch {
      Values if_all;
      std::uint32_t part;
    };
    std::uint32_t end;  ///< of its instructions
    Values must_hold;   ///< where one of them is zero the pass does not count
    std::vector<Branch>
        branches;    ///< the first with comparisons that hold goes on; without any the pass does not count
    Values results;  ///< where there are no branches: what is stored
  };

  KernelPlan() = default;

  /// @throws std::invalid_argument for a repetition that KernelSpec does not allow.
  explicit KernelPlan(const KernelSpec& spec);

  std::vector<Stage> stages;
  std::int64_t count = 0;
  int place_size = 1, place_parts = 1;  ///< as in the spec
  std::optional<Repeat> repeat;
  std::vector<Part> parts;

  /// Whether machine code takes several instances at once.
  bool has_many_instances() const;

  /// Equal exactly for plans that the same machine code can execute; with one instance the indices are part
  /// of the code, otherwise it takes them from the table.
  std::string code_key() const;

  /// What the machine code does not contain. For each stage: its count, and two numbers for each load,
  /// counter and store: offset and stride, or the address of the list and 0. Points into the plan.
  std::vector<std::int64_t> table() const;
};

}  // namespace cotangent
