#include "cotangent/simulation/pace/step_density.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

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
T squared(const std::vector<std::vector<T>>& rows) {
  T sum(0);
  for (const std::vector<T>& row : rows) sum += squared(row);
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
constexpr double kShare = 72;   // 0.7^-12: as much as a zero of K needs, and too little to rule where there is none
constexpr double kShort = 0.2;  // tau in units of the time in which the motion changes
constexpr double kFar = 4096;   // (sigma/Q)^4 from which on sigma limits it

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
FrequencyDensity<T>::FrequencyDensity(Manifold<T>& manifold, double length)
    : system_(manifold.system()),
      probes_(make_probes<T>(static_cast<std::size_t>(manifold.system().n()))),
      zero_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      x_(zero_),
      y_(zero_),
      a_(zero_),
      K_(probes_),
      ahead_(probes_),
      behind_(probes_),
      other_(manifold.system().n(), 0),
      floor_(std::pow(4 / length, 4)) {}

// K w for each w at z + along z', with the multipliers of z.
template <class T>
void FrequencyDensity<T>::products(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda,
                                   const T& along, Products& K) {
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p})
    for (std::size_t j = 0; j < (z.*part).size(); ++j) (other_.*part)[j] = (z.*part)[j] + along * (rate.*part)[j];
  other_.t = z.t + along;
  const At<T> at = system_.at(other_);
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    at.H_q_along(probes_[k], zero_, x_);
    if (!lambda.empty()) {
      at.curvature(lambda, probes_[k], Time::held, y_);
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += y_[j];
    }
    at.H_pp_times(x_, K[k]);
  }
}

template <class T>
T FrequencyDensity<T>::operator()(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  products(z, rate, lambda, T(0), K_);
  system_.at(other_).H_p_along(rate.q, rate.p, Time::moves, a_);
  const T K = squared(K_), a = squared(a_), v = squared(rate.q);
  const T c = a > T(0) ? a * a / (v * v + a * a / sigma_) : T(0);
  const T tau = tau_ = T(kShort) / sqrt(sqrt(K + c + sigma_ / T(kFar)));
  products(z, rate, lambda, tau, ahead_);
  products(z, rate, lambda, -tau, behind_);
  T K_1(0), K_2(0);
  for (std::size_t k = 0; k < K_.size(); ++k)
    for (std::size_t j = 0; j < K_[k].size(); ++j) {
      const T once = (ahead_[k][j] - behind_[k][j]) / (T(2) * tau);
      const T twice = ((ahead_[k][j] - K_[k][j]) - (K_[k][j] - behind_[k][j])) / (tau * tau);
      K_1 += once * once;
      K_2 += twice * twice;
    }
  const auto cube = [](const T& x) { return x * x * x; };
  return sqrt(sqrt(cube_root(cube(K) + (K_1 * K_1 + K_2 * sqrt(K_2)) / T(kShare) + cube(c) + cube(floor_))));
}

template <class T>
void FrequencyDensity<T>::start(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  static_cast<void>((*this)(z, rate, lambda));
  sigma_ = squared(K_) + floor_;
  // A start at rest between a well and a hill has no other time than the one in which it moves as far as it is.
  if (const T size = squared(z.q); size > T(0)) sigma_ += squared(a_) / size;
  // A start where K vanishes leaves sigma too small for differences: what is met within tau is then no derivative.
  while ((*this)(z, rate, lambda) * tau_ > T(2 * kShort)) sigma_ *= T(16);
}

COTANGENT_INSTANTIATE(PRECISIONS, FrequencyDensity);

}  // namespace cotangent
