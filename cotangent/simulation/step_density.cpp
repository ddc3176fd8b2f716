#include "cotangent/simulation/step_density.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

template <class T>
T squared(const std::vector<T>& x) {
  T sum(0);
  for (const T& value : x) sum += value * value;
  return sum;
}

template <class T>
T cube_root(const T& x) {
  if constexpr (std::is_same_v<T, Quad>) {
    return cbrtq(x);
  } else {
    return std::cbrt(x);
  }
}

constexpr std::size_t kProbes = 3;
constexpr double kShare = 72;    // 0.7^-12: as much as a zero of K needs, and too little to rule where there is none
constexpr double kShort = 0.2;   // tau in units of the times in which the motion and K change
constexpr double kTrial = 0.02;  // the same for a first tau
constexpr double kFar = 4096, kVeryFar = 8.1e5;  // (sigma/Q)^4 from which on sigma limits the first tau, and the second
constexpr double kSmooth = 0.5;                  // the first tau times Q at the start, at most
constexpr int kTrials = 60;                      // each makes it half as long

// |K'|^2 and |K''|^2 from K at three points that are tau apart.
template <class T>
std::pair<T, T> squared_differences(const std::vector<std::vector<T>>& behind, const std::vector<std::vector<T>>& here,
                                    const std::vector<std::vector<T>>& ahead, const T& tau) {
  T first(0), second(0);
  for (std::size_t k = 0; k < here.size(); ++k)
    for (std::size_t j = 0; j < here[k].size(); ++j) {
      const T once = (ahead[k][j] - behind[k][j]) / (T(2) * tau);
      const T twice = ((ahead[k][j] - here[k][j]) - (here[k][j] - behind[k][j])) / (tau * tau);
      first += once * once;
      second += twice * twice;
    }
  return {first, second};
}

// The axes, or few vectors with entries that are spread evenly over an interval, of mean square one: no two of them are
// alike, as they must not be where a force depends on a difference of coordinates.
template <class T>
std::vector<std::vector<T>> make_probes(std::size_t n) {
  std::vector<std::vector<T>> probes(std::min(n, kProbes), std::vector<T>(n, T(0)));
  if (n <= kProbes) {
    for (std::size_t j = 0; j < n; ++j) probes[j][j] = T(1);
    return probes;
  }
  const double golden = (std::sqrt(5.0) - 1) / 2, norm = std::sqrt(3.0 / kProbes);
  for (std::size_t k = 0; k < kProbes; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const double turns = golden * static_cast<double>(kProbes * j + k + 1);
      probes[k][j] = T(norm * (2 * (turns - std::floor(turns)) - 1));
    }
  return probes;
}

}  // namespace

template <class T>
FrequencyDensity<T>::FrequencyDensity(Manifold<T>& manifold, double end)
    : system_(manifold.system()),
      probes_(make_probes<T>(static_cast<std::size_t>(manifold.system().n()))),
      zero_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      x_(zero_),
      y_(zero_),
      K_(probes_),
      ahead_(probes_),
      behind_(probes_),
      other_(manifold.system().n(), 0) {
  const T frequency = T(4) / T(end);
  floor_ = frequency * frequency * frequency * frequency;
}

// K w for each w at z + along z', with the multipliers of z.
template <class T>
void FrequencyDensity<T>::products(const PhasePoint<T>& rate, const T& along, Products& K) {
  const auto move = [&](const std::vector<T>& x, const std::vector<T>& x_dot, std::vector<T>& result) {
    for (std::size_t j = 0; j < x.size(); ++j) result[j] = x[j] + along * x_dot[j];
  };
  move(z_->q, rate.q, other_.q);
  move(z_->p, rate.p, other_.p);
  t_ = z_->t + along;
  const At<T> at = system_.at(other_.q, other_.p, t_);
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    at.H_q_along(probes_[k], zero_, x_);
    if (!lambda_->empty()) {
      at.curvature(*lambda_, probes_[k], Time::held, y_);
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += y_[j];
    }
    at.H_pp_times(x_, K[k]);
  }
}

template <class T>
void FrequencyDensity<T>::look(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  z_ = &z;
  lambda_ = &lambda;
  products(rate, T(0), K_);
  K_norm_ = T(0);
  for (const auto& Kw : K_) K_norm_ += squared(Kw);
  system_.at(other_.q, other_.p, t_).H_p_along(rate.q, rate.p, Time::moves, y_);
  a_ = squared(y_);
  v_ = squared(rate.q);
}

// A first tau, with which the second one is found.
template <class T>
T FrequencyDensity<T>::length() const {
  return T(kTrial) / sqrt(sqrt(K_norm_ + sigma_ / T(kFar)));
}

// Q where it looked last. Rounding errors of K'' are those of K divided by tau^2: tau is as long as the rates |K'|/|K|
// and (|K''|/|K|)^(1/2) permit, at which K changes, but where K vanishes.
template <class T>
T FrequencyDensity<T>::frequency(const PhasePoint<T>& rate) {
  const auto differences = [&](const T& tau) {
    products(rate, tau, ahead_);
    products(rate, -tau, behind_);
    return squared_differences(behind_, K_, ahead_, tau);
  };
  const T a4 = a_ * a_;
  const T turning = a4 > T(0) ? a4 / (v_ * v_ + a4 / sigma_) : T(0);
  const auto [first, second] = differences(length());
  const T guard = sigma_ / T(kVeryFar), size = K_norm_ + guard, fading = first / size;
  const T changes = K_norm_ + turning + fading * fading + second / size + guard;
  const auto [K_1, K_2] = differences(T(kShort) / sqrt(sqrt(changes)));
  const auto cube = [](const T& x) { return x * x * x; };
  const T derivatives = (K_1 * K_1 + K_2 * sqrt(K_2)) / T(kShare);
  return sqrt(sqrt(cube_root(cube(K_norm_) + derivatives + cube(turning) + cube(floor_))));
}

template <class T>
void FrequencyDensity<T>::start(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  look(z, rate, lambda);
  sigma_ = K_norm_ + floor_;
  // A start at rest between a well and a hill has no other time than the one in which it moves as far as it is.
  if (const T size = squared(z.q); size > T(0)) sigma_ += a_ / size;
  // A start where K vanishes leaves sigma too small for differences: what is met within tau is then no derivative.
  for (int k = 0; k < kTrials && !(length() * frequency(rate) <= T(kSmooth)); ++k) sigma_ *= T(16);
}

template <class T>
T FrequencyDensity<T>::operator()(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  look(z, rate, lambda);
  return frequency(rate);
}

COTANGENT_INSTANTIATE(PRECISIONS, FrequencyDensity);

}  // namespace cotangent
