#include "cotangent/integrator/group_preserving/hamiltonian_mgps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/integrator/group_preserving/lorentz_factor.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

template <class T>
HamiltonianMgps<T>::HamiltonianMgps(MethodFacts facts, System<T>& system, std::unique_ptr<Formulation<T>> formulation)
    : Integrator<T>(std::move(facts)),
      field_(std::move(formulation)),
      system_(system),
      invariant_(system, this->facts().keeps_invariants) {
  const Elements& elements = system.elements();
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("'hamiltonian-mgps' is for x' = f(x) with one invariant; " + why);
  };
  if (invariant_.count() != 1) refuse(fmt::format("here are {}: use mgps", invariant_.count()));
  if (elements.depends_on(elements.rates, Space::t) || elements.depends_on(elements.invariants, Space::t))
    refuse("here the equations or the invariant depend on the time: use mgps");
  if (elements.states > kLimits.minimal)
    refuse(fmt::format("its matrices are full, and here are {} states, more than {}: use mgps", elements.states,
                       kLimits.minimal));
}

template <class T>
void HamiltonianMgps<T>::begin(Point<T>& z) {
  invariant_.start(z);
  z.trajectory().numbers = invariant_.targets();
}

// (I'', -w; grad I', 0) at x_.
template <class T>
void HamiltonianMgps<T>::set_matrix() {
  const At<T> at = system_.at(x_);
  std::fill(unit_.begin(), unit_.end(), T(0));
  for (std::size_t j = 0; j < n_; ++j) {
    unit_[j] = T(1);
    at.I_s_along(one_, unit_, column_);
    unit_[j] = T(0);
    for (std::size_t i = 0; i < n_; ++i) matrix_(i, j) = column_[i];
    matrix_(j, n_) = -w_[j];
    matrix_(n_, j) = y_[j];
  }
  matrix_(n_, n_) = T(0);
}

template <class T>
StepReport<T> HamiltonianMgps<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (z.trajectory().numbers.empty()) {
    first_ = z;
    begin(first_);
    return make_step(first_, h, end);
  }
  invariant_.targets() = z.trajectory().numbers;
  StepReport<T> report;
  x_ = z;
  x_.advance_time(h);
  report.evaluations = 1;
  static_cast<void>(field_->field(z, nullptr, nullptr, f_.data()));

  const At<T> here = system_.at(z);
  here.I_s(one_, y_);
  here.I_s_along(one_, f_, w_);
  T yy(0), rate(0), squared(0);
  for (std::size_t j = 0; j < n_; ++j) {
    yy += y_[j] * y_[j];
    rate += w_[j] * y_[j];
    squared += w_[j] * w_[j];
  }
  const T eta = lorentz_factor(yy, rate, squared, h);
  for (std::size_t j = 0; j < n_; ++j) {
    w_[j] = y_[j] + eta * w_[j];
    x_.s[j] = add_compensated(x_.s[j], T(h) * f_[j], x_.s_low[j]);
  }
  T a(1);
  RoundingStop<T> stop;
  const T level(kZeroUnits * epsilon<T>()), near(kNearUnits * epsilon<T>());
  while (true) {
    system_.at(x_).I_s(one_, y_);
    invariant_.excess(x_, &right_[n_]);
    // What is added up: of the gradient its largest entry, of the invariant the work of the gradient.
    T most(0), scale = abs(invariant_.targets().front());
    for (std::size_t j = 0; j < n_; ++j) {
      right_[j] = y_[j] - a * w_[j];
      most = max(most, abs(y_[j]));
      scale += abs(y_[j] * x_.s[j]);
    }
    T rows(0);
    for (std::size_t j = 0; j < n_; ++j) rows = max(rows, abs(right_[j]));
    const T residual =
        max(select(rows > T(0), rows / most, T(0)), select(abs(right_[n_]) > T(0), abs(right_[n_]) / scale, T(0)));
    if (!stop.update(residual, residual <= level, residual <= near)) break;
    set_matrix();
    if (!stop.fail(stop.active() & !matrix_.invert(T(0)))) break;
    matrix_.times(right_.data(), correction_.data());
    for (std::size_t j = 0; j < n_; ++j) {
      x_.s[j] -= select(stop.active(), correction_[j], T(0));
      x_.s_low[j] = T(0);
    }
    a -= select(stop.active(), correction_[n_], T(0));
  }
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  report.tolerance = level;
  report.ok = stop.converged();
  if (!all(report.ok))
    report.status = all(isfinite(stop.residual())) ? StepStatus::stage_solve_failed : StepStatus::not_finite;
  if (!any(report.ok)) return report;
  end.change() = x_;
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), end.change());
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, HamiltonianMgps);

}  // namespace cotangent
