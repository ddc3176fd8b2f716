#include "cotangent/projection/orthogonal_projection.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

// How well each linear equation is solved.
constexpr double kGoal = 1e-6;

}  // namespace

template <class T>
OrthogonalProjection<T>::OrthogonalProjection(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                                              KeptInvariants<T>* invariants)
    : manifold_(manifold), c_at_(manifold, metric, rows, invariants) {
  if (m_ > 0) scales_.emplace(system_);
  scatter_signs(signs_);
}

// x is that point.
template <class T>
void OrthogonalProjection<T>::go_to(const PhasePoint<T>& z) {
  x_.q = z.q;
  x_.p = z.p;
  x_.s = z.s;
}

template <class T>
StepReport<T> OrthogonalProjection<T>::operator()(PhasePoint<T>& z) {
  StepReport<T> report;
  if (size_ == 0) return report;
  given_ = z;
  go_to(z);
  x_.t = z.t;
  std::fill(nu_.begin(), nu_.end(), T(0));
  for (Part& part : parts_) part.noise = T(0);
  std::fill(v_sizes_.begin(), v_sizes_.end(), T(0));
  const std::int64_t products = c_at_.products();
  RoundingStop<T> stop({.max_iterations = 100, .max_stalls = 10, .tangent_repeats = 0});
  while (true) {
    evaluate();
    if (!goes_on(stop, report) || !factor(stop, report)) break;
    correct(stop.active());
  }
  if constexpr (is_dual<T>) {
    // Derivatives converge as the values have, once these have: each correction shrinks their error by a factor, that
    // of the last two, and the next one would be now^2 / before. R is known from here on.
    if (stop.converged()) static_cast<void>(c_at_.factor());
    LaneOf<T> before = 1;
    for (int k = stop.iterations(); stop.converged() && k > 0; --k) {
      correct(true);
      const LaneOf<T> now = tangent_change();
      evaluate();
      if (now * now <= LaneOf<T>(epsilon<T>()) * before) break;
      before = now;
    }
  }
  if (rows_.g && rows_.psi && !has_invariants() && any(stop.converged())) {
    // Both hold to rounding already, or nearly so: what is left is no more than the last bits.
    static_cast<void>(project_to_constraints());
  }
  products_ = static_cast<int>(c_at_.products() - products);
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  report.ok = stop.converged();
  if (any(report.ok)) commit(report.ok, z);
  if (!all(report.ok)) look_back(z, report);
  return report;
}

// How much the last correction has changed derivatives of x, in units of the largest of them.
template <class T>
LaneOf<T> OrthogonalProjection<T>::tangent_change() const requires is_dual<T> {
  LaneOf<T> most(0);
  for (const Part& part : parts_) {
    LaneOf<T> change(0), size(0);
    for (std::size_t j = 0; j < part.count; ++j)
      for (int k = 0; k < T::kTangents; ++k) {
        change = max(change, abs(r_[part.at + j].d[k] + d_[part.at + j].d[k]));
        size = max(size, abs((x_.*part.number)[j].d[k]));
      }
    if (change > 0) most = max(most, change / size);
  }
  return most;
}

// Moves x, and says in which lanes it could.
template <class T>
Mask<T> OrthogonalProjection<T>::project_to_constraints() {
  Mask<T> found(true);
  if (rows_.g) found = found & manifold_.project_position(x_).converged;
  if (rows_.psi) found = found & manifold_.project_momentum(x_).converged;
  return found;
}

// c, C and r at x.
template <class T>
void OrthogonalProjection<T>::evaluate() {
  c_at_.at(x_, c_.data());
  c_at_.normal(nu_.data(), r_.data());
  for (const Part& part : parts_)
    for (std::size_t j = 0; j < part.count; ++j) r_[part.at + j] += (x_.*part.number)[j] - (given_.*part.number)[j];
}

template <class T>
bool OrthogonalProjection<T>::goes_on(RoundingStop<T>& stop, StepReport<T>& report) {
  const T level(kZeroUnits * epsilon<T>()), near(kNearUnits * epsilon<T>());
  report.tolerance = level;
  const Ratio<T> rows = ratio_of_rows(level), shift = ratio_of_shift();
  const T residual = max(rows.each, shift.each);
  const Mask<T> are_met = rows.overall <= near;
  Mask<T> is_near = are_met & (shift.overall <= near);
  // The first iterate has no shift, so that K is known here.
  const Mask<T> is_blurred = stop.active() & are_met & !is_near;
  if (has_invariants() && any(is_blurred)) {
    find_shift_noise(is_blurred);
    is_near = are_met & (ratio_of_shift().overall <= near);
  }
  return stop.update(residual, residual <= level, is_near);
}

// What rounding errors of the invariants make of the shift, in units of epsilon: N C' K^-1 of them. It is large where
// they have next to no gradient, as the energy has next to a point of rest.
template <class T>
void OrthogonalProjection<T>::find_shift_noise(const Mask<T>& lanes) {
  std::fill(right_.begin(), right_.end(), T(0));
  std::copy(c_at_.invariant_scales().begin(), c_at_.invariant_scales().end(),
            right_.begin() + static_cast<std::ptrdiff_t>(c_at_.I_at()));
  c_at_.solve_with_all(right_.data(), kGoal, correction_.data());
  c_at_.normal(correction_.data(), d_.data());
  for (Part& part : parts_) {
    T most(0);
    for (std::size_t j = 0; j < part.count; ++j) most = max(most, abs(d_[part.at + j]));
    part.noise = select(lanes, most, part.noise);
  }
}

// Rows in units of what is added up in them; and, unless they are at the level, where all arguments were as large as
// the largest: a row may be made of zeros (y = 0). Then psi also gets what rounding errors of q make of it, which other
// p may repair but which are not of its scale.
template <class T>
Ratio<T> OrthogonalProjection<T>::ratio_of_rows(const T& level) {
  Ratio<T> ratio;
  const T t(x_.t);
  const auto include_constraints = [&](const T* rows, const std::vector<T>& sizes, const T& time, bool is_rate) {
    const auto scale = is_rate ? &RowScales<T>::along_rows : &RowScales<T>::of_positions;
    ((*scales_).*scale)(sizes.data(), time, row_scale_.data());
    const T own = ratio_of(rows, row_scale_.data(), m_).each;
    ratio.each = max(ratio.each, own);
    if (all(own <= level)) return;
    std::fill(a_.begin(), a_.end(), largest_of(sizes));
    ((*scales_).*scale)(a_.data(), time, row_scale_.data());
    if (is_rate) {
      for (std::size_t j = 0; j < n_; ++j) a_[j] = signs_[j] * x_.q[j];
      std::fill(b_.begin(), b_.end(), T(0));
      c_at_.constraint().along(a_.data(), b_.data(), Time::held, noise_.data());
      const T noise = largest_of(noise_);
      for (T& size : row_scale_) size += noise;
    }
    ratio.overall = max(ratio.overall, ratio_of(rows, row_scale_.data(), m_).each);
  };
  if (rows_.g || rows_.psi) scales_->evaluate(x_.q.data(), t);
  if (rows_.g) include_constraints(c_.data(), x_.q, t, false);
  if (rows_.psi) {
    grow_velocity_sizes();
    include_constraints(c_.data() + c_at_.psi_at(), v_sizes_, T(1), true);
  }
  if (has_invariants()) {
    const auto &scales = c_at_.invariant_scales(), &bounds = c_at_.invariant_bounds();
    const T* I = c_.data() + c_at_.I_at();
    ratio.each = max(ratio.each, ratio_of(I, scales.data(), scales.size()).each);
    ratio.overall = max(ratio.overall, ratio_of(I, bounds.data(), bounds.size()).each);
  }
  return ratio;
}

// |H_p| + |H_pp p|, the largest so far: H_p may be a difference of larger numbers, and what was larger before leaves
// its rounding errors.
template <class T>
void OrthogonalProjection<T>::grow_velocity_sizes() {
  c_at_.constraint().H_pp_times(x_.p.data(), a_.data());
  const std::vector<T>& v = c_at_.constraint().v();
  for (std::size_t j = 0; j < n_; ++j) v_sizes_[j] = max(v_sizes_[j], abs(v[j]) + abs(a_[j]));
}

template <class T>
Ratio<T> OrthogonalProjection<T>::ratio_of_shift() {
  Ratio<T> ratio;
  for (const Part& part : parts_) {
    for (std::size_t j = 0; j < part.count; ++j)
      sizes_[j] = max(abs((given_.*part.number)[j]), abs((x_.*part.number)[j])) + part.noise;
    ratio.include(ratio_of(r_.data() + part.at, sizes_.data(), part.count));
  }
  return ratio;
}

// R at x. False if no lane is left in which it is regular.
template <class T>
bool OrthogonalProjection<T>::factor(RoundingStop<T>& stop, StepReport<T>& report) {
  const Mask<T> singular = stop.active() & !c_at_.factor();
  if (!any(singular)) return true;
  report.status = StepStatus::singular_constraints;
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (lane(singular, i)) report.row = manifold_.matrix().worst_row(i);
  return stop.fail(singular);
}

template <class T>
void OrthogonalProjection<T>::correct(const Mask<T>& active) {
  c_at_.times(r_.data(), right_.data());
  for (std::size_t r = 0; r < size_; ++r) right_[r] = c_[r] - right_[r];
  c_at_.solve(right_.data(), kGoal, correction_.data());
  for (std::size_t r = 0; r < size_; ++r) nu_[r] += select(active, correction_[r], T(0));
  c_at_.normal(correction_.data(), d_.data());
  for (const Part& part : moved_parts())
    for (std::size_t j = 0; j < part.count; ++j)
      (x_.*part.number)[j] -= select(active, r_[part.at + j] + d_[part.at + j], T(0));
}

// Lanes, and numbers, that needed no correction stay as they are, with what rounding has lost of them.
template <class T>
void OrthogonalProjection<T>::commit(const Mask<T>& found, PhasePoint<T>& z) {
  Mask<T> moved(false);
  for (const Part& part : parts_)
    for (std::size_t j = 0; j < part.count; ++j) moved = moved | !((x_.*part.number)[j] == (z.*part.number)[j]);
  const Mask<T> taken = found & moved;
  if (!any(taken)) return;
  for (const Part& part : moved_parts()) {
    const std::vector<T>& x = x_.*part.number;
    std::vector<T>&to = z.*part.number, &low = z.*part.low;
    for (std::size_t j = 0; j < part.count; ++j) {
      low[j] = select(taken & !(x[j] == to[j]), T(0), low[j]);
      to[j] = select(taken, x[j], to[j]);
    }
  }
}

// Where the projection began: iterates that do not converge may be anywhere. Invariants that hold there, on the
// constraints, but for rounding errors are met, though these could not be taken away.
template <class T>
void OrthogonalProjection<T>::look_back(PhasePoint<T>& z, StepReport<T>& report) {
  go_to(given_);
  if (has_invariants()) {
    std::fill(v_sizes_.begin(), v_sizes_.end(), T(0));
    const Mask<T> is_met = project_to_constraints();
    evaluate();
    const T residual = ratio_of_rows(T(kZeroUnits * epsilon<T>())).overall;
    const Mask<T> is_new = is_met & (residual <= T(kNearUnits * epsilon<T>())) & !report.ok;
    if (any(is_new)) {
      commit(is_new, z);
      report.ok = report.ok | is_new;
      report.residual = select(is_new, residual, report.residual);
      // That of a lane that is ok now is none, and others have reasons of their own.
      report.status = StepStatus::ok;
      report.row = -1;
    }
    go_to(given_);
  }
  if (!all(report.ok)) {
    evaluate();
    explain(!report.ok, report);
  }
}

// Why no point was found, at the one where the projection began.
template <class T>
void OrthogonalProjection<T>::explain(const Mask<T>& lost, StepReport<T>& report) {
  if (report.status == StepStatus::singular_constraints) return;
  Mask<T> finite(true);
  for (const T& row : c_) finite = finite & isfinite(row);
  if (!all(finite | !lost)) {
    report.status = StepStatus::not_finite;
    return;
  }
  int first = 0;
  while (!lane(lost, first)) ++first;
  // What is not added up from anything has no units, and no gradient.
  if (!lane(c_at_.factor(), first)) {
    report.status = StepStatus::singular_constraints;
    report.row = manifold_.matrix().worst_row(first);
    return;
  }
  // Where constraints alone can be met it is an invariant that cannot.
  if (has_invariants() && lane(project_to_constraints(), first)) {
    evaluate();
    if (lane(c_at_.factor(), first)) report.row = c_at_.unmet_invariant(c_.data(), T(kNearUnits * epsilon<T>()), first);
  }
  const bool both = rows_.g && rows_.psi;
  report.status = report.row >= 0            ? StepStatus::dependent_invariant
                  : both || has_invariants() ? StepStatus::joint_solve_failed
                  : rows_.g                  ? StepStatus::position_solve_failed
                                             : StepStatus::momentum_solve_failed;
}

COTANGENT_INSTANTIATE(NUMBERS, OrthogonalProjection);

}  // namespace cotangent
