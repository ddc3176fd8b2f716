#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "cotangent/base/magnitudes.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// What is the same at all of them, or zero, is so up to this, relative to what is added up: the constants of a model
/// may be rounded in more than one way.
inline constexpr double kSameNumbers = 1e-10;

/// What holds at so many random points does so at all of them, where functions are analytic: others would have to
/// vanish there by chance.
inline constexpr int kEnoughPoints = 6;

/// Random points of the manifold near a given one, at times between 0 and 1; the same ones in every run.
template <class T>
class RandomPoints {
 public:
  RandomPoints(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z)
      : manifold_(manifold), z_(z), q_scale_(z.q.size()), p_scale_(z.q.size()) {
    for (const auto& c : model.coordinates) {
      const auto fill = [&](std::vector<T>& scale, const std::vector<T>& x) {
        T largest(0);
        for (std::int64_t i = c.offset; i < c.offset + c.size(); ++i)
          largest = max(largest, abs(x[static_cast<std::size_t>(i)]));
        std::fill_n(scale.begin() + c.offset, c.size(), largest);
      };
      fill(q_scale_, z.q);
      fill(p_scale_, z.p);
    }
    replace_zeros(q_scale_);
    if (!z.p.empty() && *std::max_element(p_scale_.begin(), p_scale_.end()) == T(0)) take_momenta_of_fall();
    replace_zeros(p_scale_);
  }

  /// Nothing if no point is found.
  std::optional<PhasePoint<T>> next() {
    for (int attempt = 0; attempt < 10; ++attempt, spread_ *= 0.1) {
      PhasePoint<T> z = z_;
      z.t += uniform(0, 1);
      for (std::size_t i = 0; i < z.q.size(); ++i) {
        z.q[i] += T(spread_) * q_scale_[i] * uniform(-1, 1);
        z.p[i] += p_scale_[i] * uniform(-1, 1);
      }
      for (T& s : z.s) s += T(spread_) * uniform(-1, 1);
      if (manifold_.system().m() == 0 || project(z)) return z;
    }
    return std::nullopt;
  }

 private:
  bool project(PhasePoint<T>& z) {
    const auto position = manifold_.project_position(z);
    if (!position.converged || !position.regular) return false;
    const auto momentum = manifold_.project_momentum(z);
    return momentum.converged && momentum.regular;
  }

  T uniform(double lo, double hi) { return T(std::uniform_real_distribution<double>(lo, hi)(random_)); }

  // From rest: momenta that a fall along the coordinates gives, p^2 H_pp = |q H_q|, in whatever units these are.
  void take_momenta_of_fall() {
    const std::vector<T> ones(z_.q.size(), T(1));
    std::vector<T> response(z_.q.size()), force(z_.q.size());
    const At<T> at = manifold_.system().at(z_);
    at.H_pp_times(ones, response);
    at.H_q(force);
    const T most = largest_of(force);
    for (std::size_t i = 0; i < p_scale_.size(); ++i) {
      const T p = sqrt(q_scale_[i] * most / abs(response[i]));
      if (isfinite(p)) p_scale_[i] = p;
    }
  }

  // Coordinates that start at zero are moved as far as the others.
  static void replace_zeros(std::vector<T>& scale) {
    const T largest = scale.empty() ? T(0) : *std::max_element(scale.begin(), scale.end());
    for (T& s : scale)
      if (s == T(0)) s = largest > T(0) ? largest : T(1);
  }

  Manifold<T>& manifold_;
  const PhasePoint<T>& z_;
  std::vector<T> q_scale_, p_scale_;
  std::mt19937_64 random_{20240229};
  double spread_ = 0.4;
};

}  // namespace cotangent
