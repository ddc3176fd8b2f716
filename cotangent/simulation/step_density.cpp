#include "cotangent/simulation/step_density.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

template <class T>
T squared(const std::vector<T>& x) {
  T sum(0);
  for (const T& value : x) sum += value * value;
  return sum;
}

constexpr std::size_t kProbes = 3;

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
    : H_q_along_(manifold.system().H_q_along()),
      H_pp_times_(manifold.system().H_pp_times()),
      H_p_rate_(manifold.system().H_p_rate()),
      curvature_(manifold.system(),
                 {.of = Contraction::Of::weighted_g, .directions = {{}}, .result = Contraction::Result::gradient_q}),
      frame_(manifold.system().frame()),
      probes_(make_probes<T>(static_cast<std::size_t>(manifold.system().n()))),
      zero_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      x_(zero_),
      y_(zero_) {
  const T frequency = T(4) / T(end);
  floor_ = frequency * frequency * frequency * frequency;
}

template <class T>
void FrequencyDensity<T>::look(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  t_ = z.t;
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.in[in::t] = &t_;
  frame_.in[in::weights] = lambda.data();
  K_ = T(0);
  for (const auto& w : probes_) {
    frame_.in[in::a_q] = w.data();
    frame_.in[in::a_p] = zero_.data();
    frame_.out[out::result] = x_.data();
    H_q_along_(frame_);
    if (!lambda.empty()) {
      frame_.out[out::result] = y_.data();
      curvature_(frame_);
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += y_[j];
    }
    frame_.in[in::a_p] = x_.data();
    frame_.out[out::result] = y_.data();
    H_pp_times_(frame_);
    K_ += squared(y_);
  }
  frame_.in[in::a_q] = rate.q.data();
  frame_.in[in::a_p] = rate.p.data();
  frame_.out[out::result] = y_.data();
  H_p_rate_(frame_);
  a_ = squared(y_);
  v_ = squared(rate.q);
}

template <class T>
void FrequencyDensity<T>::start(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  look(z, rate, lambda);
  sigma_ = K_ + floor_;
  // A start at rest between a well and a hill has no other time than the one in which it moves as far as it is.
  if (const T size = squared(z.q); size > T(0)) sigma_ += a_ / size;
}

template <class T>
T FrequencyDensity<T>::operator()(const PhasePoint<T>& z, const PhasePoint<T>& rate, const std::vector<T>& lambda) {
  look(z, rate, lambda);
  const T a4 = a_ * a_;
  const T turning = a4 > T(0) ? a4 / (v_ * v_ + a4 / sigma_) : T(0);
  return sqrt(sqrt(K_ + turning + floor_));
}

template class FrequencyDensity<double>;
template class FrequencyDensity<long double>;
template class FrequencyDensity<Quad>;

}  // namespace cotangent
