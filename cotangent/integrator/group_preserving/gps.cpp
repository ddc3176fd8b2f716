#include "cotangent/integrator/group_preserving/gps.hpp"

#include <algorithm>
#include <span>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/group_preserving/lorentz_factor.hpp"

namespace cotangent {

template <class T>
StepReport<T> GroupPreserving<T>::step_variables(PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& /*before*/,
                                                 Memory<T>& /*after*/) {
  const std::size_t n = z.q.size(), size = 2 * n + z.s.size();
  x_.clear();
  for (const auto* part : {&z.q, &z.p, &z.s}) x_.insert(x_.end(), part->begin(), part->end());
  f_.assign(size, T(0));
  if (is_whole_ && sets_.empty()) {
    sets_.emplace_back();
    for (std::size_t j = 0; j < size; ++j) sets_.front().push_back({j});
  }
  StepReport<T> report;
  ++report.evaluations;
  T* f = f_.data();
  this->note_failure(report, this->formulation().field(z, f, f + n, f + 2 * n));
  increment_.clear();
  for (const T& rate : f_) increment_.push_back(T(h) * rate);
  for (const auto& set : sets_) {
    T xx(0), fx(0), ff(0);
    for (const auto& [j, centre] : set) {
      const T x = x_[j] - T(centre);
      xx += x * x;
      fx += f_[j] * x;
      ff += f_[j] * f_[j];
    }
    const T eta = lorentz_factor(xx, fx, ff, h);
    for (const auto& variable : set) increment_[variable.at] = eta * f_[variable.at];
  }
  Mask<T> finite(true);
  for (const T& increment : increment_) finite = finite & isfinite(increment);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
  if (!any(report.ok)) return report;
  const auto part = [&](std::size_t begin, std::size_t count) {
    return std::span<const T>(increment_).subspan(begin, count);
  };
  this->add_increment(report.ok, part(0, n), z.q, z.q_low);
  this->add_increment(report.ok, part(n, n), z.p, z.p_low);
  this->add_increment(report.ok, part(2 * n, z.s.size()), z.s, z.s_low);
  z.advance_time(h);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, GroupPreserving);

}  // namespace cotangent
