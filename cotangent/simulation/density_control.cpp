#include "cotangent/simulation/density_control.hpp"

#include <quadmath.h>

#include <cmath>
#include <type_traits>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr double kLost = 10;  // of rho and Q
constexpr int kWait = 8;      // steps

// log(a/b).
template <class T>
T log_ratio(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Quad>) {
    return logq(a / b);
  } else {
    return std::log(a / b);
  }
}

}  // namespace

template <class T>
DensityControl<T>::DensityControl(Manifold<T>& manifold, StepDensity<T>& density)
    : density_(density),
      standard_(manifold),
      rate_(manifold.system().n(), manifold.system().state_count()),
      other_(rate_),
      other_rate_(rate_) {}

template <class T>
void DensityControl<T>::start(const PhasePoint<T>& z, T h) {
  ++evaluations_;
  static_cast<void>(standard_.field(z, rate_.q.data(), rate_.p.data(), rate_.s.data()));
  density_.start(z, rate_, standard_.multipliers());
  rho_ = density_(z, rate_, standard_.multipliers());
  if (!isfinite(rho_) || !(rho_ > T(0))) rho_ = T(1);
  adjust(z, h);
  usual_eps_ = eps_;
  adjustments_ = losses_ = 0;
}

template <class T>
void DensityControl<T>::adjust(const PhasePoint<T>& z, T h) {
  ++adjustments_;
  wait_ = kWait;
  eps_ = h * rho_;
  look(z);
  G_ = rate_there(z);
  limit(rho_);
}

template <class T>
T DensityControl<T>::length() {
  rho_half_ = rho_ + eps_ / T(2) * G_;
  return eps_ / rho_half_;
}

template <class T>
void DensityControl<T>::move(const PhasePoint<T>& z) {
  if (!is_end_) look(z);
  is_end_ = false;
  G_ = rate_there(z);
  limit(rho_half_);
  rho_ = rho_half_ + eps_ / T(2) * G_;
  if (has_density_ && (rho_ > T(kLost) * Q_ || rho_ < Q_ / T(kLost))) {
    rho_ = Q_;
    ++losses_;
    limit(rho_);
  }
  if (wait_ > 0) {
    --wait_;
  } else if (abs(eps_) < abs(usual_eps_)) {
    const T larger = abs(eps_) < abs(usual_eps_) / T(2) ? T(2) * eps_ : usual_eps_;
    if (!changes_too_much(larger, rho_)) eps_ = larger;
  }
}

// The density neither falls to less than a quarter in one step nor, as that would be backwards, grows to more than four
// times: it stays positive.
template <class T>
bool DensityControl<T>::changes_too_much(const T& eps, const T& rho) const {
  return eps * G_ < T(-0.75) * rho || eps * G_ > T(3) * rho;
}

template <class T>
void DensityControl<T>::limit(const T& rho) {
  while (changes_too_much(eps_, rho)) {
    eps_ /= T(2);
    ++adjustments_;
    wait_ = kWait;
  }
}

template <class T>
T DensityControl<T>::density_at(const PhasePoint<T>& z) {
  if (density_.needs_field()) {
    ++evaluations_;
    if (!standard_.field(z, other_rate_.q.data(), other_rate_.p.data(), other_rate_.s.data())) return T(0);
  }
  return density_(z, other_rate_, standard_.multipliers());
}

template <class T>
void DensityControl<T>::look(const PhasePoint<T>& z) {
  is_end_ = false;
  ++evaluations_;
  seen_field_ = standard_.field(z, rate_.q.data(), rate_.p.data(), rate_.s.data());
  const T Q = seen_field_ ? density_(z, rate_, standard_.multipliers()) : T(0);
  seen_Q_ = isfinite(Q) && Q > T(0) ? Q : T(0);
}

template <class T>
bool DensityControl<T>::is_too_long(const PhasePoint<T>& z, T h) {
  look(z);
  is_end_ = true;
  return abs(h) * seen_Q_ > T(kLost) * abs(usual_eps_);
}

// Where Q is not a positive number the density stays what it is.
template <class T>
T DensityControl<T>::rate_there(const PhasePoint<T>& z) {
  if (!seen_field_) return T(0);
  has_density_ = seen_Q_ > T(0);
  if (!has_density_) return T(0);
  const T Q = Q_ = seen_Q_;
  const T d = eps_ / (T(4) * Q);
  const auto displaced = [&](const T& along) {
    const auto set = [&](const std::vector<T>& x, const std::vector<T>& x_dot, std::vector<T>& result) {
      for (std::size_t j = 0; j < x.size(); ++j) result[j] = x[j] + along * x_dot[j];
    };
    set(z.q, rate_.q, other_.q);
    set(z.p, rate_.p, other_.p);
    set(z.s, rate_.s, other_.s);
    other_.t = z.t + along;
    return density_at(other_);
  };
  const T ahead = displaced(d), behind = displaced(-d);
  const T G = log_ratio(ahead, behind) / (T(2) * d);
  return isfinite(G) ? G : T(0);
}

COTANGENT_INSTANTIATE(PRECISIONS, DensityControl);

}  // namespace cotangent
