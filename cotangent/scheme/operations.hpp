#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/point.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/row_scales.hpp"
#include "cotangent/scheme/schedule.hpp"

namespace cotangent {

/// A step of another method.
template <class T>
using InnerStep = std::function<StepReport<T>(const Point<T>& z, LaneOf<T> h, Point<T>& end)>;

/// The field of a formulation, (q', p', s') at x = (q, p, s) and t; says in the report where it is not found, and why.
template <class T>
using FieldOf = std::function<void(const T* x, const T& t, T* rates, StepReport<T>& report)>;

/// The energy in its variables; `inside` is what is added up inside it, or nothing.
template <class T>
using EnergyOf = std::function<void(const T* x, T& K, T* inside, StepReport<T>& report)>;

/// What a scheme may contain that is not its own.
template <class T>
struct SchemeParts {
  InnerStep<T> inner = {};
  FieldOf<T> field = {};
  EnergyOf<T> energy = {};
};

/// The step of a scheme that is being made.
template <class T>
struct StepInProgress {
  const PhasePoint<T>* z = nullptr;
  LaneOf<T> h = 0;
  StepReport<T> report = {};
  Mask<T> active = true;       ///< lanes in which the solve at hand goes on
  Mask<T> singular = false;    ///< where it met a singular K
  bool is_first_look = true;   ///< at the residuals of that solve
  std::array<T, 2> rows = {};  ///< of the last g, or psi: the largest, and its rounding scale
};

/// The nodes of a scheme that ask the system, the matrices of multipliers, or another method.
template <class T>
class SchemeOperations {
 public:
  /// @param at the table of the schedule. Everything that is given must outlive this.
  SchemeOperations(const Scheme& scheme, const Schedule& schedule, const std::vector<T*>& at, Manifold<T>& manifold,
                   SchemeParts<T> parts);

  /// A new step: nothing is factored.
  void begin() { factored_ = -1; }

  void make(int id, StepInProgress<T>& now);

  /// A long step leads to where a matrix is singular; that is no fault of the constraints unless R is so where the step
  /// began.
  void blame_constraints(const Mask<T>& singular, StepInProgress<T>& now);

 private:
  using Node = Scheme::Node;

  const Node& node(int id) const { return scheme_.nodes[static_cast<std::size_t>(id)]; }
  T* at(int id) const { return id < 0 ? nullptr : at_[static_cast<std::size_t>(id)]; }
  T time(int id) const { return id < 0 ? T(0) : *at(id); }
  PointRef<T> point(int q, int p, int s, int t) const { return {at(q), at(p), at(s), time(t)}; }
  void give(int id, std::size_t which, const T* result) const;

  void factor(int id, StepInProgress<T>& now);
  void find_smallest(const Node& node, T* u, StepInProgress<T>& now);
  void make_inner_step(int id, StepInProgress<T>& now);

  const Scheme& scheme_;
  const Schedule& schedule_;
  const std::vector<T*>& at_;
  Manifold<T>& manifold_;
  SchemeParts<T> parts_;
  Point<T> begin_, end_;  // of the other method
  int factored_ = -1;
  std::vector<std::unique_ptr<RowScales<T>>> G_sizes_;  // by node
  std::vector<T> zero_, force_, velocity_, rows_;
};

COTANGENT_DECLARE(NUMBERS, SchemeOperations);

}  // namespace cotangent
