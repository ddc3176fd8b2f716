#pragma once

#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/formulation/hidden_constraint.hpp"

namespace cotangent {

/// What formulations in q and p have in common: at a point, the forces F = -H_q + f, the factor of R = G H_pp G', and
/// the hidden constraint psi with its derivatives.
template <class T>
class PhaseSpaceField : public Formulation<T> {
 public:
  const std::vector<T>& multipliers() const override { return lambda_; }
  std::int64_t singular_row() const override { return is_singular_ ? manifold_.matrix().worst_row(0) : -1; }
  std::int64_t size() const override { return manifold_.system().n(); }

 protected:
  /// @param manifold must outlive the formulation.
  PhaseSpaceField(FormulationFacts facts, Manifold<T>& manifold)
      : Formulation<T>(std::move(facts)),
        manifold_(manifold),
        psi_(manifold.system()),
        lambda_(static_cast<std::size_t>(manifold.system().m()), T(0)),
        F_(static_cast<std::size_t>(manifold.system().n()), T(0)),
        H_q_(manifold.system().H_q()),
        frame_(manifold.system().frame()),
        F_conservative_(F_),
        pulled_(F_),
        forced_(lambda_) {}

  std::size_t n() const { return F_.size(); }
  std::size_t m() const { return lambda_.size(); }

  /// Sets psi_, F_, power_, and factors R. Forces that depend on the multipliers are taken at those of the constrained
  /// motion. False in lanes where they, or the factors, are not found.
  [[nodiscard]] Mask<T> begin(const PointRef<T>& z) {
    psi_.at(z);
    if (manifold_.forcing().uses_multipliers()) {
      const auto report = manifold_.multipliers(z, psi_.v().data(), lambda_.data(), F_.data(), power_);
      is_singular_ = !all(report.regular);
      return report.found();
    }
    forces(z);
    return factor(z);
  }

  /// F_ and power_, where forces do not depend on the multipliers. @pre psi_.at(z).
  void forces(const PointRef<T>& z) {
    manifold_.forcing().force(z, psi_.v().data(), lambda_.data(), F_.data(), power_);
  }

  [[nodiscard]] Mask<T> factor(const PointRef<T>& z) {
    if (m() == 0) return Mask<T>(true);
    const Mask<T> regular = manifold_.matrix().factor(z).regular;
    is_singular_ = !all(regular);
    return regular;
  }

  void solve(std::vector<T>& rows) const { manifold_.matrix().solve(rows.data()); }

  /// p_dot -= G' w.
  void subtract_pull_back(const std::vector<T>& w, T* p_dot) {
    if (w.empty()) return;
    psi_.pull_back(w.data(), pulled_.data());
    for (std::size_t j = 0; j < pulled_.size(); ++j) p_dot[j] -= pulled_[j];
  }

  /// -H_q. Valid until begin() is called again.
  const std::vector<T>& conservative_force(const PointRef<T>& z) {
    if (manifold_.forcing().is_conservative()) return F_;
    frame_.in[in::q] = z.q;
    frame_.in[in::p] = z.p;
    frame_.in[in::t] = &z.t;
    frame_.out[out::result] = F_conservative_.data();
    H_q_(frame_);
    for (T& x : F_conservative_) x = -x;
    return F_conservative_;
  }

  /// p_dot += f - G' l with R l = G H_pp f, f = F_ + H_q: the part of the forces that the constraints admit; and
  /// multipliers() += l. @pre conservative_force() was called here.
  void add_admitted_forces(T* p_dot) {
    if (manifold_.forcing().is_conservative()) return;
    for (std::size_t j = 0; j < n(); ++j) {
      F_[j] -= F_conservative_[j];
      p_dot[j] += F_[j];
    }
    if (m() == 0) return;
    psi_.mass_inverse(F_.data(), F_conservative_.data());
    psi_.push_forward(F_conservative_.data(), forced_.data());
    solve(forced_);
    subtract_pull_back(forced_, p_dot);
    for (std::size_t r = 0; r < m(); ++r) lambda_[r] += forced_[r];
  }

  /// For those who factor R elsewhere: what singular_row() will say.
  void note_singular(bool is_singular) { is_singular_ = is_singular; }

  /// s', with the multipliers of this field.
  void rates(const PointRef<T>& z, T* s_dot) {
    manifold_.forcing().rates(z, psi_.v().data(), lambda_.data(), power_, s_dot);
  }

  Manifold<T>& manifold_;
  HiddenConstraint<T> psi_;
  std::vector<T> lambda_, F_;
  T power_ = T(0);

 private:
  Request<T> H_q_;
  Frame<T> frame_;
  std::vector<T> F_conservative_, pulled_, forced_;
  bool is_singular_ = false;
};

}  // namespace cotangent
