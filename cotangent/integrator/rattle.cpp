#include "cotangent/integrator/rattle.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cotangent {
namespace {

// An iteration that contracts less than this gets a new matrix.
constexpr double kSlowContraction = 0.2;

}  // namespace

template <class T>
MethodFacts Rattle<T>::sheet() {
  return {.name = "rattle",
          .description = "symplectic and symmetric on the constraint manifold; explicit but for the multipliers",
          .order = 2,
          .symmetric = true,
          .symplectic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = "H = T(p) + V(q)",
          .reference = "andersen83"};
}

template <class T>
Rattle<T>::Rattle(Manifold<T>& manifold)
    : Integrator<T>(sheet()),
      system_(manifold.system()),
      matrix_(manifold.matrix()),
      at_q_(system_.frame()),
      at_Q_(system_.frame()),
      n_(static_cast<std::size_t>(system_.n())),
      rows_count_(static_cast<std::size_t>(system_.m())),
      Q_(n_, T(0)),
      P_(Q_),
      v_(Q_),
      drift_(Q_),
      kick_(Q_),
      f_(Q_),
      F_(Q_),
      c_(Q_),
      l_(rows_count_, T(0)),
      m_(l_),
      rows_(l_),
      w_(l_),
      w_before_(l_),
      norms_(2, T(0)) {
  if (!system_.is_separable())
    throw std::invalid_argument(
        "rattle: H is not of the form T(p) + V(q), so its kicks would not be explicit; use the method rk4");
  at_q_.out[out::norms] = at_Q_.out[out::norms] = norms_.data();
}

template <class T>
StepReport<T> Rattle<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  StepReport<T> report;
  at_q_.in[in::q] = z.q.data();
  at_q_.in[in::weights] = l_.data();
  at_Q_.in[in::q] = Q_.data();
  prepare(z, h);
  known_revision_ = 0;  // until the step has succeeded
  if (solve_position(z, h, report) && solve_momentum(z, h, report)) commit(z, h, report.ok);
  return report;
}

// H_q(q) and a guess for l: kept from the last step, or found anew.
template <class T>
void Rattle<T>::prepare(const PhasePoint<T>& z, LaneOf<T> h) {
  if (z.revision != known_revision_) {
    history_ = 0;
    at_q_.in[in::p] = z.p.data();
    at_q_.out[out::result] = f_.data();
    system_.H_q()(at_q_);
    g_scale_ = psi_scale_ = T(0);
  }
  if (h != last_h_) history_ = 0;
  last_h_ = h;
  predict();
}

template <class T>
void Rattle<T>::predict() {
  for (std::size_t r = 0; r < rows_count_; ++r) {
    switch (history_) {
      case 0: l_[r] = T(0); break;
      case 1: l_[r] = m_[r] + w_[r]; break;
      default: l_[r] = m_[r] + (T(2) * w_[r] - w_before_[r]);
    }
  }
}

// v = H_p(p).
template <class T>
void Rattle<T>::velocity(const T* p, T* v) {
  if (system_.has_homogeneous_mass()) {
    const T* W = system_.diagonal_mass()->data();
    for (std::size_t j = 0; j < n_; ++j) v[j] = W[j] * p[j];
    return;
  }
  at_q_.in[in::p] = p;
  at_q_.out[out::result] = v;
  system_.H_p()(at_q_);
}

// kick = -h/2 H_q(q) - G(q)' l,  p' = p + kick,  Q = q + h H_p(p').
template <class T>
void Rattle<T>::drift(const PhasePoint<T>& z, LaneOf<T> h) {
  if (rows_count_ > 0) {
    at_q_.out[out::result] = c_.data();
    system_.G_transposed_times()(at_q_);
  }
  const T half(h / 2);
  for (std::size_t j = 0; j < n_; ++j) {
    kick_[j] = -(half * f_[j] + c_[j]);
    P_[j] = z.p[j] + (kick_[j] + z.p_low[j]);
  }
  velocity(P_.data(), drift_.data());
  for (std::size_t j = 0; j < n_; ++j) Q_[j] = z.q[j] + (T(h) * drift_[j] + z.q_low[j]);
}

template <class T>
bool Rattle<T>::solve_position(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report) {
  if (rows_count_ == 0) {
    drift(z, h);
    return true;
  }
  bool factored = false;
  const T per_step(1 / h);
  RoundingStop<T> stop;
  while (true) {
    drift(z, h);
    at_Q_.out[out::result] = rows_.data();
    system_.g()(at_Q_);
    report.tolerance = T(epsilon<T>()) * (norms_[1] + g_scale_);
    if (!stop.update(norms_[0], report.tolerance)) break;

    if (!factored || any(stop.active() & (stop.contraction() > T(kSlowContraction)))) {
      const auto factor = matrix_.factor_newton(Q_.data(), z.q.data(), P_.data());
      factored = true;
      if (!all(factor.regular | !stop.active())) return end_singular(factor.regular, report);
    }
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < rows_count_; ++r) l_[r] += select(stop.active(), rows_[r] * per_step, T(0));
  }
  g_scale_ = norms_[1];
  return end_solve(stop, StepStatus::position_solve_failed, report);
}

// From p' to P: the second kick, and the multipliers that project it onto G H_p = 0.
template <class T>
bool Rattle<T>::solve_momentum(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report) {
  at_Q_.in[in::p] = P_.data();
  at_Q_.out[out::result] = F_.data();
  system_.H_q()(at_Q_);
  const T half(h / 2);
  for (std::size_t j = 0; j < n_; ++j) {
    kick_[j] -= half * F_[j];
    P_[j] = z.p[j] + (kick_[j] + z.p_low[j]);
  }
  if (rows_count_ == 0) return true;

  std::fill(m_.begin(), m_.end(), T(0));
  RoundingStop<T> stop;
  T first_scale(0);
  bool factored = false;
  while (true) {
    velocity(P_.data(), v_.data());
    at_Q_.in[in::a_q] = v_.data();
    at_Q_.out[out::result] = rows_.data();
    system_.G_times()(at_Q_);
    if (stop.iterations() == 0) first_scale = norms_[1] + psi_scale_;
    report.tolerance = T(epsilon<T>()) * (norms_[1] + first_scale);
    if (!stop.update(norms_[0], report.tolerance)) break;

    if (!factored || !system_.diagonal_mass()) {
      const auto factor = matrix_.factor(Q_.data(), P_.data());
      factored = true;
      if (!all(factor.regular | !stop.active())) return end_singular(factor.regular, report);
    }
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < rows_count_; ++r) {
      rows_[r] = select(stop.active(), rows_[r], T(0));
      m_[r] += rows_[r];
    }
    at_Q_.in[in::weights] = rows_.data();
    at_Q_.out[out::result] = c_.data();
    system_.G_transposed_times()(at_Q_);
    for (std::size_t j = 0; j < n_; ++j) {
      kick_[j] -= c_[j];
      P_[j] = z.p[j] + (kick_[j] + z.p_low[j]);
    }
  }
  psi_scale_ = norms_[1];
  return end_solve(stop, StepStatus::momentum_solve_failed, report);
}

// Lanes that failed stay where they were; the step goes on if some lane is left.
template <class T>
bool Rattle<T>::end_solve(const RoundingStop<T>& stop, StepStatus failure, StepReport<T>& report) {
  report.iterations += stop.iterations() - 1;
  if (any(report.ok & !stop.converged())) {
    report.status = all(isfinite(stop.residual())) ? failure : StepStatus::not_finite;
    report.ok = report.ok & stop.converged();
    report.residual = stop.residual();
    return any(report.ok);
  }
  if (report.status == StepStatus::ok) report.residual = max(report.residual, stop.residual());
  return true;
}

template <class T>
bool Rattle<T>::end_singular(const Mask<T>& regular, StepReport<T>& report) {
  report.status = StepStatus::singular_constraints;
  report.ok = Mask<T>(false);
  report.residual = norms_[0];
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (!lane(regular, i)) report.row = matrix_.worst_row(i);
  return false;
}

template <class T>
void Rattle<T>::commit(PhasePoint<T>& z, LaneOf<T> h, const Mask<T>& ok) {
  // Q and P are rounded sums of q, p and increments; what rounding lost goes on.
  for (std::size_t j = 0; j < n_; ++j) {
    T low = z.p_low[j];
    P_[j] = select(ok, add_compensated(z.p[j], kick_[j], low), z.p[j]);
    z.p_low[j] = select(ok, low, z.p_low[j]);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    T low = z.q_low[j];
    Q_[j] = select(ok, add_compensated(z.q[j], T(h) * drift_[j], low), z.q[j]);
    z.q_low[j] = select(ok, low, z.q_low[j]);
  }
  std::swap(z.q, Q_);
  std::swap(z.p, P_);
  std::swap(f_, F_);
  std::swap(w_, w_before_);
  for (std::size_t r = 0; r < rows_count_; ++r) w_[r] = l_[r] - m_[r];
  history_ = std::min(history_ + 1, 2);
  z.t += h;
  z.revision = next_revision_();
  // A lane that was left behind spoils what is known for the next step.
  known_revision_ = all(ok) ? z.revision : 0;
}

template class Rattle<double>;
template class Rattle<long double>;
template class Rattle<Quad>;
template class Rattle<Lanes>;

}  // namespace cotangent
