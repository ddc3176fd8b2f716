#include "cotangent/simulation/watch/condition_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/solve/direct/pivot.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// Beyond this a pivot is no more than rounding leaves: see LinearSolver::pivots_are_known.
template <class T>
double lost_condition() {
  return 1 / (kNearUnits * static_cast<double>(epsilon<T>()));
}
// A third of the digits are lost, and two more than at the start: a long chain loses some of them everywhere.
template <class T>
double large_condition(double at_start) {
  const double third = 1 / std::sqrt(static_cast<double>(rank_tolerance<T>()));
  return std::min(std::max(third, 100 * at_start), lost_condition<T>());
}

}  // namespace

template <class T>
void ConditionWatch<T>::start(const PhasePoint<T>& z, std::vector<Warning>& warnings) {
  const auto redundant = redundant_constraints(manifold_, z), here = constraints_dependent_at(manifold_, z);
  for (std::size_t k = 0; k < redundant.size() && k < kLimits.names; ++k)
    warnings.push_back({static_cast<double>(z.t), "redundant-constraints",
                        fmt::format("the constraint {}; multipliers of dependent constraints are those of smallest "
                                    "norm",
                                    describe(redundant[k]))});
  if (redundant.size() > kLimits.names)
    warnings.push_back({static_cast<double>(z.t), "redundant-constraints",
                        fmt::format("{} more constraints follow from others", redundant.size() - kLimits.names)});
  if (here.size() > redundant.size())
    warnings.push_back({static_cast<double>(z.t), "rank-loss",
                        fmt::format("the start is a singular position: the constraint {} there, but not near it",
                                    describe(here.back()))});
  is_told_ = !here.empty();
  if (is_told_) open_.emplace();
  large_ = large_condition<T>(is_told_ ? 0 : static_cast<double>(manifold_.matrix().condition()));
}

template <class T>
void ConditionWatch<T>::observe(const PhasePoint<T>& z) {
  const std::int64_t m = manifold_.system().m();
  if (m < 2) return;
  if (m <= kFewRows) static_cast<void>(manifold_.matrix().factor(z));
  const auto t = static_cast<double>(z.t);
  const auto condition = static_cast<double>(manifold_.matrix().condition());
  if (condition <= large_) return close();
  if (!open_) open_ = {t, t, 0, t};
  open_->end = t;
  if (condition > open_->worst) open_->worst = condition, open_->worst_time = t;
}

template <class T>
void ConditionWatch<T>::close() {
  if (!open_) return;
  const Stretch now = *std::exchange(open_, std::nullopt);
  if (std::exchange(is_told_, false)) return;
  if (count_++ == 0) first_ = worst_ = now;
  if (now.worst > worst_.worst) worst_ = now;
}

template <class T>
void ConditionWatch<T>::finish(std::vector<Warning>& warnings) {
  close();
  if (count_ == 0) return;
  const auto tell = [&](const Stretch& stretch, const std::string& rest) {
    const bool is_lost = !(stretch.worst < lost_condition<T>());
    const std::string span = stretch.begin != stretch.end
                                 ? fmt::format("from t = {:g} to {:g}", stretch.begin, stretch.end)
                                 : fmt::format("at t = {:g}", stretch.begin);
    warnings.push_back(
        {stretch.worst_time, is_lost ? "rank-loss" : "near-singular",
         fmt::format("the constraints were {} {}: the condition number reached {:.2g} at t = {:g}{}",
                     is_lost ? "dependent" : "nearly dependent", span, stretch.worst, stretch.worst_time, rest)});
  };
  tell(first_, count_ > 1 ? fmt::format("; the first of {} such stretches", count_) : "");
  if (worst_.begin != first_.begin) tell(worst_, "; the worst of them");
}

COTANGENT_INSTANTIATE(PRECISIONS, ConditionWatch);

}  // namespace cotangent
