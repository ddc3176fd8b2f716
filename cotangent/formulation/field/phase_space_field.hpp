#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/field/striction.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"

namespace cotangent {

/// What formulations in q and p have in common: at a point, the forces F = -H_q + f, the factor of R = G H_pp G', and
/// the hidden constraint psi with its derivatives.
template <class T>
class PhaseSpaceField : public Formulation<T> {
 public:
  const std::vector<T>& multipliers() const override { return lambda_; }
  std::int64_t size() const override { return manifold_.system().n(); }

 protected:
  /// @param manifold must outlive the formulation.
  PhaseSpaceField(FormulationFacts facts, Manifold<T>& manifold)
      : Formulation<T>(std::move(facts)),
        manifold_(manifold),
        psi_(manifold.system()),
        lambda_(static_cast<std::size_t>(manifold.system().m()), T(0)),
        F_(static_cast<std::size_t>(manifold.system().n()), T(0)),
        F_conservative_(F_),
        pulled_(F_),
        forced_(lambda_) {}

  std::size_t n() const { return F_.size(); }
  std::size_t m() const { return lambda_.size(); }

  /// Sets psi_, F_, power_, and factors R. Forces that depend on the multipliers are taken at those of the constrained
  /// motion. False in lanes where they, or the factors, are not found.
  [[nodiscard]] Mask<T> begin(const PointRef<T>& z, Mask<T> found = Mask<T>(true)) {
    psi_.at(z);
    if (manifold_.forcing().uses_multipliers()) {
      const auto report = manifold_.multipliers(z, psi_.v().data(), lambda_.data(), F_.data(), power_);
      this->narrow(found, report.regular, [this](int lane) { return failure_of_matrix(lane); });
      this->narrow(found, report.converged, StepStatus::multiplier_solve_failed);
      return found;
    }
    forces(z);
    return factor(z, found);
  }

  /// begin(), and the motion without constraints: q_dot = v, p_dot = F.
  [[nodiscard]] Mask<T> begin_free(const PointRef<T>& z, T* q_dot, T* p_dot) {
    const Mask<T> found = begin(z);
    std::copy(psi_.v().begin(), psi_.v().end(), q_dot);
    std::copy(F_.begin(), F_.end(), p_dot);
    return found;
  }

  /// F_ and power_ only, for those who factor R elsewhere or not at all. @pre psi_.at(z).
  [[nodiscard]] Mask<T> find_forces(const PointRef<T>& z, Mask<T> found = Mask<T>(true)) {
    if (manifold_.forcing().uses_multipliers()) return begin(z, found);
    forces(z);
    return found;
  }

  [[nodiscard]] Mask<T> factor(const PointRef<T>& z, Mask<T> found = Mask<T>(true)) {
    if (m() > 0)
      this->narrow(found, manifold_.matrix().factor(z).regular, [this](int lane) { return failure_of_matrix(lane); });
    return found;
  }

  /// What striction.hpp finds is p.
  void narrow_to_momentum(Mask<T>& found, const StrictionReport<T>& report) {
    this->narrow(found, report.regular, [this](int lane) { return failure_of_matrix(lane); });
    this->narrow(found, report.finite, StepStatus::not_finite);
    this->narrow(found, report.converged, StepStatus::momentum_solve_failed);
  }

  /// lambda_ where nothing but the work that moving constraints do needs it: R lambda = psi'[(v, F, 1)].
  /// @param is_factored whether R is that of z already.
  [[nodiscard]] Mask<T> multipliers_for_work(const PointRef<T>& z, bool is_factored, Mask<T> found) {
    if (m() == 0 || !manifold_.system().has_work() || manifold_.forcing().uses_multipliers()) return found;
    if (!is_factored) found = factor(z, found);
    psi_.along(psi_.v().data(), F_.data(), Time::moves, lambda_.data());
    solve(lambda_, found);
    return found;
  }

  /// rows <- R^-1 rows, multipliers of a motion. Where R is singular, and no multipliers do what is asked of them,
  /// there is no field.
  void solve(std::vector<T>& rows, Mask<T>& found) {
    this->narrow(found, manifold_.matrix().solve(rows.data()), [&rows](int at) {
      const bool is_finite = std::all_of(rows.begin(), rows.end(), [at](const T& x) { return isfinite(lane(x, at)); });
      return FieldFailure{is_finite ? StepStatus::no_multipliers : StepStatus::not_finite};
    });
  }

  /// The same for what is made of g and psi, and so is nothing but rounding errors on the manifold, which need not be
  /// in the range of a singular R: those multipliers that do most.
  void solve_residuals(std::vector<T>& rows) const { static_cast<void>(manifold_.matrix().solve(rows.data())); }

  /// p_dot -= G' lambda,  R lambda = psi'[(q_dot, p_dot, 1)] + rest: with these multipliers psi' = -rest, or 0 if there
  /// is no rest.
  void eliminate(const T* q_dot, T* p_dot, Mask<T>& found, const std::vector<T>& rest = {}) {
    if (m() == 0) return;
    psi_.along(q_dot, p_dot, Time::moves, lambda_.data());
    for (std::size_t r = 0; r < rest.size(); ++r) lambda_[r] += rest[r];
    solve(lambda_, found);
    subtract_pull_back(lambda_, p_dot);
  }

  /// -H_q. Valid until begin() is called again.
  const std::vector<T>& conservative_force(const PointRef<T>& z) {
    if (manifold_.forcing().is_conservative()) return F_;
    manifold_.system().at(z).H_q(F_conservative_);
    for (T& x : F_conservative_) x = -x;
    return F_conservative_;
  }

  /// p_dot += f - G' l with R l = G H_pp f, f = F_ + H_q: the part of the forces that the constraints admit; and
  /// multipliers() += l. @pre conservative_force() was called here.
  void add_admitted_forces(T* p_dot, Mask<T>& found) {
    if (manifold_.forcing().is_conservative()) return;
    for (std::size_t j = 0; j < n(); ++j) {
      F_[j] -= F_conservative_[j];
      p_dot[j] += F_[j];
    }
    if (m() == 0) return;
    psi_.H_pp_times(F_.data(), F_conservative_.data());
    psi_.G_times(F_conservative_.data(), forced_.data());
    solve(forced_, found);
    subtract_pull_back(forced_, p_dot);
    for (std::size_t r = 0; r < m(); ++r) lambda_[r] += forced_[r];
  }

  /// s', with the multipliers of this field.
  void rates(const PointRef<T>& z, T* s_dot) {
    manifold_.forcing().rates(z, psi_.v().data(), lambda_.data(), power_, s_dot);
  }

  Manifold<T>& manifold_;
  HiddenConstraint<T> psi_;
  std::vector<T> lambda_, F_;
  T power_ = T(0);

 private:
  // Where forces do not depend on the multipliers.
  void forces(const PointRef<T>& z) {
    manifold_.forcing().force(z, psi_.v().data(), lambda_.data(), F_.data(), power_);
  }

  // p_dot -= G' w.
  void subtract_pull_back(const std::vector<T>& w, T* p_dot) {
    psi_.Gt_times(w.data(), pulled_.data());
    for (std::size_t j = 0; j < pulled_.size(); ++j) p_dot[j] -= pulled_[j];
  }

  // Of R as it was factored last. Where its entries are no numbers there is no pivot either.
  FieldFailure failure_of_matrix(int at) const {
    for (std::size_t r = 0; r < m(); ++r)
      if (!isfinite(lane(manifold_.matrix().diagonal_scale(r, T(1)), at))) return {StepStatus::not_finite};
    return {StepStatus::singular_constraints, manifold_.matrix().worst_row(at)};
  }

  std::vector<T> F_conservative_, pulled_, forced_;
};

COTANGENT_DECLARE(NUMBERS, PhaseSpaceField);

}  // namespace cotangent
