#include "cotangent/projection/orthogonal_projection.hpp"

#include <algorithm>

namespace cotangent {
namespace {

// Dimensions of the Krylov space; what it leaves is left to the next iteration.
constexpr std::size_t kKrylov = 40;
// How well each linear equation is solved.
constexpr double kGoal = 1e-6;
// A residual within so many rounding units of what it is summed up from is zero; within so many it may be all that
// rounding permits.
constexpr double kLevel = 2, kNear = 64;
// A gradient of which constraints and other invariants leave so small a part, squared, has none of its own.
constexpr double kDependent = 1e-12;

}  // namespace

template <class T>
OrthogonalProjection<T>::OrthogonalProjection(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                                              KeptInvariants<T>* invariants)
    : manifold_(manifold),
      metric_(metric),
      rows_{rows.g && manifold.system().m() > 0, rows.psi && manifold.system().m() > 0, rows.moves_q},
      invariants_(invariants),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      s_(static_cast<std::size_t>(manifold.system().elements().states)),
      k_(invariants ? invariants->count() : 0),
      psi_at_(rows_.g ? m_ : 0),
      I_at_(psi_at_ + (rows_.psi ? m_ : 0)),
      size_(I_at_ + k_),
      active_invariants_(k_),
      at_(manifold.system()),
      gmres_(size_, kKrylov),
      given_(manifold.system().n(), manifold.system().state_count()),
      x_(given_),
      nu_(size_, T(0)),
      c_(nu_),
      correction_(nu_),
      right_(nu_),
      r_q_(n_, T(0)),
      r_p_(r_q_),
      r_s_(given_.s.size(), T(0)),
      d_q_(r_q_),
      d_p_(r_q_),
      d_s_(r_s_),
      a_(r_q_),
      b_(r_q_),
      v_sizes_(r_q_),
      row_scale_(m_, T(0)),
      noise_(row_scale_),
      signs_(n_, T(1)),
      I_q_(k_, r_q_),
      I_p_(k_, r_q_),
      I_s_(k_, r_s_),
      NI_q_(k_, r_q_),
      NI_p_(k_, r_q_),
      I_squared_(k_, T(0)),
      I_scale_(I_squared_) {
  if (m_ > 0) scales_.emplace(manifold.system());
  if (k_ > 0 && metric == Metric::mass && n_ > 0 && !manifold.system().diagonal_mass())
    mass_.emplace(manifold.system());
  scatter_signs(signs_);
  const int blocks = (rows_.g ? 1 : 0) + (rows_.psi ? 1 : 0);
  const bool is_R = metric == Metric::mass && blocks == 1;
  if (blocks > 0 && !is_R && NormalMatrix<T>::applies_to(manifold.system(), metric))
    normal_matrix_.emplace(manifold.system(), blocks);
}

template <class T>
StepReport<T> OrthogonalProjection<T>::operator()(PhasePoint<T>& z) {
  StepReport<T> report;
  if (size_ == 0) return report;
  given_.q = x_.q = z.q;
  given_.p = x_.p = z.p;
  given_.s = x_.s = z.s;
  x_.t = z.t;
  std::fill(nu_.begin(), nu_.end(), T(0));
  std::fill(v_sizes_.begin(), v_sizes_.end(), T(0));
  products_ = 0;
  RoundingStop<T> stop({.max_iterations = 100, .max_stalls = 10});
  while (true) {
    evaluate();
    if (!goes_on(stop, report) || !factor(stop, report)) break;
    correct(stop.active());
  }
  if constexpr (is_dual<T>) {
    // Derivatives converge as the values have, once these have.
    for (int k = stop.iterations(); stop.converged() && k > 0; --k) {
      if (I_at_ > 0) static_cast<void>(manifold_.matrix().factor(x_));
      factor_normal_matrix();
      correct(true);
      evaluate();
    }
  }
  if (rows_.g && rows_.psi && k_ == 0 && any(stop.converged())) {
    // Both hold to rounding already, or nearly so: what is left is no more than the last bits.
    static_cast<void>(manifold_.project_position(x_));
    static_cast<void>(manifold_.project_momentum(x_));
  }
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  report.ok = stop.converged();
  if (any(report.ok)) commit(report.ok, z);
  if (!all(report.ok)) explain(!report.ok, report);
  return report;
}

// c, its gradients and r at x.
template <class T>
void OrthogonalProjection<T>::evaluate() {
  at_.at(x_);
  if (rows_.g) at_.g(c_.data());
  if (rows_.psi) at_.psi(c_.data() + psi_at_);
  if (k_ > 0) {
    invariants_->excess(x_, c_.data() + I_at_);
    set_gradients();
  }
  normal(nu_.data(), r_q_.data(), r_p_.data(), r_s_.data());
  for (std::size_t j = 0; j < n_; ++j) {
    r_q_[j] += x_.q[j] - given_.q[j];
    r_p_[j] += x_.p[j] - given_.p[j];
  }
  for (std::size_t j = 0; j < s_; ++j) r_s_[j] += x_.s[j] - given_.s[j];
}

template <class T>
void OrthogonalProjection<T>::set_gradients() {
  const auto& W = manifold_.system().diagonal_mass();
  if (mass_) static_cast<void>(mass_->at(x_.q.data(), at_.v().data(), time_ = T(x_.t)));
  for (std::size_t k = 0; k < k_; ++k) {
    invariants_->gradient(x_, k, I_q_[k].data(), I_p_[k].data(), I_s_[k].data());
    if (metric_ == Metric::euclidean) {
      NI_q_[k] = I_q_[k];
      NI_p_[k] = I_p_[k];
    } else if (n_ > 0) {
      at_.mass_inverse(I_q_[k].data(), NI_q_[k].data());
      if (mass_) {
        mass_->mass_times(I_p_[k].data(), NI_p_[k].data());
      } else {
        // What has no mass has no velocity, and no part in the gradient.
        for (std::size_t j = 0; j < n_; ++j) NI_p_[k][j] = select((*W)[j] == T(0), T(0), I_p_[k][j] / (*W)[j]);
      }
    }
    if (!rows_.moves_q) std::fill(NI_q_[k].begin(), NI_q_[k].end(), T(0));
    T squared(0), scale = abs(invariants_->targets()[k]);
    for (std::size_t j = 0; j < n_; ++j) {
      squared += I_q_[k][j] * NI_q_[k][j] + I_p_[k][j] * NI_p_[k][j];
      scale += abs(I_q_[k][j] * x_.q[j]) + abs(I_p_[k][j] * x_.p[j]);
    }
    for (std::size_t j = 0; j < s_; ++j) {
      squared += I_s_[k][j] * I_s_[k][j];
      scale += abs(I_s_[k][j] * x_.s[j]);
    }
    I_squared_[k] = squared;
    I_scale_[k] = scale;
  }
}

template <class T>
bool OrthogonalProjection<T>::goes_on(RoundingStop<T>& stop, StepReport<T>& report) {
  const T level(kLevel * epsilon<T>()), near(kNear * epsilon<T>());
  report.tolerance = level;
  const Ratio<T> rows = ratio_of_rows(level), shift = ratio_of_shift();
  const T residual = max(rows.each, shift.each);
  return stop.update(residual, residual <= level, (rows.overall <= near) & (shift.overall <= near));
}

// Rows in units of what is added up in them; and, unless they are at the level, where all arguments were as large as
// the largest: a row may be made of zeros (y = 0). Then psi also gets what rounding errors of q make of it, which other
// p may repair but which are not of its scale.
template <class T>
Ratio<T> OrthogonalProjection<T>::ratio_of_rows(const T& level) {
  Ratio<T> ratio;
  const T t(x_.t);
  const auto include = [&](const T* rows, std::size_t count, const T* scale, const T* loose) {
    ratio.each = max(ratio.each, ratio_of(rows, scale, count).each);
    ratio.overall = max(ratio.overall, ratio_of(rows, loose, count).each);
  };
  const auto include_constraints = [&](const T* rows, const std::vector<T>& sizes, const T& time, bool is_rate) {
    scales_->along_rows(sizes.data(), time, row_scale_.data());
    const T own = ratio_of(rows, row_scale_.data(), m_).each;
    ratio.each = max(ratio.each, own);
    if (all(own <= level)) return;
    T most(0);
    for (const T& size : sizes) most = max(most, abs(size));
    std::fill(a_.begin(), a_.end(), most);
    scales_->along_rows(a_.data(), time, row_scale_.data());
    if (is_rate) {
      for (std::size_t j = 0; j < n_; ++j) a_[j] = signs_[j] * x_.q[j];
      std::fill(b_.begin(), b_.end(), T(0));
      at_.along(a_.data(), b_.data(), false, noise_.data());
      T noise(0);
      for (const T& row : noise_) noise = max(noise, abs(row));
      for (T& scale : row_scale_) scale += noise;
    }
    ratio.overall = max(ratio.overall, ratio_of(rows, row_scale_.data(), m_).each);
  };
  if (rows_.g || rows_.psi) scales_->evaluate(x_.q.data(), t);
  if (rows_.g) include_constraints(c_.data(), x_.q, t, false);
  if (rows_.psi) {
    grow_velocity_sizes();
    include_constraints(c_.data() + psi_at_, v_sizes_, T(1), true);
  }
  if (k_ > 0) include(c_.data() + I_at_, k_, I_scale_.data(), I_scale_.data());
  return ratio;
}

// |H_p| + |H_pp p|, the largest so far: H_p may be a difference of larger numbers, and what was larger before leaves
// its rounding errors.
template <class T>
void OrthogonalProjection<T>::grow_velocity_sizes() {
  at_.mass_inverse(x_.p.data(), a_.data());
  for (std::size_t j = 0; j < n_; ++j) v_sizes_[j] = max(v_sizes_[j], abs(at_.v()[j]) + abs(a_[j]));
}

template <class T>
Ratio<T> OrthogonalProjection<T>::ratio_of_shift() {
  Ratio<T> ratio;
  const auto include = [&](const std::vector<T>& r, const std::vector<T>& given, const std::vector<T>& x,
                           std::vector<T>& sizes, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) sizes[j] = max(abs(given[j]), abs(x[j]));
    ratio.include(ratio_of(r.data(), sizes.data(), count));
  };
  include(r_q_, given_.q, x_.q, a_, n_);
  include(r_p_, given_.p, x_.p, a_, n_);
  include(r_s_, given_.s, x_.s, d_s_, s_);
  return ratio;
}

// R at x. False if no lane is left in which it is regular.
template <class T>
bool OrthogonalProjection<T>::factor(RoundingStop<T>& stop, StepReport<T>& report) {
  for (std::size_t k = 0; k < k_; ++k) gmres_.weights()[I_at_ + k] = sqrt(I_squared_[k]);
  if (I_at_ == 0) return true;
  auto& matrix = manifold_.matrix();
  const Mask<T> singular = stop.active() & !matrix.factor(x_).regular;
  for (std::size_t r = 0; r < I_at_; ++r) gmres_.weights()[r] = sqrt(matrix.diagonal_scale(r % m_, T(1)));
  factor_normal_matrix();
  if (!any(singular)) return true;
  report.status = StepStatus::singular_constraints;
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (lane(singular, i)) report.row = matrix.worst_row(i);
  return stop.fail(singular);
}

template <class T>
void OrthogonalProjection<T>::factor_normal_matrix() {
  if (!normal_matrix_) return;
  active_invariants_ = 0;
  normal_matrix_->factor(
      [this](const T* in, T* out) {
        normal(in, d_q_.data(), d_p_.data(), d_s_.data());
        constraints_times(d_q_.data(), d_p_.data(), out);
      },
      manifold_.matrix().nullity());
  active_invariants_ = k_;
}

template <class T>
void OrthogonalProjection<T>::normal(const T* nu, T* dq, T* dp, T* ds) {
  std::fill_n(dq, n_, T(0));
  std::fill_n(dp, n_, T(0));
  std::fill(ds, ds + r_s_.size(), T(0));
  if (rows_.psi) {
    at_.pull_back(nu + psi_at_, dp);
    if (rows_.moves_q) {
      at_.gradient(nu + psi_at_, dq, a_.data());
    } else {
      at_.mass_inverse(dp, a_.data());
    }
    if (metric_ == Metric::euclidean) std::copy(a_.begin(), a_.end(), dp);
  }
  if (rows_.g && rows_.moves_q) {
    at_.pull_back(nu, a_.data());
    for (std::size_t j = 0; j < n_; ++j) dq[j] += a_[j];
  }
  if (metric_ == Metric::mass && I_at_ > 0 && rows_.moves_q) {
    std::copy(dq, dq + n_, a_.begin());
    at_.mass_inverse(a_.data(), dq);
  }
  for (std::size_t k = 0; k < active_invariants_; ++k) {
    const T& weight = nu[I_at_ + k];
    for (std::size_t j = 0; j < n_; ++j) {
      dq[j] += weight * NI_q_[k][j];
      dp[j] += weight * NI_p_[k][j];
    }
    for (std::size_t j = 0; j < s_; ++j) ds[j] += weight * I_s_[k][j];
  }
}

template <class T>
void OrthogonalProjection<T>::constraints_times(const T* dq, const T* dp, T* rows) {
  if (rows_.g) at_.push_forward(dq, rows);
  if (rows_.psi) at_.along(dq, dp, false, rows + psi_at_);
}

// C (dq, dp, ds)
template <class T>
void OrthogonalProjection<T>::times(const T* dq, const T* dp, const T* ds, T* rows) {
  constraints_times(dq, dp, rows);
  for (std::size_t k = 0; k < k_; ++k) {
    T sum(0);
    for (std::size_t j = 0; j < n_; ++j) sum += I_q_[k][j] * dq[j] + I_p_[k][j] * dp[j];
    for (std::size_t j = 0; j < s_; ++j) sum += I_s_[k][j] * ds[j];
    rows[I_at_ + k] = k < active_invariants_ ? sum : T(0);
  }
}

template <class T>
void OrthogonalProjection<T>::precondition(T* rows) {
  if (normal_matrix_) {
    normal_matrix_->solve(rows);
  } else {
    if (rows_.g) static_cast<void>(manifold_.matrix().solve(rows));
    if (rows_.psi) static_cast<void>(manifold_.matrix().solve(rows + psi_at_));
  }
  for (std::size_t k = 0; k < k_; ++k)
    rows[I_at_ + k] = select(I_squared_[k] > T(0), rows[I_at_ + k] / I_squared_[k], T(0));
}

// x with K x = b; b becomes that with R.
template <class T>
void OrthogonalProjection<T>::solve(T* b, double goal, T* x) {
  precondition(b);
  products_ += gmres_.solve(
      [this](const T* in, T* out) {
        normal(in, d_q_.data(), d_p_.data(), d_s_.data());
        times(d_q_.data(), d_p_.data(), d_s_.data(), out);
        precondition(out);
      },
      b, T(goal), x);
}

template <class T>
void OrthogonalProjection<T>::correct(const Mask<T>& active) {
  times(r_q_.data(), r_p_.data(), r_s_.data(), right_.data());
  for (std::size_t r = 0; r < size_; ++r) right_[r] = c_[r] - right_[r];
  solve(right_.data(), kGoal, correction_.data());
  for (std::size_t r = 0; r < size_; ++r) nu_[r] += select(active, correction_[r], T(0));
  normal(correction_.data(), d_q_.data(), d_p_.data(), d_s_.data());
  const auto move = [&](std::vector<T>& x, const std::vector<T>& r, const std::vector<T>& d, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) x[j] -= select(active, r[j] + d[j], T(0));
  };
  if (rows_.moves_q) move(x_.q, r_q_, d_q_, n_);
  move(x_.p, r_p_, d_p_, n_);
  move(x_.s, r_s_, d_s_, s_);
}

// Lanes, and numbers, that needed no correction stay as they are, with what rounding has lost of them.
template <class T>
void OrthogonalProjection<T>::commit(const Mask<T>& found, PhasePoint<T>& z) {
  Mask<T> moved(false);
  const auto compare = [&](const std::vector<T>& x, const std::vector<T>& to) {
    for (std::size_t j = 0; j < x.size(); ++j) moved = moved | !(x[j] == to[j]);
  };
  compare(x_.q, z.q);
  compare(x_.p, z.p);
  compare(x_.s, z.s);
  const Mask<T> taken = found & moved;
  if (!any(taken)) return;
  const auto take = [&](const std::vector<T>& x, std::vector<T>& to, std::vector<T>& low, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      low[j] = select(taken & !(x[j] == to[j]), T(0), low[j]);
      to[j] = select(taken, x[j], to[j]);
    }
  };
  if (rows_.moves_q) take(x_.q, z.q, z.q_low, n_);
  take(x_.p, z.p, z.p_low, n_);
  take(x_.s, z.s, z.s_low, s_);
  z.touch();
}

// What is wrong is looked for where the projection began: iterates that do not converge may be anywhere.
template <class T>
void OrthogonalProjection<T>::explain(const Mask<T>& lost, StepReport<T>& report) {
  if (report.status == StepStatus::singular_constraints) return;
  x_.q = given_.q;
  x_.p = given_.p;
  x_.s = given_.s;
  evaluate();
  Mask<T> finite(true);
  for (const T& row : c_) finite = finite & isfinite(row);
  if (!all(finite | !lost)) {
    report.status = StepStatus::not_finite;
    return;
  }
  int first = 0;
  while (!lane(lost, first)) ++first;
  // What is not added up from anything has no units, and no gradient.
  if (I_at_ > 0 && !lane(manifold_.matrix().factor(x_).regular, first)) {
    report.status = StepStatus::singular_constraints;
    report.row = manifold_.matrix().worst_row(first);
    return;
  }
  factor_normal_matrix();
  report.row = dependent_invariant(first);
  const bool both = rows_.g && rows_.psi;
  report.status = report.row >= 0  ? StepStatus::dependent_invariant
                  : both || k_ > 0 ? StepStatus::joint_solve_failed
                  : rows_.g        ? StepStatus::position_solve_failed
                                   : StepStatus::momentum_solve_failed;
}

// The first invariant that moving everything by its own size would not repair, or of whose gradient those before it and
// the constraints leave nothing; -1 if there is none.
template <class T>
std::int64_t OrthogonalProjection<T>::dependent_invariant(int at) {
  std::int64_t found = -1;
  for (std::size_t k = 0; k < k_ && found < 0; ++k) {
    active_invariants_ = k;
    times(NI_q_[k].data(), NI_p_[k].data(), I_s_[k].data(), right_.data());
    std::copy(right_.begin(), right_.end(), c_.begin());
    solve(right_.data(), kDependent, correction_.data());
    T own = I_squared_[k];
    for (std::size_t r = 0; r < size_; ++r) own -= c_[r] * correction_[r];
    const bool is_small = !(lane(own, at) > kDependent * lane(I_squared_[k], at));
    if (is_small) found = static_cast<std::int64_t>(k);
  }
  active_invariants_ = k_;
  return found;
}

template class OrthogonalProjection<double>;
template class OrthogonalProjection<long double>;
template class OrthogonalProjection<Quad>;
template class OrthogonalProjection<Tangents>;
template class OrthogonalProjection<Lanes>;

}  // namespace cotangent
