#include "cotangent/integrator/end_kick.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// A linear equation within Newton's method need not be solved better than the next iteration will improve on it.
constexpr double kLinearGoal = 1e-4;

// Dimensions of the Krylov space for multipliers that forces depend on.
constexpr std::size_t kKrylov = 40;

}  // namespace

template <class T>
EndKick<T>::EndKick(Manifold<T>& manifold)
    : manifold_(manifold),
      forcing_(manifold.forcing()),
      system_(manifold.system()),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      v_(n_, T(0)),
      F_(v_),
      c_(v_),
      lambda_(m_, T(0)),
      m_kick_(lambda_),
      last_(v_),
      P_(v_),
      P_low_(v_),
      y_(v_),
      u_(v_),
      psi_(lambda_),
      right_(lambda_),
      rows_(lambda_),
      zero_(std::max(n_, static_cast<std::size_t>(manifold.system().state_count())), T(0)),
      dF_(v_),
      residuals_(manifold),
      gmres_(forcing_.uses_multipliers() ? m_ : 0, kKrylov) {}

// P from the multipliers m.
template <class T>
void EndKick<T>::kick(const std::vector<T>& p, const std::vector<T>& p_low, const std::vector<T>& before,
                      const PointRef<T>& stage, const T& weight) {
  for (std::size_t r = 0; r < m_; ++r) lambda_[r] = m_kick_[r] / weight;
  forcing_.force(stage, v_.data(), lambda_.data(), F_.data(), power_);
  system_.at(stage).Gt_times(m_kick_.data(), c_.data());
  for (std::size_t j = 0; j < n_; ++j) {
    last_[j] = weight * F_[j] - c_[j];
    P_low_[j] = p_low[j];
    P_[j] = add_compensated(p[j], before[j] + last_[j], P_low_[j]);
  }
}

template <class T>
bool EndKick<T>::solve(const std::vector<T>& p, const std::vector<T>& p_low, const std::vector<T>& kick_before,
                       const PointRef<T>& stage, const T& weight, StepReport<T>& report) {
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const PointRef<T> end(stage.q, P_.data(), stage.s, stage.t);
  system_.at(stage).H_p(v_.data());
  std::fill(m_kick_.begin(), m_kick_.end(), T(0));
  kick(p, p_low, kick_before, stage, weight);
  if (m_ == 0) return true;

  residuals_.take_gradients(stage.q, stage.t);
  const auto factor = matrix.factor(end);
  const Mask<T> singular = !factor.regular;
  if (any(report.ok & singular)) fail_singular_lanes(report, singular, matrix, T(0));
  // The direction a in m -> a - R^-1 G H_pp F_lambda a.
  const auto multiply = [&](const T* a, T* out) {
    for (std::size_t r = 0; r < m_; ++r) rows_[r] = a[r] / weight;
    forcing_.force_along(stage, v_.data(), lambda_.data(), zero_.data(), zero_.data(), zero_.data(), rows_.data(),
                         dF_.data());
    for (std::size_t j = 0; j < n_; ++j) dF_[j] *= weight;
    system_.at(end).H_pp_times(dF_.data(), y_.data());
    system_.at(end).G_times(y_.data(), out);
    matrix.solve(out);
    for (std::size_t r = 0; r < m_; ++r) out[r] = a[r] - out[r];
  };
  return solve_rows(
      [&] {
        for (std::size_t j = 0; j < n_; ++j) u_[j] = abs(p[j]) + abs(stage.p[j]) + abs(weight * F_[j]) + abs(c_[j]);
        return residuals_.momentum(end, u_.data(), m_kick_.data(), psi_.data());
      },
      [&](const Mask<T>& active) {
        matrix.solve(psi_.data());
        if (forcing_.uses_multipliers()) {
          right_ = psi_;
          report.iterations += gmres_.solve(multiply, right_.data(), T(kLinearGoal), psi_.data());
        }
        for (std::size_t r = 0; r < m_; ++r) m_kick_[r] += select(active, psi_[r], T(0));
        kick(p, p_low, kick_before, stage, weight);
      },
      StepStatus::momentum_solve_failed, report);
}

COTANGENT_INSTANTIATE(NUMBERS, EndKick);

}  // namespace cotangent
