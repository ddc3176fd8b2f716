#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/minimal_coordinates.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"

namespace cotangent {

FormulationFacts lagrange_2_facts() {
  return {.name = "lagrange-2",
          .description = "Lagrange's equations of the second kind, in the minimal coordinates of [minimal]",
          .variables = "s, s'",
          .is_physical = false,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_position = true,
          .on_momentum = true,
          .residuals = "g = 0, psi = 0",
          .derivatives = "phi'', H_pp",
          .moving = "q = phi(s, t), v = phi' s' + phi_t; f is part of s''",
          .applies_to = "systems with [minimal], one trajectory at a time",
          .reference = "hlw06"};
}

namespace {

/// Lagrange's equations of the second kind, in the minimal coordinates s of [minimal] and their velocities u = s':
///
///   q = phi(s, t),   v = Phi u + phi_t,   p with H_p(q, p, t) = v
///   Phi' (p' - F) = 0,   F = -H_q + forces                                       d'Alembert's principle
///
/// The constraints admit the velocities in the range of Phi, G Phi = 0, and their forces G' lambda vanish there. With
/// p' = M (v' - H_pq v - H_pt), M = H_pp^-1 and v' = Phi u' + phi''[(u, 1), (u, 1)],
///
///   s' = u,   (Phi' M Phi) u' = Phi' (F - M (phi''[(u, 1), (u, 1)] - H_pq v - H_pt)).
///
/// q and p are on the manifold whatever the method does. The variables are not canonical.
///
/// Reference: [hlw06, section VI.1.1].
template <class T>
class Lagrange2 final : public PhaseSpaceField<T> {
 public:
  /// @throws std::invalid_argument if the model has no [minimal], and MinimalError if q = phi(s, t) violates a
  /// constraint or if the minimal coordinates are not independent.
  Lagrange2(Manifold<T>& manifold, const FormulationOptions& /*options*/)
      : PhaseSpaceField<T>(lagrange_2_facts(), manifold),
        phi_(manifold.system()),
        momenta_(manifold.system()),
        x_(this->n(), T(0)),
        rest_(x_),
        g_(this->m(), T(0)) {
    check_phi();
  }

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* s_dot, T* u_dot, T* states_dot) override {
    if (!find_point(z.q, z.p, z.t)) return false;
    const PointRef<T> physical(phi_.q().data(), momenta_.p().data(), z.s, z.t);
    this->psi_.at(physical);
    if (!this->find_forces(physical)) return false;
    std::copy_n(z.p, phi_.size(), s_dot);
    phi_.curvature(x_.data());
    momenta_.rate(x_.data(), rest_.data());
    for (std::size_t j = 0; j < x_.size(); ++j) rest_[j] = this->F_[j] - rest_[j];
    phi_.pull_back(rest_.data(), u_dot);
    Mask<T> found(true);
    this->narrow(found, phi_.factor([this](const T* x, T* Mx) { momenta_.mass_times(x, Mx); }),
                 StepStatus::variables_not_found);
    if (!found) return false;
    phi_.solve(u_dot);
    found = this->multipliers_for_work(physical, false, found);
    this->rates(physical, states_dot);
    return found;
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(phi_.size()); }

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override {
    const T t(physical.t);
    own.q_low.assign(phi_.size(), T(0));
    own.p_low.assign(phi_.size(), T(0));
    this->psi_.at(physical);
    Mask<T> found(true);
    this->narrow(
        found,
        phi_.find(physical.q.data(), t, own.q) && phi_.find_velocity(own.q.data(), this->psi_.v().data(), t, own.p),
        StepStatus::variables_not_found);
    return found;
  }

  // What rounding has lost of s and u stays with them.
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override {
    if (!find_point(own.q.data(), own.p.data(), T(physical.t))) return false;
    physical.q = phi_.q();
    physical.p = momenta_.p();
    std::fill(physical.q_low.begin(), physical.q_low.end(), T(0));
    std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
    return true;
  }

 private:
  // g(phi(s, t), t) = 0 for all s, so that a few will show where it is not.
  void check_phi() {
    const std::vector<T> u(phi_.size(), T(0));
    std::vector<T> s;
    bool is_known = false, is_regular = false;
    for (const double time : {0.0, 0.7})
      for (int k = 0; k < phi_.kStarts; ++k) {
        phi_.sample(k, s);
        phi_.at(s.data(), u.data(), T(time));
        // phi need not be defined everywhere.
        if (!std::all_of(phi_.q().begin(), phi_.q().end(), [](const T& x) { return isfinite(x); })) continue;
        is_known = true;
        is_regular = is_regular || phi_.factor([&](const T* x, T* y) { std::copy_n(x, this->n(), y); });
        expect_constraints(s, T(time));
      }
    if (is_known && !is_regular)
      throw MinimalError(
          "the minimal coordinates are not independent: q = phi(s, t) changes with fewer of them; leave some out");
  }

  void expect_constraints(const std::vector<T>& s, const T& t) {
    const T* q = phi_.q().data();
    const auto residual = this->manifold_.position_residual(q, t);
    // Rounding errors of phi have another size than those of g.
    const T tolerance = residual.level / sqrt(T(epsilon<T>()));
    if (!isfinite(residual.value) || residual.value <= tolerance) return;
    this->manifold_.system().at(q, t).g(g_);
    const auto worst = std::max_element(g_.begin(), g_.end(), [](const T& a, const T& b) { return abs(a) < abs(b); });
    std::vector<double> where;
    for (std::size_t j = 0; j < std::min<std::size_t>(s.size(), 6); ++j) where.push_back(static_cast<double>(s[j]));
    throw MinimalError(fmt::format(
        "[minimal] violates the constraint '{}': it is {:.3g} at the minimal coordinates ({:.6g}{}), t = {:g}",
        this->manifold_.system().elements().row_name(worst - g_.begin()), static_cast<double>(*worst),
        fmt::join(where, ", "), s.size() > where.size() ? ", ..." : "", static_cast<double>(t)));
  }

  [[nodiscard]] bool find_point(const T* s, const T* u, const T& t) {
    phi_.at(s, u, t);
    Mask<T> found(true);
    this->narrow(found, momenta_.at(phi_.q().data(), phi_.v().data(), t), StepStatus::variables_not_found);
    return found;
  }

  MinimalCoordinates<T> phi_;
  MomentumMap<T> momenta_;
  std::vector<T> x_, rest_, g_;
};

}  // namespace

template <class T>
FormulationEntry<T> lagrange_2() {
  return {lagrange_2_facts(), make_for_one<Lagrange2, T>};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> lagrange_2();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
