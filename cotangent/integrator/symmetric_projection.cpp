#include "cotangent/integrator/symmetric_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {

namespace {

// So many times what rounding errors of one unit do is what they leave.
constexpr double kNoise = 4;

}  // namespace

MethodFacts symmetric_projection_facts(const std::string& name, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::constrained;
  facts.description = fmt::format("{}, projected to the constraints at both ends of a step alike", method.name);
  facts.error_order = 0;
  facts.symplectic = facts.symplectic_off = false;
  facts.keeps_quadratic = facts.keeps_energy = false;
  facts.keeps_position = facts.keeps_momentum = true;
  facts.applies_to = "systems with constraints";
  facts.reference = "hairer00";
  return facts;
}

template <class T>
SymmetricProjection<T>::SymmetricProjection(MethodFacts facts, Manifold<T>& manifold,
                                            std::unique_ptr<Integrator<T>> method, FixedPointSolver solver)
    : Integrator<T>(std::move(facts)),
      manifold_(manifold),
      method_(std::move(method)),
      matrix_(manifold.system()),
      at_begin_(manifold.system()),
      at_end_(manifold.system()),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      solver_(2 * (m_ + n_), solver),
      shifted_(manifold.system().n(), manifold.system().state_count()),
      v_(n_, T(0)),
      a_(n_, T(0)),
      shift_(n_, T(0)),
      rows_(m_, T(0)),
      scales_(manifold.system()),
      position_sizes_(m_, T(0)),
      momentum_sizes_(m_, T(0)),
      mu_noise_(2 * m_, T(0)) {
  if (m_ == 0)
    throw std::invalid_argument(
        fmt::format("the method '{}' projects to constraints, but here are none; use '{}' itself", this->facts().name,
                    method_->facts().name));
}

template <class T>
StepReport<T> SymmetricProjection<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report;
  if (matrix_.nullity() != manifold_.matrix().nullity()) matrix_.set_nullity(manifold_.matrix().nullity());
  const Mask<T> regular = matrix_.factor(z).regular;
  if (!all(regular)) fail_singular_lanes(report, !regular, matrix_, T(0));
  if (!any(report.ok)) return report;
  at_begin_.at(z);
  set_sizes(z);
  // mu changes little from step to step, unless the step is another one.
  const Memory<T>& before = z.memory(this->id());
  if (before.depth > 0 && h == before.h) {
    solver_.x() = before.numbers[0];
    solver_.damped() = before.numbers[1][0];
  } else {
    std::fill(solver_.x().begin(), solver_.x().end(), T(0));
    solver_.damped() = T(0);
  }
  steps_ = evaluations_ = 0;
  const auto result = solver_.solve(
      [&](const T* x, T* r, const Mask<T>&, bool is_probe) {
        evaluate(z, h, x, r);
        precondition(h, r);
        if (!is_probe) weigh(z);
        return inner_.ok;
      },
      report.ok, true);
  report.iterations = steps_;
  report.evaluations = evaluations_;
  const Mask<T> lost = report.ok & !result.converged;
  if (any(lost)) {
    const bool is_inner = any(lost & !inner_.ok);
    const StepStatus outer =
        all(isfinite(result.residual)) ? StepStatus::position_solve_failed : StepStatus::not_finite;
    report.row = inner_.row;
    report.tolerance = is_inner ? inner_.tolerance : T(epsilon<T>());
    fail_lanes(report, lost, is_inner ? inner_.status : outer, is_inner ? inner_.residual : result.residual);
    if (!any(report.ok)) return report;
  }
  // Both hold to rounding already, or nearly so: what is left is no more than the last bits.
  PhasePoint<T>& Z = end.adjust();
  std::swap(Z, end_.change());
  const auto position = manifold_.project_position(Z);
  fail_lanes(report, !position.converged, StepStatus::position_solve_failed, position.residual);
  const auto momentum = manifold_.project_momentum(Z);
  fail_lanes(report, !momentum.converged, StepStatus::momentum_solve_failed, momentum.residual);
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), Z);
  commit(report, end.remember(this->id()));
  end.remember(this->id()).h = h;
  return report;
}

// What multipliers are worth; and what is left of a shift, in units of epsilon, by the rounding errors of g, which the
// hidden constraint passes on to the momenta.
template <class T>
void SymmetricProjection<T>::set_sizes(const PhasePoint<T>& z) {
  scales_.evaluate(z.q.data(), T(z.t));
  std::fill(a_.begin(), a_.end(), T(1));
  scales_.balance(a_.data(), momentum_sizes_.data());
  scales_.along_rows(a_.data(), T(0), position_sizes_.data());
  for (std::size_t r = 0; r < m_; ++r) {
    const T diagonal = matrix_.diagonal_scale(r, T(1));
    position_sizes_[r] = select(diagonal > T(0), position_sizes_[r] / diagonal, T(0));
  }
  const auto largest = [](const std::vector<T>& x) {
    T most(0);
    for (const T& entry : x) most = max(most, magnitude(entry));
    return T(kNoise) * most;
  };
  scales_.of_positions(z.q.data(), T(z.t), rows_.data());
  scatter_signs(rows_);
  matrix_.solve(rows_.data());
  for (std::size_t r = 0; r < m_; ++r) mu_noise_[r] = T(kNoise) * magnitude(rows_[r]);
  at_begin_.Gt_times(rows_.data(), a_.data());
  at_begin_.H_pp_times(a_.data(), v_.data());
  q_noise_ = largest(v_);
  // Coordinates are rounded in all directions, not only in those of the constraints.
  for (std::size_t j = 0; j < n_; ++j) a_[j] = magnitude(z.q[j]);
  scatter_signs(a_);
  for (std::size_t j = 0; j < n_; ++j) v_[j] += a_[j];
  std::fill(a_.begin(), a_.end(), T(0));
  at_begin_.along(v_.data(), a_.data(), Time::held, rows_.data());
  matrix_.solve(rows_.data());
  for (std::size_t r = 0; r < m_; ++r) mu_noise_[m_ + r] = T(kNoise) * magnitude(rows_[r]);
  at_begin_.Gt_times(rows_.data(), a_.data());
  p_noise_ = largest(a_);
}

// N mu
template <class T>
void SymmetricProjection<T>::shift(HiddenConstraint<T>& at, const T* mu, T* q, T* p) {
  at.Gt_times(mu, a_.data());
  at.H_pp_times(a_.data(), q);
  at.Gt_times(mu + m_, p);
}

// c(Z) and d - N(Z) mu, into r; Z is left in end_.
template <class T>
void SymmetricProjection<T>::evaluate(const PhasePoint<T>& z, LaneOf<T> h, const T* x, T* r) {
  T *r_q = r + 2 * m_, *r_p = r_q + n_;
  const auto add = [&](const T* change, std::vector<T>& to, std::vector<T>& low) {
    for (std::size_t k = 0; k < n_; ++k) to[k] = add_compensated(to[k], change[k], low[k]);
  };
  shift(at_begin_, x, r_q, r_p);
  PhasePoint<T>& shifted = shifted_.change();
  shifted = z;
  add(r_q, shifted.q, shifted.q_low);
  add(r_p, shifted.p, shifted.p_low);
  inner_ = method_->step(shifted_, h, end_);
  ++steps_;
  evaluations_ += inner_.evaluations;
  PhasePoint<T>& end = end_.change();
  if (!any(inner_.ok)) end = shifted;
  add(x + 2 * m_, end.q, end.q_low);
  add(x + 2 * m_ + n_, end.p, end.p_low);

  at_end_.at(end);
  shift(at_end_, x, r_q, r_p);
  for (std::size_t k = 0; k < 2 * n_; ++k) r_q[k] = x[2 * m_ + k] - r_q[k];
  at_end_.g(r);
  at_end_.psi(r + m_);
}

// r <- the correction of the unknowns, by way of dmu_1 + h dmu_2 / 2.
template <class T>
void SymmetricProjection<T>::precondition(LaneOf<T> h, T* r) {
  T *r_q = r + 2 * m_, *r_p = r_q + n_;
  const auto solve = [&](T* rows) {
    for (std::size_t k = 0; k < m_; ++k) rows[k] = (rows[k] - rows_[k]) / T(2);
    matrix_.solve(rows);
  };
  at_begin_.G_times(r_q, rows_.data());
  solve(r);
  at_begin_.Gt_times(r, a_.data());
  at_begin_.H_pp_times(a_.data(), v_.data());
  for (std::size_t k = 0; k < n_; ++k) a_[k] = r_q[k] + T(2) * v_[k];
  at_begin_.along(a_.data(), r_p, Time::held, rows_.data());
  solve(r + m_);
  for (std::size_t k = 0; k < m_; ++k) r[k] -= T(h / 2) * r[m_ + k];
  shift(at_begin_, r, v_.data(), shift_.data());
  for (std::size_t k = 0; k < n_; ++k) {
    r_q[k] += v_[k];
    r_p[k] += shift_[k];
  }
}

// A shift is measured by the coordinates and momenta that it moves, multipliers by what they do to them.
template <class T>
void SymmetricProjection<T>::weigh(const PhasePoint<T>& z) {
  T* weights = solver_.weights().data();
  const auto weight = [](const T& size) {
    return select(size > T(0), T(1) / max(size, T(std::numeric_limits<double>::min())), T(1));
  };
  const auto kind = [&](const std::vector<T>& begin, const std::vector<T>& end, const T& noise, T* of) {
    T most(0);
    for (const auto* x : {&begin, &end})
      for (const T& entry : *x) most = max(most, select(isfinite(entry), magnitude(entry), T(0)));
    most += noise;
    std::fill_n(of, n_, weight(most));
    return most;
  };
  const T q_size = kind(z.q, end_->q, q_noise_, weights + 2 * m_);
  const T p_size = kind(z.p, end_->p, p_noise_, weights + 2 * m_ + n_);
  for (std::size_t r = 0; r < m_; ++r) {
    weights[r] = weight(q_size * position_sizes_[r] + mu_noise_[r]);
    weights[m_ + r] = weight(p_size * momentum_sizes_[r] + mu_noise_[m_ + r]);
  }
}

template <class T>
void SymmetricProjection<T>::commit(const StepReport<T>& report, Memory<T>& after) {
  after.lay_out({solver_.size(), 1});
  for (std::size_t k = 0; k < solver_.size(); ++k) after.numbers[0][k] = select(report.ok, solver_.x()[k], T(0));
  after.numbers[1][0] = select(report.ok, solver_.damped(), T(0));
  after.depth = 1;
  if (!tally_) return;
  const T* d = solver_.x().data() + 2 * m_;
  Displacement<T> moved;
  for (std::size_t k = 0; k < n_; ++k) {
    moved.q = max(moved.q, abs(d[k]));
    moved.p = max(moved.p, abs(d[n_ + k]));
  }
  tally_->add(moved, report.ok);
}

COTANGENT_INSTANTIATE(NUMBERS, SymmetricProjection);

}  // namespace cotangent
