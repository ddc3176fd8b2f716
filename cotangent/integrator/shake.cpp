#include "cotangent/integrator/shake.hpp"

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

template <class T>
MethodFacts Shake<T>::sheet() {
  return {.name = "shake",
          .kind = "constrained",
          .description = "leapfrog with constraints: rattle, with momenta that are not projected in between",
          .order = 2,
          .symmetric = true,
          .symplectic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = "H = T(p) + V(q)",
          .reference = "ryckaert77"};
}

template <class T>
Shake<T>::Shake(Manifold<T>& manifold)
    : Integrator<T>(sheet()),
      manifold_(manifold),
      H_q_(manifold.system().H_q()),
      H_p_(manifold.system().H_p()),
      G_transposed_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      base_(n_, T(0)),
      base_low_(base_),
      kick_(base_),
      l_(m_, T(0)),
      rows_(l_),
      v_(base_),
      c_(base_),
      sizes_(base_),
      zero_(base_),
      norms_(2, T(0)),
      p_(base_),
      p_low_(base_),
      Q_(base_),
      Q_low_(base_),
      residuals_(manifold),
      end_(manifold),
      carried_(base_),
      carried_low_(base_) {
  frame_.out[out::norms] = norms_.data();
  if (!manifold.system().is_separable() || manifold.system().state_count() > 0)
    throw std::invalid_argument(
        "shake takes H(q, p) = T(p) + V(q) without forces, states or the time: use rattle, which is the same map and "
        "takes every system");
}

template <class T>
StepReport<T> Shake<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  StepReport<T> report;
  report.evaluations = 1;
  begin(z, h);
  const bool solved = solve_position(z, report);
  known_revision_ = 0;
  const PointRef<T> stage(Q_.data(), p_.data(), nullptr, t_end_);
  if (!solved || !end_.solve(p_, p_low_, zero_, stage, T(h / 2), report)) return report;
  Mask<T> finite(true);
  for (std::size_t j = 0; j < n_; ++j) finite = finite & isfinite(Q_[j]) & isfinite(end_.P()[j]);
  fail_lanes(report, !finite, StepStatus::not_finite, T(infinity<T>()));
  if (any(report.ok)) commit(z, h, report.ok);
  return report;
}

// What p' starts from: that of the step before, or p.
template <class T>
void Shake<T>::begin(const PhasePoint<T>& z, LaneOf<T> h) {
  h_ = T(h);
  t_end_ = T(z.time_after(h));
  const Mask<T> carried = z.revision == known_revision_ ? is_carried_ : Mask<T>(false);
  const T whole = select(carried, T((last_h_ + h) / 2), T(h / 2));
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.out[out::result] = kick_.data();
  H_q_(frame_);
  for (std::size_t j = 0; j < n_; ++j) {
    base_[j] = select(carried, carried_[j], z.p[j]);
    base_low_[j] = select(carried, carried_low_[j], z.p_low[j]);
    kick_[j] = -(whole * kick_[j]);
  }
  // m, the last kick of the step before, was a guess of half of it.
  const T share = select(carried, last_h_ == 0 ? T(0) : T(1 + h / last_h_), T(0));
  for (std::size_t r = 0; r < m_; ++r) l_[r] = select(carried, share * end_.m()[r], T(0));
}

// p' and Q from l.
template <class T>
void Shake<T>::drift(const PhasePoint<T>& z) {
  if (m_ > 0) {
    frame_.in[in::q] = z.q.data();
    frame_.in[in::weights] = l_.data();
    frame_.out[out::result] = c_.data();
    G_transposed_times_(frame_);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    p_low_[j] = base_low_[j];
    p_[j] = add_compensated(base_[j], kick_[j] - c_[j], p_low_[j]);
  }
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = p_.data();
  frame_.out[out::result] = v_.data();
  H_p_(frame_);
  for (std::size_t j = 0; j < n_; ++j) {
    Q_low_[j] = z.q_low[j];
    Q_[j] = add_compensated(z.q[j], h_ * v_[j], Q_low_[j]);
    sizes_[j] = abs(z.q[j]) + abs(h_ * v_[j]);
  }
}

template <class T>
bool Shake<T>::solve_position(const PhasePoint<T>& z, StepReport<T>& report) {
  drift(z);
  if (m_ == 0) return true;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  residuals_.take_gradients(Q_.data(), t_end_);
  Mask<T> singular(false);
  const bool some = solve_rows(
      [&] { return residuals_.position(Q_.data(), t_end_, sizes_.data(), rows_.data()); },
      [&](const Mask<T>& active) {
        const auto factor = matrix.factor_newton(Q_.data(), t_end_, {z.q.data(), p_.data(), nullptr, T(z.t)});
        singular = singular | (active & !factor.regular);
        matrix.solve(rows_.data());
        for (std::size_t r = 0; r < m_; ++r) l_[r] += select(active, rows_[r] / h_, T(0));
        drift(z);
      },
      StepStatus::position_solve_failed, report);
  // A long step leads to where K is singular; that is no fault of the constraints unless R is so where it began.
  if (any(singular & !report.ok) && !all(matrix.factor(z).regular | !singular)) {
    report.status = StepStatus::singular_constraints;
    for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
      if (lane(singular, i)) report.row = matrix.worst_row(i);
  }
  return some;
}

template <class T>
void Shake<T>::commit(PhasePoint<T>& z, LaneOf<T> h, const Mask<T>& ok) {
  take_lanes(ok, Q_, z.q);
  take_lanes(ok, Q_low_, z.q_low);
  take_lanes(ok, end_.P(), z.p);
  take_lanes(ok, end_.P_low(), z.p_low);
  z.advance_time(h);
  std::swap(carried_, p_);
  std::swap(carried_low_, p_low_);
  is_carried_ = ok;
  last_h_ = h;
  z.revision = known_revision_ = next_revision_();
}

COTANGENT_INSTANTIATE(NUMBERS, Shake);

}  // namespace cotangent
