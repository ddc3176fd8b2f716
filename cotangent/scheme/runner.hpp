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
  SchemeRunner(Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver = FixedPointSolver::automatic,
               InnerStep<T> inner = {});
  SchemeRunner(const SchemeRunner&) = delete;
  SchemeRunner& operator=(const SchemeRunner&) = delete;

  /// As Integrator::step.
  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h);

  /// Forgets how solves went so far.
  void begin_anew();

 private:
  using Node = Scheme::Node;

  // A vector that goes from step to step.
  struct Carried {
    int input, end;
    bool is_made_here = false;  // the end is written to `next`, and need not be copied
    std::vector<T> now = {}, next = {};
  };

  const Node& node(int id) const { return scheme_.nodes[static_cast<std::size_t>(id)]; }
  T*& at(int id) { return at_[static_cast<std::size_t>(id)]; }

  void place_carried();
  void place_vectors();
  void fuse(const System<T>& system);
  void place_parts();
  void begin(PhasePoint<T>& z, LaneOf<T> h);
  void find_numbers(bool is_new);
  void commit(PhasePoint<T>& z, LaneOf<T> h);

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

  std::vector<Carried> point_, memory_;
  Mask<T> has_memory_ = false, had_memory_ = false;
  LaneOf<T> h_ = 0, last_h_ = 0, ratio_ = 0;
  std::uint64_t known_revision_ = 0;
  RevisionSource next_revision_;
};

COTANGENT_DECLARE(NUMBERS, SchemeRunner);

}  // namespace cotangent
