#include "cotangent/analyze/equilibria/equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "cotangent/analyze/equilibria/symmetry_motion.hpp"
#include "cotangent/analyze/stability/linearised_field.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/elements/driven.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<double>;

constexpr int kMostSteps = 500;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// Where |eigenvalues| are all about size, smaller ones than this are zero.
double noise(double size) { return 1e-7 * size; }

void expect_patience(const volatile std::sig_atomic_t* stop) {
  if (stop && *stop != 0) throw Interrupted();
}

}  // namespace

const char* name_of(Stability stability) {
  static constexpr const char* names[] = {"stable", "neutral", "unstable", "elliptic"};
  return names[static_cast<std::size_t>(stability)];
}

bool descend(Statics& statics, Manifold<double>& manifold, PhasePoint<double>& z, Vector& lambda, int& iterations,
             const volatile std::sig_atomic_t* stop) {
  const std::size_t n = statics.n();
  Vector slope(n), step(n), forces(n), last = lambda;
  lambda.assign(static_cast<std::size_t>(manifold.system().m()), 0.0);
  if (!statics.rest(z)) return false;
  double s = 0;
  for (iterations = 0; iterations < kMostSteps; ++iterations) {
    statics.linearise(z, lambda);
    statics.V_q(z, slope);
    const double V = statics.V(z), size_q = largest_of(z.q), size_V = std::abs(V) + sum_of_products(slope, z.q);
    const double size = std::max(statics.size_of_K(), largest_of(slope) / std::max(size_q, 1e-300));
    double next = 0;
    while (!statics.factor(next)) {
      expect_patience(stop);
      next = next == 0 ? std::max(s / 8, 1e-9 * size / statics.size_of_M()) : 8 * next;
      if (!std::isfinite(next)) return false;
    }
    s = next;
    for (std::size_t j = 0; j < n; ++j) step[j] = -slope[j];
    last.assign(lambda.size(), 0.0);
    statics.solve(step, last);
    lambda = last;
    // How far V falls along the step, to first order.
    const double fall = -dot(slope, step);
    const bool is_last = !(fall > 1e-15 * size_V) || largest_of(step) <= 1e-14 * size_q;
    PhasePoint<double> trial = z;
    // Steps longer than the system itself lead anywhere.
    double part = std::min(1.0, size_q / largest_of(step));
    bool is_made = false;
    for (; part > epsilon<double>() && !is_made; part /= 2) {
      expect_patience(stop);
      trial = z;
      for (std::size_t j = 0; j < n; ++j) trial.q[j] += part * step[j];
      if (manifold.system().m() > 0 && !manifold.project_position(trial).converged) continue;
      is_made = statics.rest(trial) && (is_last || statics.V(trial) <= V - 1e-4 * part * fall + 1e-15 * size_V);
    }
    if (!is_made) return is_last;
    z = trial;
    if (is_last) {
      statics.linearise(z, lambda);
      return true;
    }
  }
  return false;
}

namespace {

class Analysis {
 public:
  Analysis(const Model& model, const EquilibriumOptions& options)
      : model_(model),
        options_(options),
        elements_(regular_elements(model, report_.notes)),
        compiled_(std::make_shared<const CompiledModel>(elements_, has_jit() ? Backend::jit : Backend::interpreter)),
        system_(compiled_),
        manifold_(system_) {
    report_.elements = elements_;
    if (is_driven(*elements_)) throw std::invalid_argument("the system changes with the time: it has no equilibrium");
    report_.z = make_start(model, manifold_, InitialPolicy::project, report_.notes).z;
    for (const auto& dependent : settle_redundancy(manifold_, report_.z)) redundant_.push_back(dependent.row);
  }

  EquilibriumReport operator()() {
    std::unique_ptr<Statics> statics;
    if (options_.is_relative) {
      find_symmetry_motions();
    } else if (elements_->dynamics != Dynamics::equations) {
      statics = std::make_unique<Statics>(system_, redundant_);
    }
    if (statics && statics->is_natural_at(report_.z)) {
      if (!descend(*statics, manifold_, report_.z, report_.multipliers, report_.iterations, options_.stop)) {
        report_.failure =
            report_.iterations < kMostSteps
                ? fmt::format(
                      "no equilibrium was found after {} steps: the potential may have no minimum that the "
                      "initial point leads to, or constraints become dependent on the way",
                      report_.iterations)
                : fmt::format("no equilibrium was found: the potential still falls after {} steps; start nearer to one",
                              report_.iterations);
        return std::move(report_);
      }
      find_residual(*statics);
    } else {
      find_by_newton();
      if (!report_.failure.empty()) return std::move(report_);
    }
    report_.is_conservative = statics && statics->is_natural_at(report_.z) && manifold_.forcing().is_conservative();
    if (report_.is_conservative) {
      find_normal_modes(*statics);
    } else {
      find_spectrum();
    }
    return std::move(report_);
  }

 private:
  std::size_t variables() const {
    return 2 * static_cast<std::size_t>(system_.n()) + static_cast<std::size_t>(elements_->states);
  }
  void expect_small() const {
    if (static_cast<std::int64_t>(variables()) > kLimits.basis)
      throw std::invalid_argument(
          fmt::format("where forces, states or gyroscopic terms act the equations of {} variables take full matrices: "
                      "this is done for up to {}",
                      variables(), kLimits.basis));
  }
  LinearisedField field() const {
    const bool is_ode = elements_->dynamics == Dynamics::equations;
    return {compiled_, is_ode ? "equations" : "standard", {}, redundant_};
  }

  void find_residual(Statics& statics) {
    Vector slope(statics.n()), pull(slope);
    statics.V_q(report_.z, slope);
    if (system_.m() > 0) system_.at(report_.z).Gt_times(report_.multipliers, pull);
    for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += pull[j];
    report_.residual = largest_of(slope);
  }

  void find_symmetry_motions() {
    symmetries_ = symmetry_motions(model_);
    if (symmetries_.empty())
      throw std::invalid_argument("no momentum is conserved, so that no symmetry moves the system along itself");
    rates_.assign(symmetries_.size(), 0.0);
    for (const auto& symmetry : symmetries_) momenta_.push_back(symmetry.J(report_.z));
  }

  // The field as seen from where symmetries move with the rates, f - sum_a w_a X_a, at z; and its derivative.
  struct Seen {
    Vector f;
    Matrix derivative, gradients;
  };
  std::optional<Seen> seen(LinearisedField& field) const {
    auto found = field.at(report_.z);
    if (!found) return std::nullopt;
    Seen result{std::move(found->f), std::move(found->field), std::move(found->gradients)};
    for (std::size_t a = 0; a < symmetries_.size(); ++a) {
      const Vector X = symmetries_[a].X(report_.z);
      const Matrix slope = symmetries_[a].derivative();
      for (std::size_t i = 0; i < X.size(); ++i) {
        result.f[i] -= rates_[a] * X[i];
        for (std::size_t j = 0; j < X.size(); ++j) result.derivative(i, j) -= rates_[a] * slope(i, j);
      }
    }
    return result;
  }

  // Newton's method for the point and the rates:
  //
  //   f - sum_a w_a X_a = 0,   r = 0,   J_a = J_a at the beginning,
  //
  // with the shortest of the steps that symmetries leave open. Points return to the constraints.
  void find_by_newton() {
    expect_small();
    LinearisedField field = this->field();
    PhasePoint<double>& z = report_.z;
    double before = infinity<double>(), most = 0;  // the largest number on the way: an equilibrium may be zero
    const std::size_t n = z.q.size(), size = variables(), motions = symmetries_.size();
    for (report_.iterations = 0; report_.iterations < kMostSteps; ++report_.iterations) {
      expect_patience(options_.stop);
      const auto here = seen(field);
      if (!here) break;
      const std::size_t rows = here->gradients.rows;
      Matrix equations(size + rows + motions, size + motions), right(equations.rows, 1);
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = 0; i < size; ++i) equations(i, j) = here->derivative(i, j);
        for (std::size_t r = 0; r < rows; ++r) equations(size + r, j) = here->gradients(r, j);
        right(j, 0) = -here->f[j];
      }
      for (std::size_t a = 0; a < motions; ++a) {
        const Vector X = symmetries_[a].X(z), slope = symmetries_[a].gradient(z);
        for (std::size_t i = 0; i < X.size(); ++i) {
          equations(i, size + a) = -X[i];
          equations(size + rows + a, i) = slope[i];
        }
        right(size + rows + a, 0) = momenta_[a] - symmetries_[a].J(z);
      }
      report_.residual = 0;
      for (const double x : right.values) report_.residual = std::max(report_.residual, std::abs(x));
      most = std::max({most, largest_of(z.q), largest_of(z.p), largest_of(z.s)});
      const double level = norm(here->derivative) * most;
      // Rounding permits no better: it is small, and no longer halved.
      const bool is_small = report_.residual <= 1e-14 * level && 2 * report_.residual >= before;
      if (report_.residual == 0 || is_small || (report_.residual >= before && before <= 1e-9 * level)) return;
      before = report_.residual;
      Matrix step = product(right_inverse(equations), right);
      double length = 0;
      for (std::size_t j = 0; j < size; ++j) length = std::max(length, std::abs(step(j, 0)));
      // Where the matrix is singular and the best step is none, beside that of a regular one, the motion itself leads
      // on.
      if (length * level <= 1e-9 * report_.residual * most)
        for (std::size_t j = 0; j < size; ++j) {
          step(j, 0) = here->f[j] * most / (2 * level);
          length = std::max(length, std::abs(step(j, 0)));
        }
      // Steps longer than the system itself lead anywhere.
      const double part = length > most && most > 0 ? most / length : 1;
      for (std::size_t j = 0; j < n; ++j) {
        z.q[j] += part * step(j, 0);
        z.p[j] += part * step(n + j, 0);
      }
      for (std::size_t j = 0; j < static_cast<std::size_t>(elements_->states); ++j) z.s[j] += part * step(2 * n + j, 0);
      for (std::size_t a = 0; a < motions; ++a) rates_[a] += part * step(size + a, 0);
      if (system_.m() > 0 && !(manifold_.project_position(z).converged && manifold_.project_momentum(z).converged))
        break;
    }
    report_.failure = fmt::format(
        "no equilibrium was found: a residual of {:.3g} is left after {} steps of Newton's method; start nearer to one",
        report_.residual, report_.iterations);
  }

  void find_normal_modes(Statics& statics) {
    report_.mode_count = statics.n() - statics.rows().size();
    const NormalModes found = normal_modes(statics, options_.modes);
    std::size_t zero = 0, negative = 0;
    for (std::size_t k = 0; k < found.omega2.size(); ++k) {
      const double omega2 = found.omega2[k];
      const bool is_zero = std::abs(omega2) <= found.noise;
      zero += is_zero ? 1 : 0;
      negative += !is_zero && omega2 < 0 ? 1 : 0;
      const Complex eigenvalue = is_zero      ? Complex(0, 0)
                                 : omega2 > 0 ? Complex(0, std::sqrt(omega2))
                                              : Complex(std::sqrt(-omega2), 0);
      report_.modes.push_back({eigenvalue, {found.shapes[k].begin(), found.shapes[k].end()}});
    }
    report_.stability = negative > 0 ? Stability::unstable : zero > 0 ? Stability::neutral : Stability::stable;
    scale_shapes();
  }

  // f' between tangent vectors of the manifold.
  void find_spectrum() {
    expect_small();
    LinearisedField field = this->field();
    const auto found = seen(field);
    if (!found) {
      report_.failure = "there is no field at the equilibrium";
      return;
    }
    const Matrix B = null_space(found->gradients);
    const auto pairs = eigenpairs(product(transposed(B), product(found->derivative, B)));
    for (std::size_t a = 0; a < symmetries_.size(); ++a) report_.rates.emplace_back(symmetries_[a].name(), rates_[a]);
    double largest = 0;
    for (const auto& pair : pairs) largest = std::max(largest, std::abs(pair.value));
    bool all_decay = true;
    bool some_grow = false;
    const auto significant = [&](double x) { return std::abs(x) > noise(largest) ? x : 0; };
    for (const auto& pair : pairs) {
      const Complex value(significant(pair.value.real()), significant(pair.value.imag()));
      all_decay = all_decay && value.real() < 0;
      some_grow = some_grow || value.real() > 0;
      if (value.imag() < 0) continue;  // the conjugate of another one
      ++report_.mode_count;
      if (report_.modes.size() == options_.modes) continue;
      const auto n = static_cast<std::size_t>(system_.n());
      Mode mode{value, std::vector<Complex>(variables() - n)};
      for (std::size_t i = 0; i < mode.shape.size(); ++i)
        for (std::size_t j = 0; j < B.columns; ++j) mode.shape[i] += B(i < n ? i : n + i, j) * pair.vector[j];
      report_.modes.push_back(std::move(mode));
    }
    report_.stability = all_decay ? Stability::stable : some_grow ? Stability::unstable : Stability::elliptic;
    scale_shapes();
  }

  void scale_shapes() {
    for (Mode& mode : report_.modes) {
      const auto largest =
          std::max_element(mode.shape.begin(), mode.shape.end(), [](const Complex& a, const Complex& b) {
            return std::abs(a) < std::abs(b) * (1 - 1e-9);  // the first of equal ones
          });
      if (largest == mode.shape.end() || std::abs(*largest) == 0) continue;
      const Complex unit = *largest;
      for (Complex& x : mode.shape) x /= unit;
    }
  }

  const Model& model_;
  const EquilibriumOptions& options_;
  EquilibriumReport report_;
  std::shared_ptr<const Elements> elements_;
  std::shared_ptr<const CompiledModel> compiled_;
  System<double> system_;
  Manifold<double> manifold_;
  std::vector<std::int64_t> redundant_;
  // Of a relative equilibrium.
  std::vector<SymmetryMotion> symmetries_;
  Vector rates_, momenta_;
};

}  // namespace

EquilibriumReport analyze_equilibrium(const Model& model, const EquilibriumOptions& options) {
  return Analysis(model, options)();
}

}  // namespace cotangent
