#include "cotangent/analyze/stability/orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cotangent/elements/driven.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"

namespace cotangent {
namespace {

using Numbers = std::vector<double>;

// Closed orbits come back as near as this, in units of their size.
constexpr double kReturn = 1e-7;

/// Points as seen from the first one, in units of the size of the motion so far: of coordinates, momenta and states.
class View {
 public:
  /// @param states that count: the work done, which comes after them, is no part of the motion.
  View(const PhasePoint<double>& z, std::size_t states, Formulation<double>& field) : states_(states), first_(flat(z)) {
    PhasePoint<double> slope = z;
    // Where there is no field there are no steps, and they say why.
    static_cast<void>(field.field(z, slope.q.data(), slope.p.data(), slope.s.data()));
    slope_ = flat(slope);
    ends_ = {z.q.size(), 2 * z.q.size(), first_.size()};
  }

  void look_at(const PhasePoint<double>& z) {
    each(z, [&](std::size_t part, double, double x) { sizes_[part] = std::max(sizes_[part], std::abs(x)); });
  }
  double distance(const PhasePoint<double>& z) const {
    double most = 0;
    each(z, [&](std::size_t part, double, double x) {
      if (sizes_[part] > 0) most = std::max(most, std::abs(x) / sizes_[part]);
    });
    return most;
  }
  /// n'(z - z(0)).
  double ahead(const PhasePoint<double>& z) const {
    double sum = 0;
    each(z, [&](std::size_t part, double slope, double x) {
      if (sizes_[part] > 0) sum += slope * x / (sizes_[part] * sizes_[part]);
    });
    return sum;
  }

 private:
  Numbers flat(const PhasePoint<double>& z) const {
    Numbers x = z.q;
    x.insert(x.end(), z.p.begin(), z.p.end());
    x.insert(x.end(), z.s.begin(), z.s.begin() + static_cast<std::ptrdiff_t>(states_));
    return x;
  }
  template <class F>
  void each(const PhasePoint<double>& z, const F& f) const {
    const Numbers x = flat(z);
    for (std::size_t part = 0, j = 0; part < ends_.size(); ++part)
      for (; j < ends_[part]; ++j) f(part, slope_[j], x[j] - first_[j]);
  }

  std::size_t states_;
  Numbers first_, slope_;
  std::array<std::size_t, 3> ends_{};
  std::array<double, 3> sizes_{};
};

std::string in_words(const StepReport<double>& report, double time) {
  return fmt::format("the motion ends at t = {:.6g}: {}; {}", time, describe(report.status), advice(report.status));
}

}  // namespace

OrbitFinder::OrbitFinder(std::shared_ptr<const CompiledModel> model, std::size_t nullity)
    : system_(std::move(model)),
      manifold_(system_),
      integrator_(find_method<double>(system_.m() > 0 ? "project:both(dop853)" : "dop853").make(manifold_)),
      field_(underlying_field(manifold_)) {
  manifold_.matrix().set_nullity(nullity);
}

bool OrbitFinder::make(const Point<double>& z, double h, Point<double>& end) {
  const auto report = integrator_->step(z, h, end);
  if (report.status == StepStatus::ok) return true;
  failure_ = in_words(report, z->t);
  return false;
}

Orbit OrbitFinder::follow(const PhasePoint<double>& z, double duration, std::size_t steps) {
  Orbit orbit{.points = {z}, .step = duration / static_cast<double>(steps)};
  Point<double> here(z), next(z);
  failure_.clear();
  for (std::size_t k = 0; k < steps && make(here, orbit.step, next); ++k) {
    swap(here, next);
    orbit.points.push_back(here);
  }
  orbit.failure = failure_;
  while (orbit.points.size() % 4 != 1) orbit.points.pop_back();
  return orbit;
}

// The first time at which z(t) passes z(0) as it did there.
std::optional<double> OrbitFinder::find_period(const PhasePoint<double>& z, double duration, double step) {
  View view(z, static_cast<std::size_t>(system_.elements().states), *field_);
  Point<double> here(z), next(z), tried(z);
  failure_.clear();
  const auto steps = static_cast<std::int64_t>(std::ceil(duration / step));
  double before = 0;
  for (std::int64_t k = 0; k < steps && make(here, step, next); ++k) {
    view.look_at(next);
    const double after = view.ahead(next);
    if (before < 0 && after >= 0) {
      // The root in (0, step], by bisection and the secant in turn.
      double lo = 0, hi = step, at_lo = before, at_hi = after;
      for (int turn = 0; turn < 100 && at_hi != 0; ++turn) {
        const double h = turn % 2 == 0 ? lo + (hi - lo) * at_lo / (at_lo - at_hi) : lo + (hi - lo) / 2;
        if (!(h > lo && h < hi) || !make(here, h, tried)) break;
        const double value = view.ahead(tried);
        (value < 0 ? lo : hi) = h;
        (value < 0 ? at_lo : at_hi) = value;
      }
      if (make(here, hi, tried) && view.distance(tried) < kReturn) return (here->t - z.t) + hi;
    }
    before = after;
    swap(here, next);
  }
  return std::nullopt;
}

Orbit OrbitFinder::operator()(const PhasePoint<double>& z, double duration, double step) {
  constexpr double kFewest = 64;
  const auto period = is_driven(system_.elements()) ? std::nullopt : find_period(z, duration, step);
  const double length = period.value_or(duration);
  const auto steps = 4 * static_cast<std::size_t>(std::ceil(std::max(kFewest, length / step) / 4));
  Orbit orbit = follow(z, length, steps);
  if (!period || !orbit.failure.empty()) return orbit;
  View view(z, static_cast<std::size_t>(system_.elements().states), *field_);
  for (const auto& point : orbit.points) view.look_at(point);
  orbit.return_error = view.distance(orbit.points.back());
  orbit.is_closed = orbit.return_error < kReturn;
  return orbit;
}

}  // namespace cotangent
