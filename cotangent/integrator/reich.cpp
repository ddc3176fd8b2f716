#include "cotangent/integrator/reich.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

// The rounding level of g is so many times that of the numbers added up in it: Q is rounded too.
constexpr int kLevel = 2;

// Fields on which an impulse along G' changes g.
constexpr const char* kFields[] = {"total", "standard"};

}  // namespace

MethodFacts reich_facts(const std::string& name, const MethodFacts& method) {
  MethodFacts facts = method;
  if (method.kind == "splitting") {
    facts.order = std::min(method.order, 2);
    facts.applies_to = "H = T(p) + V(q)";
  } else {
    const auto takes = [&](const char* field) {
      return std::find(method.formulations.begin(), method.formulations.end(), field) != method.formulations.end();
    };
    facts.formulations.clear();
    for (const char* field : kFields)
      if (takes(field)) facts.formulations.emplace_back(field);
    if (facts.formulations.empty())
      throw std::invalid_argument(fmt::format(
          "'{}' is not made: it is for methods on the formulations total or standard and for splittings, but "
          "'{}' takes {}",
          name, method.name, fmt::join(method.formulations, ", ")));
    facts.applies_to = "every system whose H_pp is positive definite across the constraints";
  }
  facts.name = name;
  facts.kind = "constrained";
  facts.description = fmt::format("a step of {} between two momentum projections", method.name);
  facts.error_order = 0;
  facts.symplectic_off = false;
  facts.keeps_quadratic = false;
  facts.keeps_energy = false;
  facts.keeps_position = true;
  facts.keeps_momentum = true;
  facts.reference = "reich96";
  return facts;
}

template <class T>
Reich<T>::Reich(MethodFacts facts, Manifold<T>& manifold, std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)),
      manifold_(manifold),
      method_(std::move(method)),
      g_(manifold.system().g()),
      G_transposed_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      end_(manifold.system().n(), manifold.system().state_count()),
      l_(static_cast<std::size_t>(manifold.system().m()), T(0)),
      rows_(l_),
      norms_(2, T(0)),
      kick_(end_.q) {
  frame_.out[out::norms] = norms_.data();
}

template <class T>
StepReport<T> Reich<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  if (l_.empty()) return method_->step(z, h);
  StepReport<T> report;
  // Lanes that failed begin anew.
  const Mask<T> old = z.revision == known_revision_ && h == last_h_ ? has_history_ : Mask<T>(false);
  for (T& l : l_) l = select(old, l, T(0));
  known_revision_ = 0;
  last_h_ = h;
  if (!solve_position(z, h, report)) return report;

  const SolveReport<T> projected = manifold_.project_momentum(end_);
  report.iterations += projected.iterations;
  if (any(report.ok & !projected.converged)) {
    report.status = projected.regular ? StepStatus::momentum_solve_failed : StepStatus::singular_constraints;
    report.residual = projected.residual;
    report.tolerance = projected.tolerance;
    report.row = projected.row;
    report.ok = report.ok & projected.converged;
  }
  if (any(report.ok)) commit(z, report.ok);
  return report;
}

// end_ <- (q, p - G' l).
template <class T>
void Reich<T>::kick(const PhasePoint<T>& z) {
  end_ = z;
  const T t(z.t);
  frame_.in[in::q] = z.q.data();
  frame_.in[in::t] = &t;
  frame_.in[in::weights] = l_.data();
  frame_.out[out::result] = kick_.data();
  G_transposed_times_(frame_);
  for (std::size_t j = 0; j < kick_.size(); ++j) end_.p[j] = add_compensated(end_.p[j], -kick_[j], end_.p_low[j]);
  end_.revision = next_revision_();
}

// l with g(Q) = 0; end_ <- (Q, P'). False if no lane is left.
template <class T>
bool Reich<T>::solve_position(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report) {
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const T per_step(1 / h);
  RoundingStop<T> stop;
  const auto drop = [&](const Mask<T>& good, StepStatus status, std::int64_t row) {
    const Mask<T> bad = report.ok & !good;
    if (!any(bad)) return;
    report.status = status;
    report.row = row;
    report.ok = report.ok & good;
    stop.fail(bad);
  };
  while (true) {
    kick(z);
    const StepReport<T> part = method_->step(end_, h);
    report.iterations += part.iterations;
    report.evaluations += part.evaluations;
    drop(part.ok, part.status, part.row);
    if (!any(report.ok)) {
      report.residual = part.residual;
      report.tolerance = part.tolerance;
      return false;
    }
    const T t(end_.t);
    frame_.in[in::q] = end_.q.data();
    frame_.in[in::t] = &t;
    frame_.out[out::result] = rows_.data();
    g_(frame_);
    report.tolerance = T(kLevel * epsilon<T>()) * norms_[1];
    if (!stop.update(norms_[0], report.tolerance)) break;

    const auto factor = matrix.factor_newton(end_.q.data(), t, PointRef<T>(z));
    if (any(stop.active() & !factor.regular)) {
      // A long step leads to where the matrix is singular; no fault of the constraints unless R is so at the beginning.
      const Mask<T> singular = stop.active() & !factor.regular;
      const Mask<T> at_start = singular & !matrix.factor(z).regular;
      std::int64_t row = -1;
      for (int i = 0; i < lane_count<T> && row < 0; ++i)
        if (lane(at_start, i)) row = matrix.worst_row(i);
      drop(!at_start, StepStatus::singular_constraints, row);
      drop(!singular, StepStatus::position_solve_failed, -1);
      if (!any(report.ok)) return false;
      static_cast<void>(matrix.factor_newton(end_.q.data(), t, PointRef<T>(z)));
    }
    matrix.solve(rows_.data());
    for (std::size_t r = 0; r < l_.size(); ++r) l_[r] += select(stop.active(), rows_[r] * per_step, T(0));
  }
  report.iterations += stop.iterations();
  if (any(report.ok & !stop.converged())) {
    report.status = all(isfinite(stop.residual())) ? StepStatus::position_solve_failed : StepStatus::not_finite;
    report.ok = report.ok & stop.converged();
    report.residual = stop.residual();
  }
  return any(report.ok);
}

template <class T>
void Reich<T>::commit(PhasePoint<T>& z, const Mask<T>& ok) {
  if (!all(ok)) take_lanes(!ok, z, end_);
  std::swap(z, end_);
  z.revision = known_revision_ = next_revision_();
  has_history_ = ok;
}

COTANGENT_INSTANTIATE(NUMBERS, Reich);

}  // namespace cotangent
