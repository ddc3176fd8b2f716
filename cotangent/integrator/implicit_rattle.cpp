#include "cotangent/integrator/implicit_rattle.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/rattle.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {
namespace {

// A linear equation within Newton's method need not be solved better than the next iteration will improve on it.
constexpr double kLinearGoal = 1e-4;

// Dimensions of Krylov spaces: exact for small systems, and large ones gain a factor O(h) with each.
constexpr std::size_t kKrylov = 40;
constexpr std::size_t kKrylovNumbers = std::size_t{1} << 24;  // of the whole basis

std::size_t krylov_dimensions(std::size_t size) {
  return std::max<std::size_t>(6, std::min(kKrylov, kKrylovNumbers / std::max<std::size_t>(1, size)));
}

// A residual within so many rounding units of what it is summed up from is zero.
constexpr double kLevel = 4;

// Within so much of it an iteration that no longer shrinks has converged.
constexpr double kNear = 32;

template <class T>
T largest(const T* x, std::size_t count) {
  T most(0);
  for (std::size_t k = 0; k < count; ++k) most = select(isfinite(x[k]), max(most, abs(x[k])), T(infinity<T>()));
  return most;
}

}  // namespace

template <class T>
ImplicitRattle<T>::ImplicitRattle(Manifold<T>& manifold)
    : Integrator<T>(rattle_facts()),
      manifold_(manifold),
      system_(manifold.system()),
      forcing_(manifold.forcing()),
      n_(static_cast<std::size_t>(system_.n())),
      m_(static_cast<std::size_t>(system_.m())),
      states_(static_cast<std::size_t>(system_.elements().states)),
      x_(2 * n_ + m_ + states_, T(0)),
      e_(x_),
      dx_(x_),
      scale_(x_),
      va_(n_, T(0)),
      vb_(va_),
      F_(va_),
      c_(va_),
      rate_(static_cast<std::size_t>(system_.state_count()), T(0)),
      first_rate_(rate_),
      lambda_(m_, T(0)),
      Q_(va_),
      S_(rate_),
      Q_low_(va_),
      S_low_(rate_),
      l_minus_m_(lambda_),
      kick_(va_),
      rows_(lambda_),
      y_(va_),
      u_(va_),
      dF_(va_),
      ds_(rate_),
      scales_first_(system_),
      scales_end_(system_),
      gmres_(x_.size(), krylov_dimensions(x_.size())),
      end_(manifold) {
  // Multipliers are known to epsilon / h^2 only, and so are states that depend on them.
  near_states_ = forcing_.uses_multipliers() ? sqrt(T(epsilon<T>())) : T(kNear * kLevel * epsilon<T>());
}

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
  h_ = T(h);
  half_ = T(h / 2);
  t_ = T(z.t);
  t_end_ = T(z.time_after(h));
  // Steps of a driven system differ by rounding errors of the time; a guess does not mind.
  const LaneOf<T> difference = h > before.h ? h - before.h : before.h - h;
  history_ = difference > static_cast<LaneOf<T>>(1e-6) * (h > 0 ? h : -h) ? 0 : before.depth;
  if (history_ > 0) {
    end_.m() = before.numbers[0];
    l_minus_m_ = before.numbers[1];
  } else {
    std::fill(end_.m().begin(), end_.m().end(), T(0));
  }
  if (m_ > 0) scales_first_.evaluate(z.q.data(), t_);
  guess(z);
  if (m_ > 0) scales_end_.evaluate(parts(x_).Q, t_end_);
}

// A kick with the multipliers of the step before, and a drift with the velocity that it gives.
template <class T>
void ImplicitRattle<T>::guess(const PhasePoint<T>& z) {
  const Parts x = parts(x_);
  for (std::size_t r = 0; r < m_; ++r)
    x.l[r] = history_ == 0 ? T(0) : history_ == 1 ? end_.m()[r] : end_.m()[r] + l_minus_m_[r];
  for (std::size_t r = 0; r < m_; ++r) lambda_[r] = x.l[r] / half_;
  const At<T> at = system_.at(z);
  at.H_p(va_);
  T power(0);
  forcing_.force(z, va_.data(), lambda_.data(), F_.data(), power);
  forcing_.rates(z, va_.data(), lambda_.data(), power, rate_.data());
  at.Gt_times(x.l, c_);
  for (std::size_t j = 0; j < n_; ++j) x.p[j] = z.p[j] + (half_ * F_[j] - c_[j]);
  for (std::size_t k = 0; k < states_; ++k) x.s[k] = z.s[k] + half_ * rate_[k];
  system_.at(z.q, x.p, t_).H_p(va_);
  for (std::size_t j = 0; j < n_; ++j) x.Q[j] = z.q[j] + h_ * va_[j];
}

// The equations at x_, into e_; returns the largest, each part in units of what it is summed up from.
template <class T>
typename ImplicitRattle<T>::Residual ImplicitRattle<T>::residual(const PhasePoint<T>& z) {
  const Parts x = parts(x_), e = parts(e_);
  const PointRef<T> first(z.q.data(), x.p, x.s, t_);
  for (std::size_t r = 0; r < m_; ++r) lambda_[r] = x.l[r] / half_;
  const At<T> at_first = system_.at(first), at_end = system_.at(x.Q, x.p, t_end_);
  at_first.H_p(va_);
  T power(0);
  forcing_.force(first, va_.data(), lambda_.data(), F_.data(), power);
  forcing_.rates(first, va_.data(), lambda_.data(), power, rate_.data());
  at_first.Gt_times(x.l, c_);
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
  Residual worst{ratio_of(e.p, scale.p, n_), ratio_of(e.s, scale.s, states_)};
  worst.motion.include(ratio_of(e.Q, scale.Q, n_));
  if (m_ == 0) return worst;
  at_end.g(e.l);
  scales_end_.of_positions(scale.Q, t_end_, scale.l);
  worst.motion.include(ratio_of(e.l, scale.l, m_));
  return worst;
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

template <class T>
bool ImplicitRattle<T>::solve_first_half(const PhasePoint<T>& z, StepReport<T>& report) {
  const Parts x = parts(x_);
  RoundingStop<T> stop;
  while (true) {
    const Residual worst = residual(z);
    ++report.evaluations;
    const T level(kLevel * epsilon<T>());
    if (!stop.update(max(worst.motion.each, worst.states.each),
                     (worst.motion.each <= level) & (worst.states.each <= level),
                     (worst.motion.overall <= T(kNear) * level) & (worst.states.overall <= near_states_)))
      break;
    if (m_ > 0) {
      const auto factor = manifold_.matrix().factor_newton(x.Q, t_end_, {z.q.data(), x.p, x.s, t_});
      const Mask<T> singular = stop.active() & !factor.regular;
      if (any(singular)) {
        fail_singular_lanes(report, singular, manifold_.matrix(), largest(parts(e_).l, m_));
        if (!stop.fail(singular)) break;
      }
    }
    precondition(z, e_.data());
    set_weights();
    const auto product = [&](const T* a, T* out) {
      multiply(z, a, out);
      precondition(z, out);
    };
    report.iterations += gmres_.solve(product, e_.data(), T(kLinearGoal), dx_.data());
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] -= select(stop.active(), dx_[k], T(0));
  }
  report.tolerance = T(kLevel * epsilon<T>());
  const Mask<T> stuck = stop.failed();
  fail_lanes(report, stuck, all(isfinite(stop.residual())) ? StepStatus::position_solve_failed : StepStatus::not_finite,
             stop.residual());
  if (!any(report.ok)) return false;

  // The guess for the next step, and the end of the drift.
  for (std::size_t r = 0; r < m_; ++r) l_minus_m_[r] = x.l[r] - end_.m()[r];
  for (std::size_t j = 0; j < n_; ++j) {
    kick_[j] = half_ * F_[j] - c_[j];
    Q_low_[j] = z.q_low[j];
    Q_[j] = add_compensated(z.q[j], half_ * (va_[j] + vb_[j]), Q_low_[j]);
  }
  return true;
}

template <class T>
bool ImplicitRattle<T>::solve_second_half(const PhasePoint<T>& z, StepReport<T>& report) {
  const PointRef<T> middle(Q_.data(), parts(x_).p, parts(x_).s, t_end_);
  if (!end_.solve(z.p, z.p_low, kick_, middle, half_, report)) return false;

  // The states, and the work.
  std::swap(first_rate_, rate_);
  forcing_.rates(middle, end_.velocity().data(), end_.lambda().data(), end_.power(), rate_.data());
  Mask<T> finite(true);
  for (std::size_t k = 0; k < S_.size(); ++k) {
    S_low_[k] = z.s_low[k];
    S_[k] = add_compensated(z.s[k], half_ * (first_rate_[k] + rate_[k]), S_low_[k]);
    finite = finite & isfinite(S_[k]);
  }
  for (std::size_t j = 0; j < n_; ++j) finite = finite & isfinite(Q_[j]) & isfinite(end_.P()[j]);
  fail_lanes(report, !finite, StepStatus::not_finite, T(infinity<T>()));
  return any(report.ok);
}

template <class T>
void ImplicitRattle<T>::commit(PhasePoint<T>& z, LaneOf<T> h, const StepReport<T>& report, Memory<T>& after) {
  take_lanes(report.ok, Q_, z.q);
  take_lanes(report.ok, end_.P(), z.p);
  take_lanes(report.ok, S_, z.s);
  take_lanes(report.ok, Q_low_, z.q_low);
  take_lanes(report.ok, end_.P_low(), z.p_low);
  take_lanes(report.ok, S_low_, z.s_low);
  z.advance_time(h);
  // A lane that stayed behind has no history: it starts from zero, and the others do not notice.
  for (std::size_t r = 0; r < m_; ++r) {
    end_.m()[r] = select(report.ok, end_.m()[r], T(0));
    l_minus_m_[r] = select(report.ok, l_minus_m_[r], T(0));
  }
  after.numbers.resize(2);
  after.numbers[0] = end_.m();
  after.numbers[1] = l_minus_m_;
  after.depth = std::min(history_ + 1, 2);
  after.h = h;
}

COTANGENT_INSTANTIATE(NUMBERS, ImplicitRattle);

}  // namespace cotangent
