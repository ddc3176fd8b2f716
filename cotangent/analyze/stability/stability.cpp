#include "cotangent/analyze/stability/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/base/interruption.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/elements/driven.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

// Transition matrices are as accurate as this, unless that takes more than so many numbers.
constexpr double kAccurate = 1e-9;
constexpr double kMostNumbers = 2e7;

/// A formulation, and the transition matrix of its residuals.
struct Part {
  FormulationStability report;
  std::unique_ptr<LinearisedField> field;
};

// Eigenvalues of A, whose entries are made of numbers of this size. Of a multiple one errors are the root of rounding:
// what is no larger is zero.
std::vector<Complex> figures_of(const Matrix& A, double size) {
  std::vector<Complex> values = eigenvalues(A);
  const double noise = 4 * std::sqrt(epsilon<double>()) * size;
  for (Complex& x : values)
    if (std::abs(x) <= noise) x = 0;
  return values;
}

class Analysis {
 public:
  Analysis(const Model& model, const StabilityOptions& options)
      : options_(options),
        elements_(regular_elements(model, report_.notes)),
        compiled_(std::make_shared<const CompiledModel>(elements_, has_jit() ? Backend::jit : Backend::interpreter)),
        system_(compiled_),
        manifold_(system_) {
    report_.elements = elements_;
    const std::int64_t size = 2 * system_.n() + elements_->states;
    if (size > kLimits.basis)
      throw std::invalid_argument(fmt::format(
          "the stability of {} variables takes full matrices: it is done for up to {}", size, kLimits.basis));
    report_.start = make_start(model, manifold_, InitialPolicy::project, report_.notes).z;
    for (const auto& dependent : settle_redundancy(manifold_, report_.start)) redundant_.push_back(dependent.row);
    report_.redundant = redundant_constraints(manifold_, report_.start);
    report_.degrees_of_freedom = system_.n() - system_.m() + static_cast<std::int64_t>(redundant_.size());
  }

  StabilityReport operator()() {
    make_parts();
    look_at_start();
    if (options_.duration > 0 && !report_.is_equilibrium) follow_motion();
    for (Part& part : parts_) report_.formulations.push_back(std::move(part.report));
    return std::move(report_);
  }

 private:
  void expect_patience() const {
    if (options_.stop && *options_.stop != 0) throw Interrupted();
  }
  std::unique_ptr<LinearisedField> field_of(const std::string& name) const {
    return std::make_unique<LinearisedField>(compiled_, name, options_.equations, redundant_);
  }

  void make_parts() {
    const bool is_ode = elements_->dynamics == Dynamics::equations;
    std::vector<std::string> names = options_.formulations;
    if (names.empty())
      for (const auto& entry : formulations<double>())
        if ((entry.facts.name == "equations") == is_ode) names.push_back(entry.facts.name);
    for (const std::string& name : names) {
      expect_patience();
      Part part;
      part.report.name = find_formulation<double>(name).facts.name;
      try {
        part.field = field_of(name);
      } catch (const std::invalid_argument& error) {
        part.report.refusal = error.what();
      }
      parts_.push_back(std::move(part));
    }
    motion_ = field_of(is_ode ? "equations" : "standard");
  }

  void look_at_start() {
    for (Part& part : parts_) {
      expect_patience();
      if (!part.field) continue;
      const auto found = part.field->at(report_.start);
      if (!found) {
        part.report.refusal = "there is no field at the initial point";
        part.field.reset();
        continue;
      }
      part.report.field = figures_of(found->field, norm(found->field));
      part.report.residuals = figures_of(found->residuals, norm(found->field));
      part.report.has_residuals = found->gradients.rows > 0;
    }
    if (const auto found = motion_->at(report_.start)) {
      double size = 0, speed = 0;
      for (const double x : found->f) speed = std::max(speed, std::abs(x));
      for (const double x : found->field.values) size = std::max(size, std::abs(x));
      report_.is_equilibrium = !is_driven(*elements_) && speed <= 1e-12 * size;
    }
  }

  void follow_motion() {
    OrbitFinder find(compiled_, redundant_.size(), options_.stop);
    report_.orbit = find(report_.start, options_.duration, options_.step);
    if (report_.orbit->points.size() < 2) return;
    // Halves the steps until all transition matrices are accurate.
    while (true) {
      transitions();
      const std::size_t steps = 2 * (report_.orbit->points.size() - 1);
      const double numbers = static_cast<double>(steps) * static_cast<double>(2 * system_.n() + elements_->states);
      if (report_.relative_error < kAccurate || numbers > kMostNumbers || !report_.orbit->failure.empty()) break;
      Orbit finer = find.follow(report_.start, report_.orbit->duration(), steps);
      finer.is_closed = report_.orbit->is_closed;
      finer.return_error = report_.orbit->return_error;
      report_.orbit = std::move(finer);
    }
  }

  void transitions() {
    const Orbit& orbit = *report_.orbit;
    report_.relative_error = 0;
    for (Part& part : parts_)
      if (part.field && part.report.has_residuals)
        take(orbit, *part.field, &LinearisedField::Derivatives::residuals, {}, part.report.fate,
             part.report.multipliers);
    // Neighbours on the manifold have r'(x) dx = 0.
    if (const auto first = motion_->at(orbit.points.front()))
      take(orbit, *motion_, &LinearisedField::Derivatives::field, null_space(first->gradients), report_.motion_fate,
           report_.motion_multipliers);
    look_at_constraints(orbit);
  }

  /// @param basis of the vectors that are meant; none: all of them.
  void take(const Orbit& orbit, LinearisedField& field, Matrix LinearisedField::Derivatives::*which,
            const Matrix& basis, std::optional<Fate>& fate, std::vector<Complex>& multipliers) {
    Transition transition(orbit.step, basis);
    for (const auto& z : orbit.points) {
      expect_patience();
      auto found = field.at(z);
      if (!found) {
        fate = Fate{.kind = Fate::Kind::undecided};
        return;
      }
      transition.add(std::move((*found).*which));
    }
    report_.relative_error = std::max(report_.relative_error, transition.relative_error());
    fate = orbit.is_closed ? transition.fate_of_periodic() : transition.fate_as_seen();
    if (orbit.is_closed) multipliers = transition.multipliers();
  }

  // Means by the trapezoidal rule, which is exact to all orders on a closed orbit.
  void look_at_constraints(const Orbit& orbit) {
    const auto n = static_cast<std::size_t>(system_.n()), m = static_cast<std::size_t>(system_.m());
    std::vector<double> v(n), F(n), lambda(m), sum(m);
    double power = 0;
    report_.condition = 1;
    const std::size_t last = orbit.points.size() - 1;
    for (std::size_t k = 0; k <= last && m > 0; ++k) {
      const auto& z = orbit.points[k];
      system_.at(z).H_p(v);
      if (!manifold_.multipliers(z, v.data(), lambda.data(), F.data(), power).found()) return;
      const double weight = (k == 0 || k == last ? 0.5 : 1.0) / static_cast<double>(last);
      for (std::size_t r = 0; r < m; ++r) sum[r] += weight * lambda[r];
      if (const double condition = manifold_.matrix().condition(); condition > report_.condition) {
        report_.condition = condition;
        report_.condition_time = z.t;
      }
    }
    report_.mean_multipliers = std::move(sum);
  }

  const StabilityOptions& options_;
  StabilityReport report_;
  std::shared_ptr<const Elements> elements_;
  std::shared_ptr<const CompiledModel> compiled_;
  System<double> system_;
  Manifold<double> manifold_;
  std::vector<std::int64_t> redundant_;
  std::vector<Part> parts_;
  std::unique_ptr<LinearisedField> motion_;
};

}  // namespace

StabilityReport analyze_stability(const Model& model, const StabilityOptions& options) {
  return Analysis(model, options)();
}

}  // namespace cotangent
