#include "cotangent/manifold/manifold.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"

namespace cotangent {

template <class T>
Manifold<T>::Manifold(System<T>& system)
    : system_(system),
      matrix_(system),
      forcing_(system),
      response_(system),
      rows_(static_cast<std::size_t>(system.m()), T(0)),
      mu_(rows_),
      x_(static_cast<std::size_t>(system.n()), T(0)),
      y_(x_),
      v_(x_),
      scale_(rows_),
      sizes_(x_) {
  if (forcing_.uses_multipliers()) {
    zero_ = dF_ = x_;
    zero_states_.assign(static_cast<std::size_t>(system.state_count()), T(0));
    correction_ = residual_ = rows_;
    gmres_.emplace(rows_.size());
  }
}

template <class T>
Manifold<T>::~Manifold() = default;

template <class T>
typename Manifold<T>::Residual Manifold<T>::position_residual(const T* q, const T& t) {
  if (system_.m() == 0) return {T(0), T(0)};
  const RowSize<T> size = system_.at(q, t).g(rows_);
  return {size.largest, T(epsilon<T>()) * size.scale};
}

template <class T>
typename Manifold<T>::Residual Manifold<T>::momentum_residual(const PointRef<T>& z) {
  if (system_.m() == 0) return {T(0), T(0)};
  const RowSize<T> size = system_.at(z).psi(v_, rows_);
  return {size.largest, T(epsilon<T>()) * size.scale};
}

// Gives up in lanes whose matrix is singular; the others go on. False if none is left.
template <class T>
bool Manifold<T>::drop_singular(const Mask<T>& regular, RoundingStop<T>& stop, SolveReport<T>& report) {
  const Mask<T> singular = stop.active() & !regular;
  if (!any(singular)) return true;
  report.regular = false;
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (lane(singular, i)) report.row = matrix_.worst_row(i);
  return stop.fail(singular);
}

template <class T>
RowScales<T>& Manifold<T>::row_scales() {
  if (!row_scales_) row_scales_.emplace(system_);
  return *row_scales_;
}

// Holds rows_ against what is added up in each row where the arguments are of the given sizes, and the time as large as
// that. An iteration that no longer shrinks has converged if this is small for arguments that are all as large as the
// largest: a row may be made of zeros (y = 0), and its own level then be nothing.
template <class T>
bool Manifold<T>::goes_on(RoundingStop<T>& stop, SolveReport<T>& report, Scale scale, const std::vector<T>& sizes,
                          const T& time) {
  const std::size_t m = rows_.size();
  report.tolerance = T(kZeroUnits * epsilon<T>());
  ((*row_scales_).*scale)(sizes.data(), time, scale_.data());
  const T own = ratio_of(rows_.data(), scale_.data(), m).each;
  T loose(0);
  if (any(stop.is_slow(own) & !(own <= report.tolerance))) {
    std::fill(y_.begin(), y_.end(), largest_of(sizes));
    ((*row_scales_).*scale)(y_.data(), time, scale_.data());
    loose = ratio_of(rows_.data(), scale_.data(), m).each;
  }
  return stop.update(own, own <= report.tolerance, loose <= T(kNearUnits * epsilon<T>()));
}

template <class T>
SolveReport<T> Manifold<T>::project_position(PhasePoint<T>& z) {
  SolveReport<T> report;
  if (mu_.empty()) return report;
  const T t(z.t);
  const PointRef<T> at(x_.data(), z.p.data(), z.s.data(), t);
  std::copy(z.q.begin(), z.q.end(), x_.begin());
  RoundingStop<T> stop;
  while (true) {
    static_cast<void>(position_residual(x_.data(), t));
    row_scales().evaluate(x_.data(), t);
    if (!goes_on(stop, report, &RowScales<T>::of_positions, x_, t)) break;

    // Each correction is the shortest one in the mass metric that makes the linearised g vanish.
    const auto factor = matrix_.factor(at);
    if (!drop_singular(factor.regular, stop, report)) break;
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < mu_.size(); ++r) mu_[r] = select(stop.active(), rows_[r], T(0));
    response_.velocity(at, mu_.data(), v_.data());
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] -= v_[j];
  }
  finish(stop, report, z.q, z.q_low);
  return report;
}

// With x the present guess: G(x) H_pp G(x)' mu = g(x) + G(x) (q - x), and q - H_pp G(x)' mu is the next one.
template <class T>
SolveReport<T> Manifold<T>::project_position_nearest(PhasePoint<T>& z) {
  const PhasePoint<T> given = z;
  SolveReport<T> report = project_position(z);
  if (!all(report.converged) || report.iterations == 0) return report;
  const auto n = z.q.size();
  const T t(z.t);
  PhasePoint<T> found = z;
  const PointRef<T> at(found.q.data(), z.p.data(), z.s.data(), t);
  RoundingStop<T> stop({.max_iterations = 100, .max_stalls = 10});
  while (true) {
    for (std::size_t j = 0; j < n; ++j) y_[j] = given.q[j] - found.q[j];
    static_cast<void>(position_residual(found.q.data(), t));
    std::copy(rows_.begin(), rows_.end(), mu_.begin());
    system_.at(at).G_times(y_, rows_);
    for (std::size_t r = 0; r < mu_.size(); ++r) mu_[r] += rows_[r];
    if (!all(matrix_.factor(at).regular)) return report;
    matrix_.solve(mu_.data());
    response_.velocity(at, mu_.data(), v_.data());
    for (std::size_t j = 0; j < n; ++j) {
      const T next = given.q[j] - v_[j];
      y_[j] = next - found.q[j];
      sizes_[j] = abs(given.q[j]) + abs(v_[j]);
      found.q[j] = next;
    }
    const Ratio<T> change = ratio_of(y_.data(), sizes_.data(), n);
    const T level(kZeroUnits * epsilon<T>());
    if (!stop.update(change.each, change.each <= level, change.overall <= T(kNearUnits) * level)) break;
  }
  if (!all(stop.converged())) return report;
  const SolveReport<T> last = project_position(found);
  if (!all(last.converged)) return report;
  z = found;
  report.iterations += stop.iterations() + last.iterations;
  return report;
}

// Takes what a projection found where it converged. A lane that needed no correction stays as it is, to the last bit.
template <class T>
void Manifold<T>::finish(const RoundingStop<T>& stop, SolveReport<T>& report, std::vector<T>& target,
                         std::vector<T>& low) {
  report.converged = stop.converged();
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  if (report.iterations == 0) return;
  Mask<T> moved(false);
  for (std::size_t j = 0; j < target.size(); ++j) moved = moved | !(x_[j] == target[j]);
  const Mask<T> taken = report.converged & moved;
  for (std::size_t j = 0; j < target.size(); ++j) {
    target[j] = select(taken, x_[j], target[j]);
    low[j] = select(taken, T(0), low[j]);
  }
}

template <class T>
SolveReport<T> Manifold<T>::project_momentum(PhasePoint<T>& z) {
  SolveReport<T> report;
  if (mu_.empty()) return report;
  std::copy(z.p.begin(), z.p.end(), x_.begin());
  const PointRef<T> at(z.q.data(), x_.data(), z.s.data(), T(z.t));
  RoundingStop<T> stop;
  std::fill(sizes_.begin(), sizes_.end(), T(0));
  row_scales().evaluate(z.q.data(), at.t);
  while (true) {
    static_cast<void>(momentum_residual(at));
    // |H_p| + |H_pp p|, because H_p may be a difference of larger numbers (p - A(q)). It may be much smaller after the
    // projection, but not its rounding errors; or larger, where p was at rest.
    if (!system_.has_homogeneous_mass()) system_.at(at).H_pp_times(x_, y_);
    const std::vector<T>& W_p = system_.has_homogeneous_mass() ? v_ : y_;
    for (std::size_t j = 0; j < x_.size(); ++j) sizes_[j] = max(sizes_[j], abs(v_[j]) + abs(W_p[j]));
    if (!goes_on(stop, report, &RowScales<T>::along_rows, sizes_, T(1))) break;

    const auto factor = matrix_.factor(at);
    if (!drop_singular(factor.regular, stop, report)) break;
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < mu_.size(); ++r) mu_[r] = select(stop.active(), rows_[r], T(0));
    system_.at(at).Gt_times(mu_, y_);
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] -= y_[j];
  }
  finish(stop, report, z.p, z.p_low);
  return report;
}

// b = g''[(v, 1), (v, 1)] + G (H_pq v + H_pp F + H_pt)
template <class T>
void Manifold<T>::multiplier_equation(const PointRef<T>& z, const T* v, const T* F, T* b) {
  const At<T> at = system_.at(z);
  at.H_p_along(v, F, Time::moves, v_);
  at.G_times(v_, rows_);
  at.g_second(v, v, Time::moves, b);
  for (std::size_t r = 0; r < rows_.size(); ++r) b[r] += rows_[r];
}

template <class T>
MultiplierReport<T> Manifold<T>::multipliers(const PointRef<T>& z, const T* v, T* lambda, T* F, T& power) {
  const std::size_t m = rows_.size();
  std::fill_n(lambda, m, T(0));
  forcing_.force(z, v, lambda, F, power);
  if (m == 0) return {Mask<T>(true), Mask<T>(true)};
  const Mask<T> regular = matrix_.factor(z).regular;
  multiplier_equation(z, v, F, lambda);
  Mask<T> solved = matrix_.solve(lambda);
  if (!forcing_.uses_multipliers()) return {regular, solved};

  // The direction a in lambda -> a - R^-1 G H_pp F_lambda a.
  const auto multiply = [&](const T* a, T* out) {
    forcing_.force_along(z, v, lambda, zero_.data(), zero_.data(), zero_states_.data(), a, dF_.data());
    const At<T> at = system_.at(z);
    at.H_pp_times(dF_, v_);
    at.G_times(v_, out);
    matrix_.solve(out);
    for (std::size_t r = 0; r < m; ++r) out[r] = a[r] - out[r];
  };
  RoundingStop<T> stop;
  while (true) {
    forcing_.force(z, v, lambda, F, power);
    multiplier_equation(z, v, F, residual_.data());
    solved = matrix_.solve(residual_.data());
    T norm(0), size(0);
    for (std::size_t r = 0; r < m; ++r) {
      size = max(size, abs(lambda[r]) + abs(residual_[r]));
      residual_[r] -= lambda[r];
      norm = select(isfinite(residual_[r]), max(norm, abs(residual_[r])), T(infinity<T>()));
    }
    if (!stop.update(norm, T(4 * epsilon<T>()) * size)) break;
    static_cast<void>(gmres_->solve(multiply, residual_.data(), T(1e-10), correction_.data()));
    for (std::size_t r = 0; r < m; ++r) lambda[r] += select(stop.active(), correction_[r], T(0));
  }
  solved = solved & stop.converged();
  return {regular, solved};
}

COTANGENT_INSTANTIATE(NUMBERS, HiddenConstraint);
COTANGENT_INSTANTIATE(NUMBERS, Manifold);

}  // namespace cotangent
