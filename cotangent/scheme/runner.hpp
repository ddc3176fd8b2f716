#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/scheme/schedule.hpp"
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
  /// A step of another method.
  using InnerStep = std::function<StepReport<T>(PhasePoint<T>& z, LaneOf<T> h)>;

  /// @param manifold must outlive this.
  SchemeRunner(Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver = FixedPointSolver::automatic,
               InnerStep inner = {});

  /// Forgets how solves went so far.
  void begin_anew();

  /// As Integrator::step.
  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h);

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
  T* or_null(int id) { return id < 0 ? nullptr : at(id); }
  T time(int id) { return id < 0 ? T(0) : *at(id); }
  PointRef<T> point(int q, int p, int s, int t) { return {or_null(q), or_null(p), or_null(s), time(t)}; }

  void place_carried();
  void place_vectors();
  void begin(PhasePoint<T>& z, LaneOf<T> h);
  void find_numbers(bool is_new);
  void commit(PhasePoint<T>& z, LaneOf<T> h);

  void run(int region);
  bool execute(int id);  // whether some lane is left
  void ask(const Request<T>& operation, const Node& node, int q, int p, int t, T* result);
  void give(int id, std::size_t which, const T* result);
  void factor(int id);
  void make_inner_step(int id);
  void remember(const Node& node, T*& place);
  void smallest(const Node& node, T* u);
  void solve(const Node& node);
  void solve_by_newton(const Scheme::Solve& equation);
  void solve_by_iteration(const Scheme::Solve& equation, FixedPoint<T>& solver);
  void find_noise(const Scheme::Solve& equation);
  void weigh(const Scheme::Solve& equation, std::vector<T>& weights) const;
  void blame_constraints(const Mask<T>& singular);

  Scheme scheme_;
  Manifold<T>& manifold_;
  Request<T> H_q_, H_p_, H_pp_times_, g_, g_rate_, G_times_, Gt_times_;
  Frame<T> frame_;
  std::vector<T> norms_, zero_;
  std::vector<T> force_, velocity_, rows_;  // workspace

  InnerStep inner_;
  PhasePoint<T> inner_point_;

  Schedule schedule_;
  std::vector<std::unique_ptr<RowScales<T>>> G_sizes_;  // by node
  FixedPointSolver solver_;
  std::vector<std::unique_ptr<FixedPoint<T>>> iterations_;  // by solve
  std::vector<T> noise_, residual_, sizes_;                 // of the iteration at hand; sizes by kind
  std::vector<T> storage_;
  std::vector<T*> at_;  // the table of the schedule

  std::vector<Carried> point_, memory_;
  Mask<T> has_memory_ = false, had_memory_ = false;
  LaneOf<T> h_ = 0, last_h_ = 0, ratio_ = 0;
  std::uint64_t known_revision_ = 0;
  RevisionSource next_revision_;

  // Of the step that is being made.
  StepReport<T> report_;
  const PhasePoint<T>* z_ = nullptr;
  int factored_ = -1;
  Mask<T> active_ = true, singular_ = false;
  bool is_first_look_ = true;
};

COTANGENT_DECLARE(NUMBERS, SchemeRunner);

}  // namespace cotangent
