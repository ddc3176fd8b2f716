#include "cotangent/integrator/rattle/implicit_rattle.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/interruptible.hpp"
#include "cotangent/base/scattered_signs.hpp"
#include "cotangent/integrator/rattle/rattle.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/solve/iteration/damped_newton.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// A linear equation within Newton's method need not be solved better than the next iteration will improve on it.
constexpr double kLinearGoal = 1e-4;

// Dimensions of Krylov spaces: exact for small systems, and large ones gain a factor O(h) with each.
constexpr std::size_t kKrylovNumbers = std::size_t{1} << 24;  // of the whole basis

std::size_t krylov_dimensions(std::size_t size) {
  return std::max<std::size_t>(6, std::min(kKrylov, kKrylovNumbers / std::max<std::size_t>(1, size)));
}

// Rows are as wrong as their evaluation and the numbers that they are evaluated at.
template <class T>
T units(double count) {
  return T(2 * count * epsilon<T>());
}

// Improves something until every row of its residual is at its own rounding level.
// @param evaluate() gives the residual, as a Ratio.
// @param improve(active) makes it smaller in these lanes, or says in the report that it cannot.
// @param find_noise(lanes) measures what rounding leaves there of the rows, where they do not get on for no known
// reason: anew where they do so again, as it may be another one there. A row in which everything cancels may be nothing
// but rounding errors; it is near its level by the others of its kind.
// @param failure what has happened where that does not succeed.
// @return whether some lane is left.
template <class T, class Evaluate, class Improve, class FindNoise>
bool solve_rows(const Evaluate& evaluate, const Improve& improve, const FindNoise& find_noise, StepStatus failure,
                StepReport<T>& report) {
  RoundingStop<T> stop;
  report.tolerance = units<T>(kZeroUnits);
  while (stop.fail(!report.ok)) {
    check_interruption();
    Ratio<T> ratio = evaluate();
    const Mask<T> is_stuck = stop.active() & stop.is_slow(ratio.each) & (ratio.overall <= T(kMostNoise)) &
                             !(ratio.each <= report.tolerance) & !(ratio.overall <= units<T>(kNearUnits));
    if (any(is_stuck)) {
      find_noise(is_stuck);
      ratio = evaluate();
    }
    if (!stop.update(ratio.each, ratio.each <= report.tolerance, ratio.overall <= units<T>(kNearUnits))) break;
    improve(stop.active());
  }
  fail_lanes(report, stop.failed(), all(isfinite(stop.residual())) ? failure : StepStatus::not_finite, stop.residual());
  return any(report.ok);
}

}  // namespace

template <class T>
ImplicitRattle<T>::ImplicitRattle(Manifold<T>& manifold)
    : Integrator<T>(rattle_facts()),
      manifold_(manifold),
      gmres_(x_.size(), krylov_dimensions(x_.size())),
      multiplier_gmres_(forcing_.uses_multipliers() ? m_ : 0, krylov_dimensions(m_)) {}

template <class T>
StepReport<T> ImplicitRattle<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report;
  begin(z, h, z.memory(this->id()));
  if (!solve_first_half(z, report) || !solve_second_half(z, report)) return report;
  end.adjust() = z;
  commit(end.adjust(), h, report, end.remember(this->id()));
  return report;
}

template <class T>
void ImplicitRattle<T>::begin(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before) {
  std::fill(noise_.begin(), noise_.end(), T(0));
  h_ = T(h);
  half_ = T(h / 2);
  t_ = T(z.t);
  t_end_ = T(z.time_after(h));
  // Steps of a driven system differ by rounding errors of the time; a guess does not mind.
  const LaneOf<T> difference = h > before.h ? h - before.h : before.h - h;
  has_history_ = before.depth > 0 && difference <= static_cast<LaneOf<T>>(1e-6) * (h > 0 ? h : -h);
  if (has_history_) {
    m_kick_ = before.numbers[0];
    l_minus_m_ = before.numbers[1];
  } else {
    std::fill(m_kick_.begin(), m_kick_.end(), T(0));
    std::fill(l_minus_m_.begin(), l_minus_m_.end(), T(0));
  }
  if (m_ > 0) scales_first_.evaluate(z.q.data(), t_);
  guess(z);
  if (m_ > 0) scales_end_.evaluate(parts(x_).Q, t_end_);
}

// H_p, F, the rates of the states and G'l at the first end.
template <class T>
void ImplicitRattle<T>::evaluate(const PointRef<T>& first) {
  const T* l = parts(x_).l;
  for (std::size_t r = 0; r < m_; ++r) lambda_[r] = l[r] / half_;
  const At<T> at = system_.at(first);
  at.H_p(va_);
  forcing_.force(first, va_.data(), lambda_.data(), F_.data(), power_);
  forcing_.rates(first, va_.data(), lambda_.data(), power_, rate_.data());
  at.Gt_times(l, c_);
}

// A kick with the multipliers of the step before, and a drift with the velocity that it gives.
template <class T>
void ImplicitRattle<T>::guess(const PhasePoint<T>& z) {
  const Parts x = parts(x_);
  for (std::size_t r = 0; r < m_; ++r) x.l[r] = m_kick_[r] + l_minus_m_[r];
  evaluate(z);
  for (std::size_t j = 0; j < n_; ++j) x.p[j] = z.p[j] + (half_ * F_[j] - c_[j]);
  for (std::size_t k = 0; k < states_; ++k) x.s[k] = z.s[k] + half_ * rate_[k];
  system_.at(z.q, x.p, t_).H_p(va_);
  for (std::size_t j = 0; j < n_; ++j) x.Q[j] = z.q[j] + h_ * va_[j];
}

// The equations at x_, into e_; returns the largest, each part in units of what it is summed up from.
template <class T>
Ratio<T> ImplicitRattle<T>::residual(const PhasePoint<T>& z) {
  const Parts x = parts(x_), e = parts(e_);
  const PointRef<T> first(z.q.data(), x.p, x.s, t_);
  const At<T> at_first = system_.at(first), at_end = system_.at(x.Q, x.p, t_end_);
  evaluate(first);
  const Parts scale = parts(scale_);
  for (std::size_t j = 0; j < n_; ++j) {
    const T force = half_ * F_[j];
    e.p[j] = (x.p[j] - z.p[j]) - ((force - c_[j]) + z.p_low[j]);
    scale.p[j] = abs(z.p[j]) + abs(x.p[j]) + abs(force);
  }
  // Multipliers may cancel in G'l, and still leave their rounding errors.
  if (m_ > 0) scales_first_.add_along_columns(x.l, scale.p);
  at_end.H_p(vb_);
  // A velocity may be small because large momenta cancel in p': they count with W.
  at_first.H_pp_times(scale.p, y_);
  for (std::size_t j = 0; j < n_; ++j) {
    const T drift = half_ * (va_[j] + vb_[j]);
    e.Q[j] = (x.Q[j] - z.q[j]) - (drift + z.q_low[j]);
    scale.Q[j] = abs(z.q[j]) + abs(drift) + abs(h_ * y_[j]);
  }
  for (std::size_t k = 0; k < states_; ++k) {
    e.s[k] = (x.s[k] - z.s[k]) - (half_ * rate_[k] + z.s_low[k]);
    scale.s[k] = abs(z.s[k]) + abs(half_ * rate_[k]);
  }
  if (m_ > 0) at_end.g(e.l);
  if (m_ > 0) scales_end_.of_positions(scale.Q, t_end_, scale.l);
  for (std::size_t k = 0; k < scale_.size(); ++k) scale_[k] += noise_[k];
  Ratio<T> worst = ratio_of(e.s, scale.s, states_);
  // Multipliers are known to epsilon / h^2 only, and so are states that depend on them.
  if (forcing_.uses_multipliers()) worst.overall *= units<T>(kNearUnits) / sqrt(T(epsilon<T>()));
  worst.include(ratio_of(e.p, scale.p, n_));
  worst.include(ratio_of(e.Q, scale.Q, n_));
  if (m_ > 0) worst.include(ratio_of(e.l, scale.l, m_));
  return worst;
}

// In units of epsilon: by how much the equations change if q and everything unknown is moved by an ulp of the largest
// of its kind. Forces that cancel leave more than their sum says, and so does a Legendre transformation.
template <class T>
void ImplicitRattle<T>::find_noise(const PhasePoint<T>& z, const Mask<T>& lanes) {
  dx_ = e_;
  moved_ = x_;
  beside_ = z;
  ScatteredSigns sign;
  const auto move = [&](T* x, std::size_t count) {
    T largest(0);
    for (std::size_t k = 0; k < count; ++k) largest = max(largest, abs(x[k]));
    for (std::size_t k = 0; k < count; ++k) x[k] += sign(T(epsilon<T>()) * largest);
  };
  const Parts x = parts(x_);
  move(beside_.q.data(), n_);
  move(x.p, n_);
  move(x.Q, n_);
  move(x.s, states_);
  static_cast<void>(residual(beside_));
  for (std::size_t k = 0; k < e_.size(); ++k) {
    const T change = abs(e_[k] - dx_[k]) / T(epsilon<T>());
    noise_[k] = select(lanes & isfinite(change), change, noise_[k]);
  }
  std::swap(x_, moved_);
}

// Components are measured in their own units, but for those that are tiny beside others.
template <class T>
void ImplicitRattle<T>::set_weights() {
  if (m_ > 0) scales_first_.balance(parts(scale_).p, parts(scale_).l);
  const T least(sqrt(static_cast<double>(epsilon<T>())));
  const auto set = [&](const T* scale, std::size_t count, T* weight) {
    T most(0);
    for (std::size_t k = 0; k < count; ++k) most = max(most, scale[k]);
    for (std::size_t k = 0; k < count; ++k) weight[k] = select(most > T(0), T(1) / max(scale[k], least * most), T(1));
  };
  const Parts scale = parts(scale_), weight = parts(gmres_.weights());
  set(scale.p, n_, weight.p);
  set(scale.Q, n_, weight.Q);
  set(scale.l, m_, weight.l);
  set(scale.s, states_, weight.s);
}

// The derivative of the equations at x_ along a.
template <class T>
void ImplicitRattle<T>::multiply(const PhasePoint<T>& z, const T* a, T* out) {
  const Parts x = parts(x_), d = parts(out);
  const T *a_p = a, *a_Q = a + n_, *a_l = a_Q + n_, *a_s = a_l + m_;
  const PointRef<T> first(z.q.data(), x.p, x.s, t_);
  const At<T> at_first = system_.at(first), at_end = system_.at(x.Q, x.p, t_end_);
  // W a_p at the first end: the change of va, on which forces depend.
  at_first.H_pp_times(a_p, y_);
  for (std::size_t r = 0; r < m_; ++r) rows_[r] = a_l[r] / half_;
  forcing_.force_along(first, va_.data(), lambda_.data(), a_p, y_.data(), a_s, rows_.data(), dF_.data());
  forcing_.rates_along(first, va_.data(), lambda_.data(), a_p, y_.data(), a_s, rows_.data(), ds_.data());
  at_first.Gt_times(a_l, u_);
  for (std::size_t j = 0; j < n_; ++j) d.p[j] = a_p[j] - half_ * dF_[j] + u_[j];
  for (std::size_t k = 0; k < states_; ++k) d.s[k] = a_s[k] - half_ * ds_[k];

  at_end.H_p_along(a_Q, a_p, Time::held, u_);
  for (std::size_t j = 0; j < n_; ++j) d.Q[j] = a_Q[j] - half_ * (y_[j] + u_[j]);
  if (m_ > 0) at_end.G_times(a_Q, d.l);
}

// x <- the solution with the matrix that the exact one tends to for small h.
template <class T>
void ImplicitRattle<T>::precondition(const PhasePoint<T>& z, T* right) {
  const Parts x = parts(x_), r = parts(right);
  const At<T> at_first = system_.at(z.q, x.p, t_);
  if (m_ > 0) {
    // h K dl = G(Q) (r_Q + h W r_p) - r_l
    at_first.H_pp_times(r.p, y_);
    for (std::size_t j = 0; j < n_; ++j) y_[j] = r.Q[j] + h_ * y_[j];
    system_.at(x.Q, t_end_).G_times(y_, rows_);
    for (std::size_t i = 0; i < m_; ++i) rows_[i] = (rows_[i] - r.l[i]) / h_;
    manifold_.matrix().solve(rows_.data());
    std::copy(rows_.begin(), rows_.end(), r.l);
    at_first.Gt_times(r.l, u_);
    for (std::size_t j = 0; j < n_; ++j) r.p[j] -= u_[j];
  }
  at_first.H_pp_times(r.p, y_);
  for (std::size_t j = 0; j < n_; ++j) r.Q[j] += h_ * y_[j];
}

// A step of Newton's method. Rows that are zero but for rounding stay what they are: that of g(Q) leaves epsilon / h of
// multipliers, beside which a correction of the rows of p' is lost where h is short.
template <class T>
void ImplicitRattle<T>::improve(const PhasePoint<T>& z, const Mask<T>& active, StepReport<T>& report) {
  const Parts x = parts(x_);
  for (std::size_t k = 0; k < e_.size(); ++k)
    e_[k] -= select(abs(e_[k]) <= T(kZeroUnits) * T(epsilon<T>()) * scale_[k], value_of(e_[k]), T(0));
  if (m_ > 0) {
    const auto factor = manifold_.matrix().factor_newton(x.Q, t_end_, {z.q.data(), x.p, x.s, t_});
    if (const Mask<T> singular = active & !factor.regular; any(singular)) {
      T most(0);
      for (std::size_t r = 0; r < m_; ++r) most = max(most, abs(parts(e_).l[r]));
      fail_singular_lanes(report, singular, manifold_.matrix(), most);
    }
    if (!any(active & report.ok)) return;
  }
  precondition(z, e_.data());
  set_weights();
  const auto product = [&](const T* a, T* out) {
    multiply(z, a, out);
    precondition(z, out);
  };
  report.iterations += gmres_.solve(product, e_.data(), T(kLinearGoal), dx_.data());
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] -= select(active & report.ok, dx_[k], T(0));
}

template <class T>
bool ImplicitRattle<T>::solve_first_half(const PhasePoint<T>& z, StepReport<T>& report) {
  const bool goes_on = solve_rows(
      [&] {
        ++report.evaluations;
        return residual(z);
      },
      [&](const Mask<T>& active) { improve(z, active, report); },
      [&](const Mask<T>& lanes) {
        ++report.evaluations;
        find_noise(z, lanes);
      },
      m_ > 0 ? StepStatus::position_solve_failed : StepStatus::stage_solve_failed, report);
  if (!goes_on) return false;

  // The guess for the next step, and the end of the drift.
  for (std::size_t r = 0; r < m_; ++r) l_minus_m_[r] = parts(x_).l[r] - m_kick_[r];
  for (std::size_t j = 0; j < n_; ++j) {
    kick_[j] = half_ * F_[j] - c_[j];
    Z_.q_low[j] = z.q_low[j];
    Z_.q[j] = add_compensated(z.q[j], half_ * (va_[j] + vb_[j]), Z_.q_low[j]);
  }
  return true;
}

// P from the multipliers m.
template <class T>
void ImplicitRattle<T>::last_kick(const PhasePoint<T>& z, const PointRef<T>& middle) {
  for (std::size_t r = 0; r < m_; ++r) lambda_[r] = m_kick_[r] / half_;
  forcing_.force(middle, vb_.data(), lambda_.data(), F_.data(), power_);
  system_.at(middle).Gt_times(m_kick_.data(), c_.data());
  for (std::size_t j = 0; j < n_; ++j) {
    Z_.p_low[j] = z.p_low[j];
    Z_.p[j] = add_compensated(z.p[j], kick_[j] + (half_ * F_[j] - c_[j]), Z_.p_low[j]);
  }
}

// psi at the end, held against what is added up in it: P may be much smaller than what it is the sum of.
template <class T>
Ratio<T> ImplicitRattle<T>::momentum_residual(const PhasePoint<T>& z, const PointRef<T>& end) {
  T* scale = parts(scale_).l;
  for (std::size_t j = 0; j < n_; ++j) u_[j] = abs(z.p[j]) + abs(parts(x_).p[j]) + abs(half_ * F_[j]) + abs(c_[j]);
  const At<T> at = system_.at(end);
  at.psi(va_, psi_.data());
  at.H_pp_times(u_.data(), y_);
  for (std::size_t j = 0; j < n_; ++j) y_[j] = abs(y_[j]) + abs(va_[j]);
  scales_end_.along_rows(y_.data(), T(1), scale);
  for (std::size_t r = 0; r < m_; ++r) scale[r] += manifold_.matrix().diagonal_scale(r, m_kick_[r]);
  return ratio_of(psi_.data(), scale, m_);
}

template <class T>
bool ImplicitRattle<T>::solve_momentum(const PhasePoint<T>& z, const PointRef<T>& middle, StepReport<T>& report) {
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const PointRef<T> end(middle.q, Z_.p.data(), middle.s, middle.t);
  system_.at(middle).H_p(vb_);
  std::fill(m_kick_.begin(), m_kick_.end(), T(0));
  last_kick(z, middle);
  if (m_ == 0) return true;

  scales_end_.evaluate(middle.q, middle.t);
  const Mask<T> singular = !matrix.factor(end).regular;
  if (any(report.ok & singular)) fail_singular_lanes(report, singular, matrix, T(0));
  // The direction a in m -> a - R^-1 G H_pp F_lambda a.
  const auto multiply_rows = [&](const T* a, T* out) {
    for (std::size_t r = 0; r < m_; ++r) rows_[r] = a[r] / half_;
    forcing_.force_along(middle, vb_.data(), lambda_.data(), zero_.data(), zero_.data(), zero_.data(), rows_.data(),
                         dF_.data());
    for (std::size_t j = 0; j < n_; ++j) dF_[j] *= half_;
    system_.at(end).H_pp_times(dF_.data(), y_.data());
    system_.at(end).G_times(y_.data(), out);
    matrix.solve(out);
    for (std::size_t r = 0; r < m_; ++r) out[r] = a[r] - out[r];
  };
  return solve_rows(
      [&] {
        ++report.iterations;
        return momentum_residual(z, end);
      },
      [&](const Mask<T>& active) {
        matrix.solve(psi_.data());
        if (forcing_.uses_multipliers()) {
          std::swap(right_, psi_);
          report.iterations += multiplier_gmres_.solve(multiply_rows, right_.data(), T(kLinearGoal), psi_.data());
        }
        for (std::size_t r = 0; r < m_; ++r) m_kick_[r] += select(active, psi_[r], T(0));
        last_kick(z, middle);
      },
      [](const Mask<T>&) {}, StepStatus::momentum_solve_failed, report);
}

template <class T>
bool ImplicitRattle<T>::solve_second_half(const PhasePoint<T>& z, StepReport<T>& report) {
  const PointRef<T> middle(Z_.q.data(), parts(x_).p, parts(x_).s, t_end_);
  if (!solve_momentum(z, middle, report)) return false;

  // The states, and the work.
  std::swap(first_rate_, rate_);
  forcing_.rates(middle, vb_.data(), lambda_.data(), power_, rate_.data());
  Mask<T> finite(true);
  for (std::size_t k = 0; k < Z_.s.size(); ++k) {
    Z_.s_low[k] = z.s_low[k];
    Z_.s[k] = add_compensated(z.s[k], half_ * (first_rate_[k] + rate_[k]), Z_.s_low[k]);
    finite = finite & isfinite(Z_.s[k]);
  }
  for (std::size_t j = 0; j < n_; ++j) finite = finite & isfinite(Z_.q[j]) & isfinite(Z_.p[j]);
  fail_lanes(report, !finite, StepStatus::not_finite, T(infinity<T>()));
  return any(report.ok);
}

template <class T>
void ImplicitRattle<T>::commit(PhasePoint<T>& z, LaneOf<T> h, const StepReport<T>& report, Memory<T>& after) {
  take_lanes(report.ok, Z_, z);
  z.advance_time(h);
  // A lane that stayed behind has no history: it starts from zero, and the others do not notice. The first l has no m
  // before it.
  for (std::size_t r = 0; r < m_; ++r) {
    m_kick_[r] = select(report.ok, m_kick_[r], T(0));
    l_minus_m_[r] = select(report.ok & Mask<T>(has_history_), l_minus_m_[r], T(0));
  }
  after.lay_out({m_, m_});
  after.numbers[0] = m_kick_;
  after.numbers[1] = l_minus_m_;
  after.depth = 1;
  after.h = h;
}

COTANGENT_INSTANTIATE(NUMBERS, ImplicitRattle);

}  // namespace cotangent
