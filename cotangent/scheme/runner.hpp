#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cotangent/scheme/operations.hpp"
#include "cotangent/scheme/unknown_sizes.hpp"
#include "cotangent/solve/iteration/fixed_point.hpp"

namespace cotangent {

/// Executes a scheme node by node: operations of the system as they are, and what is done element by element between
/// them in passes.
///
/// In a batch only the unknowns of solves are held in lanes that are done: equations are functions, and find there what
/// they found before, to the bit.
template <class T>
class SchemeRunner {
 public:
  /// @param manifold must outlive this.
  SchemeRunner(Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver = FixedPointSolver::automatic,
               SchemeParts<T> parts = {});
  SchemeRunner(const SchemeRunner&) = delete;
  SchemeRunner& operator=(const SchemeRunner&) = delete;

  /// A step from z to `end`, of the same size. @param before what was remembered of z, @param after is of the end.
  [[nodiscard]] StepReport<T> step(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before, PhasePoint<T>& end,
                                   Memory<T>& after);

  /// Part q or p of what a projection in the last step has moved; nothing if there is none in the scheme.
  std::span<const T> shift(std::size_t part) const {
    if (scheme_.shift.empty()) return {};
    const int id = scheme_.shift[part];
    return {at_[static_cast<std::size_t>(id)], node(id).size};
  }

  /// Nothing is remembered in these lanes.
  static void forget(const Mask<T>& lanes, Memory<T>& memory) {
    T& is_known = memory.numbers.back()[0];
    is_known = select(lanes, T(0), is_known);
  }

 private:
  using Node = Scheme::Node;

  // A vector that goes from step to step: of the point, or of its memory.
  struct Carried {
    int input, end;
    bool is_made_here = false;  // the end is written to where it goes, and need not be copied
    std::vector<T> nothing = {};
  };

  // Of a solve with a preconditioner.
  struct Iteration {
    Iteration(std::size_t size, FixedPointSolver kind, const std::vector<Scheme::Solve::Kind>& kinds)
        : solver(size, kind), sizes(kinds, size) {}
    FixedPoint<T> solver;
    UnknownSizes<T> sizes;
    Mask<T> was_stiff = false;
    int result = -1;  // the node that tells
  };

  const Node& node(int id) const { return scheme_.nodes[static_cast<std::size_t>(id)]; }
  T*& at(int id) { return at_[static_cast<std::size_t>(id)]; }

  void place_carried();
  void place_vectors();
  void fuse(const System<T>& system);
  void place_parts();
  void begin(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before, PhasePoint<T>& end, Memory<T>& after);
  void find_numbers(bool is_new);
  void commit(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& after);

  void run(int region);
  bool make(int id);
  void remember(const Node& node, T*& place);
  void solve(const Node& node);
  void solve_by_newton(const Scheme::Solve& equation);
  void solve_by_iteration(const Scheme::Solve& equation, Iteration& iteration);
  void find_noise(const Scheme::Solve& equation, UnknownSizes<T>& sizes);

  Scheme scheme_;
  Schedule schedule_;
  std::vector<T> storage_;
  std::vector<T*> at_;  // the table of the schedule
  std::vector<KernelSequence<T>> kernels_;
  SchemeOperations<T> operations_;
  StepInProgress<T> now_;

  FixedPointSolver solver_;
  std::vector<std::unique_ptr<Iteration>> iterations_;  // by solve
  std::vector<T> residual_;

  // The numbers of a memory are those vectors; then, by lanes, 1 where there is one, and what each iteration keeps.
  std::vector<Carried> point_, memory_;
  Mask<T> has_memory_ = false;
  LaneOf<T> h_ = 0, ratio_ = 0;
};

COTANGENT_DECLARE(NUMBERS, SchemeRunner);

}  // namespace cotangent
