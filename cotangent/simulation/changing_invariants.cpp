#include "cotangent/simulation/changing_invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/projection/kept_invariants.hpp"

namespace cotangent {
namespace {

// Of what a rate is the sum of; and of the largest terms that there could be in it: it may be a sum of rounding errors.
constexpr double kZero = 1e-6, kNothing = 1e-10;
constexpr int kPoints = 6;
// Each is so far from the one before, in units of its size.
constexpr double kPart = 0.05;
// For differences in time.
constexpr double kTime = 1e-4;

std::vector<std::string> names_of(const std::vector<NamedRows>& rows) {
  std::vector<std::string> names;
  for (const NamedRows& named : rows) names.push_back(named.name);
  return names;
}

double largest(const PhasePoint<double>& z) { return std::max({largest_of(z.q), largest_of(z.p), largest_of(z.s)}); }

/// The constrained motion in double precision, a few steps of it, and rates along it.
class Motion {
 public:
  Motion(const Model& model, const std::shared_ptr<const Elements>& elements)
      : system_(elements, Backend::interpreter),
        manifold_(system_),
        field_(find_formulation<double>("standard").make(manifold_)),
        declared_(system_, names_of(elements->invariant_rows)),
        z_(make_initial_data(model, manifold_, InitialPolicy::project).z),
        rate_(z_),
        gradient_(z_),
        forces_(z_.q.size()),
        uses_time_(elements->depends_on(elements->invariants, Space::t)) {
    settle_redundancy(manifold_, z_);
  }

  double time() const { return z_.t; }
  std::size_t count() const { return declared_.count(); }
  std::string name(std::size_t k) const { return declared_.row_name(system_.elements(), declared_.row(k)); }

  /// Whether the motion is known here.
  bool find_rate() { return find_rate(z_); }

  /// dI_k/dt, or 0 if it is no more than rounding errors. @pre find_rate()
  double change(std::size_t k) {
    declared_.gradient(z_, k, gradient_.q.data(), gradient_.p.data(), gradient_.s.data());
    double sum = 0, size = 0;
    const auto add = [&](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        sum += a[j] * b[j];
        size += std::abs(a[j] * b[j]);
      }
    };
    add(gradient_.q, rate_.q);
    add(gradient_.p, rate_.p);
    add(gradient_.s, rate_.s);
    if (uses_time_) {
      const double d = kTime, by_time = (8 * (at(d, k) - at(-d, k)) - (at(2 * d, k) - at(-2 * d, k))) / (12 * d);
      sum += by_time;
      // What is left of a difference of rounding errors is no rate.
      size += std::abs(by_time) + kTime * std::abs(at(0, k));
    }
    const double most = largest_of(gradient_.q) * largest_of(rate_.q) + largest_of(gradient_.p) * force_size() +
                        largest_of(gradient_.s) * largest_of(rate_.s);
    return std::abs(sum) > kZero * size + kNothing * most ? sum : 0;
  }

  /// Goes on by the classical Runge-Kutta method, back to the constraints. Whether there is a point.
  bool advance() {
    if (!find_rate(z_)) return false;
    const double h = kPart * (1 + largest(z_)) / (1 + largest(rate_));
    constexpr std::array<double, 4> nodes{0, 0.5, 0.5, 1}, weights{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const PhasePoint<double> begin = z_;
    PhasePoint<double> end = z_;
    for (std::size_t stage = 0; stage < nodes.size(); ++stage) {
      PhasePoint<double> at = begin;
      move(at, nodes[stage] * h);
      if (!find_rate(at)) return false;
      move(end, weights[stage] * h);
    }
    z_ = end;
    z_.t = begin.t + h;
    if (system_.m() == 0) return true;
    return manifold_.project_position(z_).converged && manifold_.project_momentum(z_).converged;
  }

 private:
  // Of what momenta change by: at rest it is a difference of forces.
  double force_size() {
    system_.at(z_).H_q(forces_);
    return std::max(largest_of(forces_), largest_of(rate_.p));
  }

  bool find_rate(const PhasePoint<double>& z) {
    return field_->field(z, rate_.q.data(), rate_.p.data(), rate_.s.data()) && std::isfinite(largest(rate_)) &&
           std::isfinite(largest(z));
  }

  // By h times the rate found last.
  void move(PhasePoint<double>& z, double h) const {
    const auto add = [h](std::vector<double>& x, const std::vector<double>& dx) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += h * dx[j];
    };
    add(z.q, rate_.q);
    add(z.p, rate_.p);
    add(z.s, rate_.s);
    z.t += h;
  }

  // I_k at the same point, later.
  double at(double later, std::size_t k) {
    values_.resize(declared_.count());
    declared_.excess({z_.q.data(), z_.p.data(), z_.s.data(), z_.t + later}, values_.data());
    return values_[k];
  }

  System<double> system_;
  Manifold<double> manifold_;
  std::unique_ptr<Formulation<double>> field_;
  KeptInvariants<double> declared_;
  PhasePoint<double> z_, rate_, gradient_;
  std::vector<double> forces_, values_;
  bool uses_time_;
};

}  // namespace

std::string describe(const ChangingInvariant& invariant) {
  return fmt::format("the equations do not keep the invariant '{}': d{}/dt = {:.3g} at t = {:.3g}", invariant.name,
                     invariant.row, invariant.rate, invariant.time);
}

std::vector<ChangingInvariant> changing_invariants(const Model& model,
                                                   const std::shared_ptr<const Elements>& elements) {
  if (elements->invariant_rows.empty() || elements->n > kLimits.full) return {};
  std::optional<Motion> motion;
  try {
    motion.emplace(model, elements);
  } catch (const std::invalid_argument&) {
    return {};  // not a motion in q and p
  }
  std::vector<ChangingInvariant> worst(motion->count());
  for (int point = 0; point < kPoints && motion->find_rate(); ++point) {
    for (std::size_t k = 0; k < worst.size(); ++k) {
      const double rate = motion->change(k);
      if (std::abs(rate) > std::abs(worst[k].rate)) worst[k] = {"", motion->name(k), rate, motion->time()};
    }
    if (!motion->advance()) break;
  }
  std::vector<ChangingInvariant> result;
  // Rows are in the order in which they are declared.
  auto row = worst.begin();
  for (const NamedRows& rows : elements->invariant_rows) {
    ChangingInvariant most;
    for (const auto end = row + rows.count; row != end; ++row)
      if (std::abs(row->rate) > std::abs(most.rate)) most = *row;
    if (most.rate == 0) continue;
    most.name = rows.name;
    result.push_back(most);
  }
  return result;
}

}  // namespace cotangent
