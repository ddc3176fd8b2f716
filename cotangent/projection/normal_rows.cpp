#include "cotangent/projection/normal_rows.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// The square of what solves leave of a length.
template <class T>
double nothing() {
  return kNearUnits * kNearUnits * static_cast<double>(epsilon<T>());
}

}  // namespace

template <class T>
NormalRows<T>::NormalRows(Manifold<T>& manifold, Metric metric, const ProjectionRows& rows,
                          KeptInvariants<T>* invariants)
    : manifold_(manifold),
      metric_(metric),
      invariants_(invariants),
      rows_{rows.g && m_ > 0, rows.psi && m_ > 0, rows.moves_q},
      gmres_(size_) {
  if (k_ > 0 && metric == Metric::mass && n_ > 0 && !system_.diagonal_mass()) mass_.emplace(system_);
  const int blocks = (rows_.g ? 1 : 0) + (rows_.psi ? 1 : 0);
  const bool is_R = metric == Metric::mass && blocks == 1;
  if (blocks > 0 && !is_R && NormalMatrix<T>::applies_to(system_, metric)) normal_matrix_.emplace(system_, blocks);
}

template <class T>
void NormalRows<T>::at(const PhasePoint<T>& x, T* c) {
  x_ = &x;
  at_.at(x);
  if (rows_.g) at_.g(c);
  if (rows_.psi) at_.psi(c + psi_at_);
  if (k_ > 0) {
    invariants_->excess(x, c + I_at_);
    set_gradients();
  }
}

template <class T>
void NormalRows<T>::set_gradients() {
  const auto& W = system_.diagonal_mass();
  const auto largest = [](const std::vector<T>& x, std::size_t count) {
    T most(0);
    for (std::size_t j = 0; j < count; ++j) most = max(most, abs(x[j]));
    return most;
  };
  const T q_most = largest(x_->q, n_), p_most = largest(x_->p, n_), s_most = largest(x_->s, s_);
  if (mass_) static_cast<void>(mass_->at(x_->q.data(), at_.v().data(), time_ = T(x_->t)));
  for (std::size_t k = 0; k < k_; ++k) {
    T *I_q = I_[k].data(), *I_p = I_q + n_, *I_s = I_p + n_;
    invariants_->gradient(*x_, k, I_q, I_p, I_s);
    NI_[k] = I_[k];
    T *NI_q = NI_[k].data(), *NI_p = NI_q + n_;
    if (metric_ == Metric::mass && n_ > 0) {
      at_.H_pp_times(I_q, NI_q);
      if (mass_) {
        mass_->mass_times(I_p, NI_p);
      } else {
        // What has no mass has no velocity, and no part in the gradient.
        for (std::size_t j = 0; j < n_; ++j) NI_p[j] = select((*W)[j] == T(0), T(0), I_p[j] / (*W)[j]);
      }
    }
    T squared(0), scale = abs(invariants_->targets()[k]), bound = scale;
    for (std::size_t j = 0; j < n_; ++j) {
      NI_q[j] = rows_.moves_q ? tau_ * tau_ * NI_q[j] : T(0);
      squared += I_q[j] * NI_q[j] + I_p[j] * NI_p[j];
      scale += abs(I_q[j] * x_->q[j]) + abs(I_p[j] * x_->p[j]);
      bound += abs(I_q[j]) * q_most + abs(I_p[j]) * p_most;
    }
    for (std::size_t j = 0; j < s_; ++j) {
      squared += I_s[j] * I_s[j];
      scale += abs(I_s[j] * x_->s[j]);
      bound += abs(I_s[j]) * s_most;
    }
    I_squared_[k] = squared;
    I_scale_[k] = scale;
    I_bound_[k] = bound;
  }
}

template <class T>
Mask<T> NormalRows<T>::factor() {
  for (std::size_t k = 0; k < k_; ++k) gmres_.weights()[I_at_ + k] = sqrt(I_squared_[k]);
  if (I_at_ == 0) return Mask<T>(true);
  auto& matrix = manifold_.matrix();
  const Mask<T> regular = matrix.factor(*x_).regular;
  for (std::size_t r = 0; r < I_at_; ++r)
    gmres_.weights()[r] = (r < psi_at_ ? tau_ : T(1)) * sqrt(matrix.diagonal_scale(r % m_, T(1)));
  if (!normal_matrix_) return regular;
  active_invariants_ = 0;
  normal_matrix_->factor(
      [this](const T* in, T* out) {
        std::copy_n(in, I_at_, scaled_.begin());
        divide_by_tau(scaled_.data());
        normal(scaled_.data(), d_.data());
        constraints_times(d_.data(), out);
        divide_by_tau(out);
      },
      matrix.nullity());
  active_invariants_ = k_;
  return regular;
}

template <class T>
void NormalRows<T>::normal(const T* nu, T* d) {
  std::fill_n(d, d_.size(), T(0));
  T *dq = d, *dp = d + n_;
  if (rows_.psi) {
    at_.Gt_times(nu + psi_at_, dp);
    if (rows_.moves_q) {
      at_.gradient(nu + psi_at_, dq, a_.data());
    } else {
      at_.H_pp_times(dp, a_.data());
    }
    if (metric_ == Metric::euclidean) std::copy(a_.begin(), a_.end(), dp);
  }
  if (rows_.g && rows_.moves_q) {
    at_.Gt_times(nu, a_.data());
    for (std::size_t j = 0; j < n_; ++j) dq[j] += a_[j];
  }
  if (metric_ == Metric::mass && I_at_ > 0 && rows_.moves_q) {
    for (std::size_t j = 0; j < n_; ++j) a_[j] = tau_ * tau_ * dq[j];
    at_.H_pp_times(a_.data(), dq);
  }
  for (std::size_t k = 0; k < active_invariants_; ++k)
    for (std::size_t j = 0; j < 2 * n_ + s_; ++j) d[j] += nu[I_at_ + k] * NI_[k][j];
}

template <class T>
void NormalRows<T>::constraints_times(const T* d, T* rows) {
  if (rows_.g) at_.G_times(d, rows);
  if (rows_.psi) at_.along(d, d + n_, Time::held, rows + psi_at_);
}

template <class T>
void NormalRows<T>::times(const T* d, T* rows) {
  constraints_times(d, rows);
  for (std::size_t k = 0; k < k_; ++k) {
    const T* I = I_[k].data();
    T sum(0);
    for (std::size_t j = 0; j < n_; ++j) sum += I[j] * d[j] + I[n_ + j] * d[n_ + j];
    for (std::size_t j = 2 * n_; j < 2 * n_ + s_; ++j) sum += I[j] * d[j];
    rows[I_at_ + k] = k < active_invariants_ ? sum : T(0);
  }
}

// Those of g.
template <class T>
void NormalRows<T>::divide_by_tau(T* rows) const {
  for (std::size_t r = 0; r < psi_at_; ++r) rows[r] = rows[r] / tau_;
}

template <class T>
void NormalRows<T>::precondition(T* rows) {
  divide_by_tau(rows);
  if (normal_matrix_) {
    normal_matrix_->solve(rows);
  } else {
    if (rows_.g) static_cast<void>(manifold_.matrix().solve(rows));
    if (rows_.psi) static_cast<void>(manifold_.matrix().solve(rows + psi_at_));
  }
  divide_by_tau(rows);
  for (std::size_t k = 0; k < k_; ++k)
    rows[I_at_ + k] = select(I_squared_[k] > T(0), rows[I_at_ + k] / I_squared_[k], T(0));
}

// y with K y = b, where b is that of the preconditioned equation.
template <class T>
void NormalRows<T>::find(const T* b, double goal, T* y) {
  products_ += gmres_.solve(
      [this](const T* in, T* out) {
        normal(in, d_.data());
        times(d_.data(), out);
        precondition(out);
      },
      b, T(goal), y);
}

template <class T>
void NormalRows<T>::solve_with_all(T* b, double goal, T* y) {
  precondition(b);
  find(b, goal, y);
}

template <class T>
void NormalRows<T>::solve(T* b, double goal, T* y) {
  solve_with_all(b, goal, y);
  if (k_ == 0 || size_ < 2 || active_invariants_ < k_) return;
  // Invariants that follow from constraints and others are met with those, if they can be: their rows are left out,
  // where K may be singular.
  auto& weights = gmres_.weights();
  T of_b(0), of_y(0);
  for (std::size_t r = 0; r < size_; ++r) {
    of_b += (weights[r] * b[r]) * (weights[r] * b[r]);
    of_y += (weights[r] * y[r]) * (weights[r] * y[r]);
  }
  // Solutions whose squares are so much larger than those of what they are made of belong to a matrix that may be
  // singular.
  const Mask<T> small = sqrt(T(epsilon<T>())) * of_y <= of_b;
  Mask<T> doubtful = !((gmres_.reached() <= T(goal)) & small);
  // Derivatives of y see all of K.
  if constexpr (is_dual<T>) doubtful = Mask<T>(true);
  if (!any(doubtful)) return;
  find_independent();
  Mask<T> again(false);
  for (std::size_t k = 0; k < k_; ++k) {
    const Mask<T> left_out = doubtful & !counts_[k];
    again = again | left_out;
    I_squared_[k] = select(left_out, T(0), I_squared_[k]);
    weights[I_at_ + k] = select(left_out, T(0), weights[I_at_ + k]);
    b[I_at_ + k] = select(left_out, T(0), b[I_at_ + k]);
  }
  if (!any(again)) return;
  find(b, goal, of_gradient_.data());
  for (std::size_t r = 0; r < size_; ++r) y[r] = select(again, of_gradient_[r], y[r]);
}

// Which invariants count: with S_ij = I_i' N I_j', less what constraints take of it, those of an elimination that goes
// on with the one of which the others leave the largest part. All that is left then follows from them. In a fixed order
// a row might be taken of which nearly nothing is left, in the place of another one: of E, L and Lenz' vector (A, 0)
// the first three are nearly dependent near the pericentre.
template <class T>
void NormalRows<T>::find_independent() {
  active_invariants_ = 0;
  for (std::size_t j = 0; j < k_; ++j) {
    times(NI_[j].data(), right_.data());
    solve(right_.data(), nothing<T>(), weights_.data());
    normal(weights_.data(), d_.data());
    for (std::size_t i = 0; i < k_; ++i) {
      T sum(0);
      for (std::size_t l = 0; l < d_.size(); ++l) sum += I_[i][l] * (NI_[j][l] - d_[l]);
      S_[i * k_ + j] = sum;
    }
  }
  active_invariants_ = k_;
  for (std::size_t k = 0; k < k_; ++k) counts_[k] = Mask<T>(false);
  for (std::size_t step = 0; step < k_; ++step) {
    T most(nothing<T>());
    for (std::size_t k = 0; k < k_; ++k) {
      parts_[k] = select(counts_[k] | !(I_squared_[k] > T(0)), T(0), S_[k * k_ + k] / I_squared_[k]);
      most = max(most, parts_[k]);
    }
    Mask<T> is_found(false);
    T largest(1);
    for (std::size_t k = 0; k < k_; ++k) {
      const Mask<T> is_next = (parts_[k] >= most) & (parts_[k] > T(nothing<T>())) & !is_found;
      is_found = is_found | is_next;
      counts_[k] = counts_[k] | is_next;
      for (std::size_t i = 0; i < k_; ++i) pivot_[i] = select(is_next, S_[k * k_ + i], pivot_[i]);
      largest = select(is_next, S_[k * k_ + k], largest);
    }
    if (!any(is_found)) return;
    for (std::size_t i = 0; i < k_; ++i)
      for (std::size_t j = 0; j < k_; ++j) S_[i * k_ + j] -= select(is_found, pivot_[i] * pivot_[j] / largest, T(0));
  }
}

// Whether constraints and the invariants before it leave nothing of the gradient of invariant k.
template <class T>
Mask<T> NormalRows<T>::is_dependent(std::size_t k) {
  active_invariants_ = k;
  times(NI_[k].data(), right_.data());
  of_gradient_ = right_;
  solve(right_.data(), nothing<T>(), weights_.data());
  T own = I_squared_[k];
  for (std::size_t r = 0; r < size_; ++r) own -= of_gradient_[r] * weights_[r];
  active_invariants_ = k_;
  return !(own > T(nothing<T>()) * I_squared_[k]);
}

template <class T>
std::int64_t NormalRows<T>::unmet_invariant(const T* c, const T& level, int at_lane) {
  const T* excess = c + I_at_;
  std::size_t worst = 0;
  for (std::size_t k = 0; k < k_; ++k) {
    if (lane(abs(excess[k]) > level * I_bound_[k], at_lane) && lane(is_dependent(k), at_lane))
      return invariants_->row(k);
    if (lane(abs(excess[k]) * I_scale_[worst] > abs(excess[worst]) * I_scale_[k], at_lane)) worst = k;
  }
  return invariants_->row(worst);
}

COTANGENT_INSTANTIATE(NUMBERS, NormalRows);

}  // namespace cotangent
