#pragma once

#include <memory>
#include <vector>

#include "cotangent/scheme/operations.hpp"
#include "cotangent/solve/fixed_point.hpp"

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
  /// @param id under which it remembers.
  SchemeRunner(Scheme scheme, Manifold<T>& manifold, std::uint64_t id,
               FixedPointSolver solver = FixedPointSolver::automatic, InnerStep<T> inner = {});
  SchemeRunner(const SchemeRunner&) = delete;
  SchemeRunner& operator=(const SchemeRunner&) = delete;

  /// As Integrator::make_step.
  [[nodiscard]] StepReport<T> step(const Point<T>& z, LaneOf<T> h, Point<T>& end);

 private:
  using Node = Scheme::Node;

  // A vector that goes from step to step: of the point, or of its memory.
  struct Carried {
    int input, end;
    bool is_made_here = false;  // the end is written to where it goes, and need not be copied
    std::vector<T> nothing = {};
  };

  const Node& node(int id) const { return scheme_.nodes[static_cast<std::size_t>(id)]; }
  T*& at(int id) { return at_[static_cast<std::size_t>(id)]; }

  void place_carried();
  void place_vectors();
  void fuse(const System<T>& system);
  void place_parts();
  void begin(const Point<T>& z, LaneOf<T> h, Point<T>& end);
  void find_numbers(bool is_new);
  void commit(const Point<T>& z, LaneOf<T> h, Point<T>& end);

  void run(int region);
  bool make(int id);
  void remember(const Node& node, T*& place);
  void solve(const Node& node);
  void solve_by_newton(const Scheme::Solve& equation);
  void solve_by_iteration(const Scheme::Solve& equation, FixedPoint<T>& solver);
  void find_noise(const Scheme::Solve& equation);
  void weigh(const Scheme::Solve& equation, std::vector<T>& weights) const;

  Scheme scheme_;
  Schedule schedule_;
  std::vector<T> storage_;
  std::vector<T*> at_;  // the table of the schedule
  std::vector<KernelSequence<T>> kernels_;
  SchemeOperations<T> operations_;
  StepInProgress<T> now_;

  FixedPointSolver solver_;
  std::vector<std::unique_ptr<FixedPoint<T>>> iterations_;  // by solve
  std::vector<T> noise_, residual_, sizes_;                 // of the iteration at hand; sizes by kind

  // The numbers of a memory are those vectors; then, by lanes, 1 where there is one, and what each iteration keeps.
  std::uint64_t id_;
  std::vector<Carried> point_, memory_;
  Mask<T> has_memory_ = false;
  LaneOf<T> h_ = 0, ratio_ = 0;
};

COTANGENT_DECLARE(NUMBERS, SchemeRunner);

}  // namespace cotangent
