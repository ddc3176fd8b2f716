#include "cotangent/projection/stabilisation.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"

namespace cotangent {

template <class T>
Stabilisation<T>::Stabilisation(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                                KeptInvariants<T>* invariants)
    : manifold_(manifold),
      c_at_(manifold, metric, rows, invariants),
      d_(static_cast<std::size_t>(2 * manifold.system().n() + manifold.system().state_count()), T(0)) {}

template <class T>
void Stabilisation<T>::set_step(LaneOf<T> h) {
  c_at_.set_unit_of_time(OrthogonalProjection<T>::kStepsOfUnit * abs(h));
}

template <class T>
StepReport<T> Stabilisation<T>::operator()(PhasePoint<T>& z) {
  StepReport<T> report{.iterations = 1};
  c_at_.at(z, c_.data());
  const Mask<T> regular = c_at_.factor();
  // No iteration follows that would take away what a solve leaves.
  right_ = c_;
  c_at_.solve(right_.data(), static_cast<double>(epsilon<T>()), nu_.data());
  c_at_.normal(nu_.data(), d_.data());

  Mask<T> finite(true);
  T moved(0), unmet(0);
  for (const T& d : d_) {
    finite = finite & isfinite(d);
    moved = max(moved, abs(d));
  }
  const T level(kNearUnits * epsilon<T>());
  for (std::size_t k = c_at_.I_at(); k < c_.size(); ++k)
    unmet = max(unmet, abs(c_[k]) - level * c_at_.invariant_bounds()[k - c_at_.I_at()]);
  const Mask<T> has_gradient = (moved > T(0)) | (unmet <= T(0));
  report.ok = regular & finite & has_gradient;
  if (!all(report.ok)) {
    report.status = !all(regular)  ? StepStatus::singular_constraints
                    : !all(finite) ? StepStatus::not_finite
                                   : StepStatus::dependent_invariant;
    report.residual = unmet;
    int first = 0;
    while (lane(report.ok, first)) ++first;
    if (report.status == StepStatus::singular_constraints) report.row = manifold_.matrix().worst_row(first);
    if (report.status == StepStatus::dependent_invariant) report.row = c_at_.unmet_invariant(c_.data(), level, first);
  }

  const auto take = [&](std::vector<T>& x, std::vector<T>& low, const T* d) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      T rest = low[j];
      const T sum = add_compensated(x[j], -d[j], rest);
      const Mask<T> taken = report.ok & !(d[j] == T(0));
      x[j] = select(taken, sum, x[j]);
      low[j] = select(taken, rest, low[j]);
    }
  };
  const std::size_t n = z.q.size();
  take(z.q, z.q_low, d_.data());
  take(z.p, z.p_low, d_.data() + n);
  take(z.s, z.s_low, d_.data() + 2 * n);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, Stabilisation);

}  // namespace cotangent
