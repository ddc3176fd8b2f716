#include "cotangent/monitor/point_values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

bool any_uses(const std::vector<Family>& families, const Elements& elements, Space space) {
  const auto uses = [&](const Family& family) { return family.uses(space); };
  if (families.empty()) return false;
  // Group variables are not followed to those who use them: a use by any group counts.
  return std::any_of(families.begin(), families.end(), uses) ||
         std::any_of(elements.groups.begin(), elements.groups.end(), uses);
}

}  // namespace

template <class T>
PointValues<T>::PointValues(Manifold<T>& manifold)
    : manifold_(manifold),
      v_(static_cast<std::size_t>(manifold.system().n())),
      lambda_(static_cast<std::size_t>(manifold.system().m())),
      F_(v_.size()),
      observables_(static_cast<std::size_t>(manifold.system().observable_count())),
      invariants_(static_cast<std::size_t>(manifold.system().invariant_count())) {
  const Elements& elements = manifold.system().elements();
  observables_use_lambda_ = any_uses(elements.observables, elements, Space::lambda);
  observables_use_v_ = observables_use_lambda_ || any_uses(elements.observables, elements, Space::v);
  invariants_use_v_ = any_uses(elements.invariants, elements, Space::v);
}

// The caller computes what is not known.
template <class T>
bool PointValues<T>::is_known(Part part, const PhasePoint<T>& z) {
  const auto is_same = [](const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return all(x == y); });
  };
  if (z.t != t_ || !is_same(z.q, q_) || !is_same(z.p, p_) || !is_same(z.s, s_)) {
    std::fill_n(known_, static_cast<int>(kParts), false);
    t_ = z.t;
    q_ = z.q;
    p_ = z.p;
    s_ = z.s;
  }
  return std::exchange(known_[part], true);
}

template <class T>
const std::vector<T>& PointValues<T>::velocities(const PhasePoint<T>& z) {
  if (!v_.empty() && !is_known(kVelocities, z)) at(z).H_p(v_);
  return v_;
}

template <class T>
const std::vector<T>& PointValues<T>::multipliers(const PhasePoint<T>& z) {
  if (lambda_.empty() || is_known(kMultipliers, z)) return lambda_;
  static_cast<void>(velocities(z));
  T power(0);
  const auto report = manifold_.multipliers(z, v_.data(), lambda_.data(), F_.data(), power);
  for (T& lambda : lambda_) lambda = select(report.found(), lambda, T(std::numeric_limits<double>::quiet_NaN()));
  return lambda_;
}

template <class T>
const std::vector<T>& PointValues<T>::observables(const PhasePoint<T>& z) {
  if (observables_.empty() || is_known(kObservables, z)) return observables_;
  if (observables_use_v_) static_cast<void>(velocities(z));
  if (observables_use_lambda_) static_cast<void>(multipliers(z));
  at(z).observables(observables_);
  return observables_;
}

template <class T>
const std::vector<T>& PointValues<T>::invariants(const PhasePoint<T>& z) {
  if (invariants_.empty() || is_known(kInvariants, z)) return invariants_;
  if (invariants_use_v_) static_cast<void>(velocities(z));
  at(z).invariants(invariants_);
  return invariants_;
}

COTANGENT_INSTANTIATE(VALUES, PointValues);

}  // namespace cotangent
