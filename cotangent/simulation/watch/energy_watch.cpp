#include "cotangent/simulation/watch/energy_watch.hpp"

#include <fmt/format.h>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

constexpr double kNoWorry = 1e-3;  // less than that of E cannot become too much before E is known well enough

}  // namespace

template <class T>
T EnergyWatch<T>::closed(const PhasePoint<T>& z) {
  const T H = system_.at(z).H();
  return system_.has_work() ? T(H - z.s.back()) : H;
}

template <class T>
T EnergyWatch<T>::scale(const PhasePoint<T>& z) {
  system_.at(z).H_p(v_);
  T pv(0);
  for (std::size_t j = 0; j < v_.size(); ++j) pv += z.p[j] * v_[j];
  const T kinetic = abs(pv) / T(2);
  return system_.has_work() ? max(kinetic, abs(z.s.back())) : kinetic;
}

// What rounding errors of q and p do to H.
template <class T>
T EnergyWatch<T>::rounding(const PhasePoint<T>& z) {
  const At<T> at = system_.at(z);
  at.H_q(force_);
  at.H_p(v_);
  return epsilon<T>() * (sum_of_products(force_, z.q) + sum_of_products(v_, z.p) + abs(at.H()));
}

template <class T>
void EnergyWatch<T>::start(const PhasePoint<T>& z) {
  if (system_.n() == 0) return;
  start_ = closed(z);
  scale_ = scale(z);
}

template <class T>
bool EnergyWatch<T>::is_calm(const StepWatch<T>& steps) const {
  return !monitor_ || (!lost_at_ && steps.largest[StepWatch<T>::energy] <= T(kNoWorry) * scale_);
}

template <class T>
void EnergyWatch<T>::look(const PhasePoint<T>& z, const T& e) {
  const T error = system_.has_work() ? min(e, T(e + z.s.back())) : abs(e);
  if (!lost_at_ && !(error > T(kNoWorry) * scale_)) return;
  scale_ = max(scale_, scale(z));
  if (error > worst_ && error > T(kNearUnits) * rounding(z)) worst_ = error;
  if (!(T(2) * worst_ > scale_)) {
    lost_at_.reset();
  } else if (!lost_at_) {
    lost_at_ = static_cast<double>(z.t);
  }
}

template <class T>
void EnergyWatch<T>::finish(const PhasePoint<T>& z, Summary& summary) {
  if (system_.n() == 0) return;
  summary.energy_at_start = static_cast<double>(start_);
  look(z, closed(z) - start_);
  if (!lost_at_) return;
  summary.energy_lost_at = lost_at_;
  summary.warnings.push_back(
      {*lost_at_, "energy-lost",
       fmt::format(
           "from t = {:g} on the run is no motion of the model: the error of its energy has reached {:.3g}, and "
           "its kinetic energy {:.3g} at most; take shorter steps, or a method that keeps the energy",
           *lost_at_, static_cast<double>(worst_), static_cast<double>(scale_))});
}

COTANGENT_INSTANTIATE(PRECISIONS, EnergyWatch);

}  // namespace cotangent
