#include "cotangent/simulation/stiffness_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr std::int64_t kEvery = 10;     // steps from look to look
constexpr int kHits = 15, kMisses = 6;  // so many looks without so many others between them are no accident

}  // namespace

template <class T>
StiffnessWatch<T>::StiffnessWatch(Manifold<T>& manifold, int order)
    : standard_(manifold),
      limit_(order < 8 ? 2.5 : 4),
      f_(2 * static_cast<std::size_t>(manifold.system().n()) +
             static_cast<std::size_t>(manifold.system().state_count()),
         T(0)),
      moved_(f_),
      d_(f_),
      weights_(f_),
      there_(manifold.system().n(), manifold.system().state_count()) {
  // Some direction that is no eigenvector.
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = T(1 + 0.1 * static_cast<double>((7 * k) % 11));
}

template <class T>
bool StiffnessWatch<T>::rate(const PhasePoint<T>& z, std::vector<T>& f) {
  const std::size_t n = z.q.size();
  return standard_.field(z, f.data(), f.data() + n, f.data() + 2 * n);
}

template <class T>
T StiffnessWatch<T>::norm(const std::vector<T>& x) const {
  T sum(0);
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] * weights_[k]) * (x[k] * weights_[k]);
  return sqrt(sum);
}

template <class T>
bool StiffnessWatch<T>::multiply(const PhasePoint<T>& z) {
  const T length = norm(d_);
  if (!(length > T(0)) || !isfinite(length)) return false;
  const T distance = sqrt(epsilon<T>()) / length;
  std::size_t k = 0;
  const auto displace = [&](const std::vector<T>& from, std::vector<T>& to) {
    for (std::size_t j = 0; j < from.size(); ++j) to[j] = from[j] + distance * d_[k++];
  };
  displace(z.q, there_.q);
  displace(z.p, there_.p);
  displace(z.s, there_.s);
  there_.t = z.t;
  if (!rate(there_, moved_)) return false;
  for (std::size_t j = 0; j < d_.size(); ++j) d_[j] = (moved_[j] - f_[j]) / distance;
  return true;
}

template <class T>
void StiffnessWatch<T>::observe(const PhasePoint<T>& z, const T& h, std::int64_t& evaluations) {
  if (stiff_from_ || ++steps_ % kEvery != 0) return;
  std::size_t begin = 0;
  for (const auto* part : {&z.q, &z.p, &z.s}) {
    T most(0);
    for (const T& x : *part) most = max(most, abs(x));
    std::fill_n(weights_.begin() + static_cast<std::ptrdiff_t>(begin), part->size(), most > T(0) ? T(1) / most : T(1));
    begin += part->size();
  }
  evaluations += 3;
  const T before = norm(d_);
  if (!rate(z, f_) || !multiply(z) || !multiply(z)) return;
  const T after = norm(d_);
  if (!isfinite(after) || !(after > T(0)) || !(before > T(0))) return;
  const double product = static_cast<double>(abs(h)) * std::sqrt(static_cast<double>(after / before));
  for (T& x : d_) x = x / after;
  if (product > limit_) {
    if (hits_++ == 0) began_ = static_cast<double>(z.t), largest_ = 0;
    misses_ = 0;
    largest_ = std::max(largest_, product);
    if (hits_ == kHits) stiff_from_ = began_;
  } else if (++misses_ >= kMisses) {
    hits_ = 0;
  }
}

template <class T>
void StiffnessWatch<T>::finish(std::vector<Warning>& warnings) const {
  if (!stiff_from_) return;
  warnings.push_back({.time = *stiff_from_,
                      .kind = "stiff",
                      .text = fmt::format("from t = {:g} on steps are limited by the stability of the method, not by "
                                          "accuracy (h times the fastest rate is {:.2g}): the system is stiff there; "
                                          "`method = radau-iia:3` may need far fewer steps",
                                          *stiff_from_, largest_)});
}

COTANGENT_INSTANTIATE(PRECISIONS, StiffnessWatch);

}  // namespace cotangent
