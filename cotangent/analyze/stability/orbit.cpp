#include "cotangent/analyze/stability/orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "cotangent/base/interruption.hpp"
#include "cotangent/base/scalar.hpp"
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

/// How much a field differs from itself a time T later: D(T), in units of its size.
class Recurrence {
 public:
  Recurrence(const PhasePoint<double>& z, Formulation<double>& field, double duration)
      : field_(field), z_(z), slope_(z), start_(z.t) {
    const auto scatter = [](std::vector<double>& x) {
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] += 0.1 * std::sin(1 + static_cast<double>(j)) * std::max(1.0, std::abs(x[j]));
    };
    scatter(z_.q);
    scatter(z_.p);
    scatter(z_.s);
    // Times that are no multiples of each other.
    for (int j = 0; j < kTimes; ++j) times_.push_back(duration * std::fmod(j * std::numbers::phi, 1.0));
    for (const double t : times_) first_.push_back(at(t));
    for (const Numbers& f : first_)
      for (const double x : f) size_ = std::max(size_, std::abs(x));
  }

  double operator()(double T) {
    double most = 0;
    for (std::size_t j = 0; j < times_.size(); ++j) {
      const Numbers f = at(times_[j] + T);
      for (std::size_t k = 0; k < f.size(); ++k) most = std::max(most, std::abs(f[k] - first_[j][k]));
    }
    return std::isfinite(most) ? most / size_ : infinity<double>();
  }

 private:
  static constexpr int kTimes = 8;

  Numbers at(double t) {
    z_.t = start_ + t;
    static_cast<void>(field_.field(z_, slope_.q.data(), slope_.p.data(), slope_.s.data()));
    Numbers f = slope_.q;
    f.insert(f.end(), slope_.p.begin(), slope_.p.end());
    f.insert(f.end(), slope_.s.begin(), slope_.s.end());
    return f;
  }

  Formulation<double>& field_;
  PhasePoint<double> z_, slope_;
  double start_, size_ = 0;
  Numbers times_;
  std::vector<Numbers> first_;
};

std::string in_words(const StepReport<double>& report, double time) {
  return fmt::format("the motion ends at t = {:.6g}: {}; {}", time, describe(report.status), advice(report.status));
}

}  // namespace

OrbitFinder::OrbitFinder(std::shared_ptr<const CompiledModel> model, std::size_t nullity,
                         const volatile std::sig_atomic_t* stop)
    : system_(std::move(model)),
      manifold_(system_),
      integrator_(find_method<double>(system_.m() > 0 ? "project:both(dop853)" : "dop853").make(manifold_)),
      field_(underlying_field(manifold_)),
      stop_(stop) {
  manifold_.matrix().set_nullity(nullity);
}

bool OrbitFinder::make(const Point<double>& z, double h, Point<double>& end) {
  if (stop_ && *stop_ != 0) throw Interrupted();
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

std::optional<double> OrbitFinder::period_of_equations(const PhasePoint<double>& z, double duration, double step) {
  // Next to a zero D is about |T - zero|: it is found to rounding, which a step of sampling is far from.
  constexpr double kZero = 1e-10;
  Recurrence D(z, *field_, duration);
  double before = 0, here = D(step);
  for (double T = 2 * step; T <= duration + step; T += step) {
    const double after = D(T);
    if (here < before && here <= after) {
      double lo = T - 2 * step, hi = T;
      for (int k = 0; k < 200 && hi - lo > 4 * epsilon<double>() * hi; ++k) {
        const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        (D(a) < D(b) ? hi : lo) = D(a) < D(b) ? b : a;
      }
      if (D((lo + hi) / 2) < kZero) return (lo + hi) / 2;
    }
    before = std::exchange(here, after);
  }
  return std::nullopt;
}

std::optional<double> OrbitFinder::find_driven_period(const PhasePoint<double>& z, double duration, double step) {
  const auto period = period_of_equations(z, duration, step);
  if (!period) return std::nullopt;
  const auto steps = std::ceil(*period / step);
  View view(z, static_cast<std::size_t>(system_.elements().states), *field_);
  Point<double> here(z), next(z);
  failure_.clear();
  for (int turns = 1; turns * *period <= duration * (1 + kReturn); ++turns) {
    for (double k = 0; k < steps; ++k) {
      if (!make(here, *period / steps, next)) return std::nullopt;
      view.look_at(next);
      swap(here, next);
    }
    if (view.distance(here) < kReturn) return turns * *period;
  }
  return std::nullopt;
}

Orbit OrbitFinder::operator()(const PhasePoint<double>& z, double duration, double step) {
  constexpr double kFewest = 64;
  const auto period =
      is_driven(system_.elements()) ? find_driven_period(z, duration, step) : find_period(z, duration, step);
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
