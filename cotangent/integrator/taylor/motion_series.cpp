#include "cotangent/integrator/taylor/motion_series.hpp"

#include <algorithm>
#include <stdexcept>

#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/system/legendre/legendre.hpp"

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;

template <class T>
T number(int k) {
  return T(static_cast<double>(k));
}

}  // namespace

template <class T>
MotionSeries<T>::MotionSeries(Manifold<T>& manifold, int order)
    : manifold_(manifold),
      system_(manifold.system()),
      order_(order),
      n_(static_cast<std::size_t>(system_.n())),
      m_(static_cast<std::size_t>(system_.m())),
      states_(static_cast<std::size_t>(system_.elements().states)) {
  const Elements& elements = system_.elements();
  if (elements.declared)
    throw std::invalid_argument(
        "Taylor coefficients are made of expressions, and H and g are functions of somebody's code here; use dop853");
  if (elements.depends_on(elements.forces, Space::lambda) || elements.depends_on(elements.dissipation, Space::lambda))
    throw std::invalid_argument(
        "Taylor methods do not take forces that depend on the multipliers, as those of friction do: the coefficients "
        "of the multipliers would no longer come from G H_pp G' alone; use dop853, or gauss:2");
  const bool is_lagrangian = system_.legendre() != nullptr;
  const int K = order;
  if (n_ > 0) {
    const Of energy = is_lagrangian ? Of::L : Of::H;
    if (is_lagrangian) {
      make(L_v_, {.of = Of::L, .result = Result::gradient_v}, K + 1, {.vector = in::v});
    } else {
      make(v_of_, {.of = Of::H, .result = Result::gradient_p}, K + 1, {.vector = in::p});
    }
    make(H_q_, {.of = energy, .result = Result::gradient_q}, K);
    if (!elements.forces.empty()) make(force_, {.of = Of::force}, K);
    if (!elements.dissipation.empty()) make(D_v_, {.of = Of::dissipation, .result = Result::gradient_v}, K);
    if (system_.has_work() && !elements.is_autonomous())
      make(H_t_, {.of = energy, .directions = {direction::kTime}}, K);
  }
  if (m_ > 0) {
    make(g_, {.of = Of::g}, K + 2, {.vector = in::q, .needs_results = false});
    make(pull_back_, {.of = Of::weighted_g, .result = Result::gradient_q}, K, {.vector = in::weights});
    if (H_t_) make(g_t_, {.of = Of::weighted_g, .directions = {direction::kTime}}, K);
  }
  if (states_ > 0) make(rate_, {.of = Of::rate}, K);

  const auto rows = [&](int count, std::size_t size) { return std::vector<T>(static_cast<std::size_t>(count) * size); };
  v_ = rows(K + 1, n_);
  lambda_ = rows(K, m_);
  time_.assign(static_cast<std::size_t>(K) + 2, T(0));
  time_[1] = T(1);
  if (force_ || D_v_) f_ = rows(K, n_);
  F_ = x_ = pulled_ = rows(1, n_);
  rows_ = rows(1, std::max(m_, states_));
  one_ = rows(1, 1);

  for (JetOperation<T>* each : all_) {
    each->read(in::v, v_.data(), n_);
    each->read(in::lambda, lambda_.data(), m_);
    each->read(in::weights, lambda_.data(), m_);
    each->read(in::t, time_.data(), 1);
    has_pieces_ = has_pieces_ || each->has_pieces();
  }
  if (v_of_) v_of_->write(v_.data(), n_);
  if (L_v_) L_v_->write(x_.data(), 0);
  if (H_q_) H_q_->write(F_.data(), 0);
  if (force_) force_->write(f_.data(), n_);
  if (D_v_) D_v_->write(x_.data(), 0);
  if (pull_back_) pull_back_->write(pulled_.data(), 0);
  if (g_) g_->write(rows_.data(), 0);
  if (rate_) rate_->write(rows_.data(), 0);
  if (H_t_) H_t_->write(one_.data(), 0);
  if (g_t_) g_t_->write(one_.data(), 0);
}

template <class T>
void MotionSeries<T>::make(std::optional<JetOperation<T>>& operation, const Contraction& contraction, int orders,
                           const typename JetKernel<T>::Again& again) {
  operation.emplace(system_, contraction, orders, again);
  all_.push_back(&*operation);
}

template <class T>
void MotionSeries<T>::begin(const PointRef<T>& z, MotionCoefficients<T>& c) {
  const auto orders = static_cast<std::size_t>(order_) + 1;
  c.report = {};
  c.q.resize((orders + 1) * n_);
  c.p.resize(orders * n_);
  c.s.resize(orders * static_cast<std::size_t>(system_.state_count()));
  std::copy_n(z.q, n_, c.q.data());
  std::copy_n(z.p, n_, c.p.data());
  std::copy_n(z.s, static_cast<std::size_t>(system_.state_count()), c.s.data());
  time_[0] = z.t;
  for (JetOperation<T>* each : all_) {
    each->read(in::q, c.q.data(), n_);
    each->read(in::p, c.p.data(), n_);
    each->read(in::s, c.s.data(), static_cast<std::size_t>(system_.state_count()));
  }
}

// v_k, and q_{k+1}. For a Lagrangian x_ keeps [L_v]_k without v_k.
template <class T>
void MotionSeries<T>::find_velocities(int k, bool again, const PointRef<T>& z, MotionCoefficients<T>& c) {
  T* v = v_.data() + static_cast<std::size_t>(k) * n_;
  if (v_of_) {
    (*v_of_)(k, again);
  } else if (k == 0) {
    const std::vector<T>& found = system_.legendre()->velocity(z.q, z.p, z.t);
    std::copy_n(found.data(), n_, v);
    (*L_v_)(0);
  } else {
    const T* p = c.p.data() + static_cast<std::size_t>(k) * n_;
    std::fill_n(v, n_, T(0));
    (*L_v_)(k, again);
    for (std::size_t j = 0; j < n_; ++j) v[j] = p[j] - x_[j];
    system_.legendre()->solve_mass(z.q, z.p, z.t, v);
    (*L_v_)(k, true);
  }
  T* q = c.q.data() + static_cast<std::size_t>(k + 1) * n_;
  const T part = T(1) / number<T>(k + 1);
  for (std::size_t j = 0; j < n_; ++j) q[j] = v[j] * part;
}

// [F]_k.
template <class T>
void MotionSeries<T>::find_forces(int k) {
  (*H_q_)(k);
  if (!L_v_)
    for (T& x : F_) x = -x;
  if (f_.empty()) return;
  T* f = f_.data() + static_cast<std::size_t>(k) * n_;
  if (force_) {
    (*force_)(k);
  } else {
    std::fill_n(f, n_, T(0));
  }
  if (D_v_) {
    (*D_v_)(k);
    for (std::size_t j = 0; j < n_; ++j) f[j] -= x_[j];
  }
  for (std::size_t j = 0; j < n_; ++j) F_[j] += f[j];
}

// p_{k+1}, with the multipliers that there are.
template <class T>
void MotionSeries<T>::add_momenta(int k, bool again, MotionCoefficients<T>& c) {
  T* p = c.p.data() + static_cast<std::size_t>(k + 1) * n_;
  if (m_ > 0) (*pull_back_)(k, again);
  const T part = T(1) / number<T>(k + 1);
  for (std::size_t j = 0; j < n_; ++j) p[j] = (F_[j] - pulled_[j]) * part;
}

template <class T>
void MotionSeries<T>::find_multipliers(int k, const PointRef<T>& z, MotionCoefficients<T>& c) {
  T* lambda = lambda_.data() + static_cast<std::size_t>(k) * m_;
  std::fill_n(lambda, m_, T(0));
  add_momenta(k, false, c);
  find_velocities(k + 1, false, z, c);
  (*g_)(k + 2);
  for (std::size_t r = 0; r < m_; ++r) lambda[r] = rows_[r] * number<T>((k + 1) * (k + 2));
  const Mask<T> solved = manifold_.matrix().solve(lambda);
  // Later on R is the same.
  if (k == 0) fail_lanes(c.report, !solved, StepStatus::no_multipliers, T(0));
  add_momenta(k, true, c);
  if (k + 1 == order_) return;
  find_velocities(k + 1, true, z, c);
  (*g_)(k + 2, true);
}

// s_{k+1}, and the work done.
template <class T>
void MotionSeries<T>::add_states(int k, MotionCoefficients<T>& c) {
  const auto size = static_cast<std::size_t>(system_.state_count());
  T* s = c.s.data() + static_cast<std::size_t>(k + 1) * size;
  if (rate_) {
    (*rate_)(k);
    for (std::size_t j = 0; j < states_; ++j) s[j] = rows_[j] / number<T>(k + 1);
  }
  if (!system_.has_work()) return;
  T power(0);
  if (!f_.empty())
    for (int i = 0; i <= k; ++i) {
      const T *f = f_.data() + static_cast<std::size_t>(i) * n_, *v = v_.data() + static_cast<std::size_t>(k - i) * n_;
      for (std::size_t j = 0; j < n_; ++j) power += f[j] * v[j];
    }
  if (H_t_) {
    (*H_t_)(k);
    power += L_v_ ? -one_[0] : one_[0];
  }
  if (g_t_) {
    (*g_t_)(k);
    power += one_[0];
  }
  s[states_] = power / number<T>(k + 1);
}

template <class T>
void MotionSeries<T>::find(const PointRef<T>& z, MotionCoefficients<T>& c) {
  begin(z, c);
  if (n_ > 0) find_velocities(0, false, z, c);
  if (m_ > 0) {
    const Mask<T> regular = manifold_.matrix().factor(z).regular;
    if (!all(regular)) fail_singular_lanes(c.report, !regular, manifold_.matrix(), T(0));
    if (!any(c.report.ok)) return;
    (*g_)(0);
    (*g_)(1);
  }
  for (int k = 0; k < order_; ++k) {
    if (n_ > 0) find_forces(k);
    if (m_ > 0) {
      find_multipliers(k, z, c);
      if (!any(c.report.ok)) return;
    } else if (n_ > 0) {
      add_momenta(k, false, c);
      if (k + 1 < order_) find_velocities(k + 1, false, z, c);
    }
    add_states(k, c);
  }
  c.report.evaluations = order_;
}

template <class T>
T MotionSeries<T>::first_change(const T& h) const {
  T first = h;
  for (const JetOperation<T>* each : all_) first = each->first_change(order_, first);
  return first;
}

COTANGENT_INSTANTIATE(NUMBERS, MotionSeries);

}  // namespace cotangent
