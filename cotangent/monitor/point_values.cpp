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
      H_p_(manifold.system().H_p()),
      observables_of_(manifold.system().observables()),
      invariants_of_(manifold.system().invariants()),
      frame_(manifold.system().frame()),
      v_(static_cast<std::size_t>(manifold.system().n())),
      lambda_(static_cast<std::size_t>(manifold.system().m())),
      F_(v_.size()),
      observables_(static_cast<std::size_t>(manifold.system().observable_count())),
      invariants_(static_cast<std::size_t>(manifold.system().invariant_count())) {
  const Elements& elements = manifold.system().elements();
  observables_use_lambda_ = any_uses(elements.observables, elements, Space::lambda);
  observables_use_v_ = observables_use_lambda_ || any_uses(elements.observables, elements, Space::v);
  invariants_use_v_ = any_uses(elements.invariants, elements, Space::v);
  frame_.in[in::v] = v_.data();
  frame_.in[in::lambda] = lambda_.data();
  frame_.in[in::t] = &t_;
}

// Also points the frame at z; the caller computes what is not known.
template <class T>
bool PointValues<T>::is_known(Part part, const PhasePoint<T>& z) {
  const T t(z.t);
  if (revision_ != z.revision || !all(t == t_)) std::fill_n(known_, static_cast<int>(kParts), false);
  revision_ = z.revision;
  t_ = t;
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.in[in::s] = z.s.data();
  return std::exchange(known_[part], true);
}

template <class T>
void PointValues<T>::evaluate(const Request<T>& rows, std::vector<T>& values) {
  if (values.empty()) return;
  frame_.out[out::result] = values.data();
  rows(frame_);
}

template <class T>
const std::vector<T>& PointValues<T>::velocities(const PhasePoint<T>& z) {
  if (!is_known(kVelocities, z)) evaluate(H_p_, v_);
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
  evaluate(observables_of_, observables_);
  return observables_;
}

template <class T>
const std::vector<T>& PointValues<T>::invariants(const PhasePoint<T>& z) {
  if (invariants_.empty() || is_known(kInvariants, z)) return invariants_;
  if (invariants_use_v_) static_cast<void>(velocities(z));
  evaluate(invariants_of_, invariants_);
  return invariants_;
}

COTANGENT_INSTANTIATE(VALUES, PointValues);

}  // namespace cotangent
