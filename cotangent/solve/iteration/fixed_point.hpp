#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/scattered_signs.hpp"
#include "cotangent/solve/iteration/damped_newton.hpp"
#include "cotangent/solve/iteration/fixed_point_solver.hpp"
#include "cotangent/solve/iteration/gmres.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

/// Solves x = Phi(x), given r(x) = x - Phi(x):
///
///   functional iteration   x <- x - r(x)
///   Newton's method        x <- x - d,    r'(x) d = r(x)
///
/// d comes from minimal residuals (Gmres); products r'(x) a are differences of r. The k-th vector of the Krylov space
/// holds what k functional iterations would find, and the space contains the best combination of them: where functional
/// iteration converges, Newton's method needs about as many evaluations of r, and it goes on to converge where the
/// former does not. Differences have half of the digits; so have the factors by which Newton's iteration shrinks, which
/// does not limit what it arrives at.
///
/// Corrections of Newton's method that become larger say that it is on its way to some other solution, or to none.
/// Small systems are then solved from the guess, or else from zero, by DampedNewton, and so are the next ones for a
/// while.
///
/// A preconditioner P is part of r: with r = P^-1 F, for F(x) = 0, functional iteration is the simplified Newton
/// method.
///
/// What rounding leaves of r may be much more than epsilon, as that of stiff forces is. Where the iteration does not
/// get on, it is measured: by how much r changes if every component of x is moved by epsilon times its size. Before
/// Newton's method, too: the caller is told, and may say that sizes are larger. At rest momenta are much smaller than
/// what rounding leaves of them, and differences in units of such sizes would be made of rounding errors only.
///
/// A small correction says that x is near the solution only as far as the matrix it was found with is right:
/// differences may drown in rounding errors. So it must explain r, which a correction of epsilon times the sizes does
/// if r is no larger than that change of it, but for a factor.
///
/// The change of x is measured relative to the sizes of its components, which the caller keeps up to date. In a batch
/// every lane chooses for itself and gives bit for bit what a run in double gives. Does not allocate, but where a
/// system that is not small needs Newton's method for the first time.
///
/// Reference: [knoll-keyes04].
template <class T>
class FixedPoint {
 public:
  FixedPoint(std::size_t size, FixedPointSolver solver)
      : solver_(solver), x_(size, T(0)), r_(x_), d_(x_), guess_(x_), right_(x_), moved_(x_), weights_(size, T(1)) {
    if (size > kSmall) return;
    make_gmres();
    damped_newton_ = std::make_unique<DampedNewton<T>>(size);
  }

  std::size_t size() const { return x_.size(); }

  /// How many solves go to DampedNewton directly. The caller sets it to what it was after the solve before, or to zero.
  T& damped() { return damped_; }

  std::vector<T>& x() { return x_; }              ///< the guess before, the solution after
  std::vector<T>& weights() { return weights_; }  ///< 1 / size of each component; may be set by the evaluation of r

  struct Result {
    Mask<T> converged = true;
    std::int64_t iterations = 0;
    std::int64_t evaluations = 0;  ///< of r
    T residual = T(0);             ///< max |d_j| weight_j of the last correction
    Mask<T> newton = false;        ///< where Newton's method was needed
  };

  /// @param evaluate(const T* x, T* r, const Mask<T>& active, bool is_probe) sets r = r(x) and says in which lanes it
  ///        could. Lanes that are not active have converged: what is kept of them beside r must not change, nor
  ///        anything where the evaluation is a probe, for a difference.
  /// @param active lanes that take part.
  /// @param stays where it has converged x is where r was found last: for callers that keep what they
  ///        find there.
  /// @param take_noise(const T* x, const T* noise, const Mask<T>& lanes) is told what rounding leaves of r at x in
  /// these
  ///        lanes, and may change weights.
  template <class Evaluate, class TakeNoise = void (*)(const T*, const T*, const Mask<T>&)>
  Result solve(
      const Evaluate& evaluate, const Mask<T>& active = Mask<T>(true), bool stays = false,
      const TakeNoise& take_noise = [](const T*, const T*, const Mask<T>&) {}) {
    Result result;
    RoundingStop<T> stop(options());
    if (!all(active)) stop.fail(!active);
    const bool can_damp = solver_ != FixedPointSolver::functional && x_.size() <= kSmall;
    if (can_damp) stop.fail(damped_ > T(0));
    Mask<T> newton(solver_ == FixedPointSolver::newton), was_restarted(solver_ != FixedPointSolver::automatic);
    guess_ = x_;
    T before(infinity<T>()), twice_before(infinity<T>()), noise(0), last_change(infinity<T>());
    Mask<T> knows_noise(false), knows_sizes(false), has_stood(false);
    while (any(stop.active())) {
      const Mask<T> found = evaluate(x_.data(), r_.data(), stop.active(), false);
      ++result.evaluations;
      T residual = select(found, norm(r_), T(infinity<T>()));
      // Functional iteration that explodes is abandoned for Newton's method from the guess.
      const Mask<T> explodes = stop.active() & !newton & !was_restarted & !(residual <= T(kExplodes) * before) &
                               Mask<T>(stop.iterations() > 0);
      if (any(explodes)) {
        for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = select(explodes, guess_[j], x_[j]);
        newton = newton | explodes;
        was_restarted = was_restarted | explodes;
        before = select(explodes, T(infinity<T>()), before);
        twice_before = select(explodes, T(infinity<T>()), twice_before);
        // The other lanes wait: their point is evaluated again.
        continue;
      }
      const T last = before;
      const Mask<T> is_slow = residual > T(kSlow) * twice_before;
      // What rounding leaves of long chains is large: Newton's method would find nothing better. Every second iterate
      // may change a part of x only.
      const Mask<T> gains_in_two = isfinite(twice_before) & (residual <= T(0.25) * twice_before);
      const Mask<T> iterates = !newton, stands = !((residual <= T(0.5) * last) | gains_in_two);
      has_stood = has_stood | (stands & (residual < T(kMostNoise)));
      const Mask<T> is_stuck =
          stop.active() & !knows_noise & (residual < T(kMostNoise)) & (stands | (iterates & is_slow));
      if (any(is_stuck)) {
        noise = select(is_stuck, find_noise(evaluate, stop.active()), noise);
        knows_noise = knows_noise | is_stuck;
        ++result.evaluations;
      }
      const Mask<T> is_worth = stands | (residual > T(kWorthNewton) * T(epsilon<T>()));
      // What grows is no rounding error, be it near them.
      const T level = select(residual > last, T(2 * kZeroUnits), T(kNearUnits)) * noise;
      if (solver_ == FixedPointSolver::automatic)
        newton = newton | (stop.active() & is_slow & is_worth & (residual > level));
      twice_before = before;
      before = residual;

      // What counts is the correction: where r' is large so is what rounding leaves of r.
      Mask<T> by_newton = stop.active() & newton & isfinite(residual) & (residual > T(epsilon<T>()));
      if (const Mask<T> begins = by_newton & !knows_sizes; any(begins)) {
        static_cast<void>(find_noise(evaluate, begins));
        ++result.evaluations;
        std::copy(weights_.begin(), weights_.end(), moved_.begin());
        take_noise(x_.data(), right_.data(), begins);
        for (std::size_t j = 0; j < x_.size(); ++j) weights_[j] = select(begins, weights_[j], moved_[j]);
        knows_sizes = knows_sizes | begins;
        residual = select(begins, norm(r_), residual);
        before = select(begins, residual, before);
        by_newton = by_newton & (residual > T(epsilon<T>()));
      }
      if (any(by_newton)) {
        result.evaluations += find_newton_direction(evaluate, residual, by_newton);
        for (std::size_t j = 0; j < x_.size(); ++j) d_[j] = select(by_newton, d_[j], r_[j]);
      } else {
        std::copy(r_.begin(), r_.end(), d_.begin());
      }
      // A direction that was not found says nothing.
      const Mask<T> is_found = by_newton & found_direction_;
      const T change = select(is_found, norm(d_), residual);
      if (can_damp) {
        stop.fail(is_found & (change > T(kGrowth) * last_change) & (change > T(kNear) * T(epsilon<T>())));
        last_change = select(is_found, change, last_change);
      }
      const Mask<T> runs = stop.active();
      const T floor(epsilon<T>());
      const Mask<T> is_small = stop.active() & is_found & (change <= T(kNear) * floor) & (residual > floor);
      const Mask<T> asks = is_small & !knows_noise;
      if (any(asks)) {
        noise = select(asks, find_noise(evaluate, stop.active()), noise);
        knows_noise = knows_noise | asks;
        ++result.evaluations;
      }
      const Mask<T> explained = (!is_small) | (residual * floor <= T(kNearUnits) * noise * max(change, floor));
      // As long as it gets on it is not at an end.
      const T left = select(has_stood, noise, T(0));
      // A small change says little where iterates contract slowly, and Newton's method can do better.
      const Mask<T> counts = is_found | Mask<T>(solver_ != FixedPointSolver::automatic);
      const bool goes_on = stop.update(
          change, ((change <= floor) & explained) | (residual <= floor) | (residual <= T(2 * kZeroUnits) * left),
          (counts & (change <= T(kNear) * floor) & explained) | (residual <= T(kNearUnits) * left));
      const Mask<T> moves = stays ? stop.active() : runs & !stop.failed();
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] -= select(moves, d_[j], T(0));
      if (!goes_on) break;
    }
    result.newton = newton;
    result.converged = stop.converged();
    result.iterations = stop.iterations();
    result.residual = stop.residual();
    if (can_damp) damp(evaluate, active, result);
    return result;
  }

 private:
  // Functional iteration is slow where two steps gain less than this.
  static constexpr double kSlow = 0.05;
  // It explodes where one step makes it so much worse.
  static constexpr double kExplodes = 100;
  // Residuals below this times epsilon are not worth Newton's method as long as they shrink, be it slowly.
  static constexpr double kWorthNewton = 1e4;
  // Corrections that no longer become smaller, but are below this times epsilon, are what rounding leaves.
  static constexpr double kNear = 1e5;
  // Corrections of Newton's method have a relative error of this, and may grow by so much by themselves.
  static constexpr double kLinearGoal = 0.1, kGrowth = (1 + kLinearGoal) / (1 - kLinearGoal);
  // Full matrices up to this size; and so many solves in a row use them where one had to.
  static constexpr std::size_t kSmall = 256;
  static constexpr int kRemembered = 32;
  // Of the Krylov space: at most so many bytes in all.
  static constexpr std::size_t kMemory = 300'000'000;

  // Functional iteration shrinks by a factor that may be near one, and what rounding leaves of r depends on the
  // condition of everything in it: it has converged when changes no longer become smaller, be it slowly. Every second
  // iterate may change a part of x only.
  RoundingStopOptions options() const {
    if (solver_ == FixedPointSolver::newton)
      return {.max_iterations = 60, .near = kNear, .max_stalls = 10, .patience = 2};
    return {.max_iterations = 300, .near = kNear, .max_stalls = 10, .shrink = 0.9, .pairs = true, .patience = 3};
  }

  // What is left by the way above, one lane after the other.
  template <class Evaluate>
  void damp(const Evaluate& evaluate, const Mask<T>& active, Result& result) {
    const Mask<T> lost = active & !result.converged;
    damped_ = select(active, max(damped_ - T(1), T(0)), damped_);
    if (!any(lost)) return;
    for (int l = 0; l < lane_count<T>; ++l) {
      if (!lane(lost, l)) continue;
      T marker(0);
      if constexpr (1 < lane_count<T>) {
        marker[l] = 1;
      } else {
        marker = T(1);
      }
      const Mask<T> here = marker > T(0);
      // From the guess, which may have been on the path of another solution; then from zero.
      typename DampedNewton<T>::Result found;
      for (const bool is_guess : {true, false}) {
        for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = select(here, is_guess ? guess_[j] : T(0), x_[j]);
        found = damped_newton_->solve(evaluate, x_, weights_, l, kNear);
        result.iterations += found.iterations;
        result.evaluations += found.evaluations;
        if (found.converged) break;
      }
      result.residual = select(here, T(found.residual), result.residual);
      result.newton = result.newton | here;
      if (!found.converged) continue;
      result.converged = result.converged | here;
      damped_ = select(here & (damped_ <= T(0)), T(kRemembered), damped_);
    }
  }

  void make_gmres() {
    const std::size_t vectors = kMemory / (std::max<std::size_t>(1, x_.size()) * sizeof(T));
    gmres_ = std::make_unique<Gmres<T>>(x_.size(), std::clamp<std::size_t>(vectors, 8, kKrylov));
  }

  T norm(const std::vector<T>& d) const {
    return largest_of_packs(d.size(), T(0), [&]<class V>(V /*zero*/, std::size_t j) {
      const V size = load<V>(&d[j]) * load<V>(&weights_[j]), most(infinity<T>());
      return select(abs(size) < most, size, most);
    });
  }

  // d with r'(x) d = r(x), in the lanes that ask for it, and zero in the others.
  template <class Evaluate>
  std::int64_t find_newton_direction(const Evaluate& evaluate, const T& residual, const Mask<T>& lanes) {
    if (!gmres_) make_gmres();
    gmres_->weights() = weights_;
    for (std::size_t j = 0; j < x_.size(); ++j) right_[j] = select(lanes, r_[j], T(0));
    const T small(sqrt(epsilon<T>()));
    std::int64_t evaluations = 0;
    const auto product = [&](const T* a, T* out) {
      T length(0);
      for (std::size_t j = 0; j < x_.size(); ++j) length = max(length, magnitude(a[j]) * weights_[j]);
      const Mask<T> moves = length > T(0);
      const T distance = select(moves, small / length, T(1));
      for (std::size_t j = 0; j < x_.size(); ++j) moved_[j] = x_[j] + distance * a[j];
      static_cast<void>(evaluate(moved_.data(), out, lanes, true));
      ++evaluations;
      for (std::size_t j = 0; j < x_.size(); ++j) out[j] = select(moves, (out[j] - r_[j]) / distance, T(0));
    };
    // A direction need not be better than what the next iterate can be.
    const T goal = min(max(max(residual, T(epsilon<T>()) / (T(10) * residual)), small), T(kLinearGoal));
    gmres_->solve(product, right_.data(), goal, d_.data());
    found_direction_ = gmres_->reached() <= T(0.5);
    return evaluations;
  }

  // r(x + epsilon size) - r(x), with signs as random as those of rounding errors, the same in every call.
  template <class Evaluate>
  T find_noise(const Evaluate& evaluate, const Mask<T>& lanes) {
    ScatteredSigns sign;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const T size = select(weights_[j] > T(0), T(1) / weights_[j], T(0));
      moved_[j] = x_[j] + sign(T(epsilon<T>()) * size);
    }
    static_cast<void>(evaluate(moved_.data(), right_.data(), lanes, true));
    for (std::size_t j = 0; j < x_.size(); ++j) right_[j] -= r_[j];
    const T size = norm(right_);
    return select(isfinite(size), size, T(0));
  }

  FixedPointSolver solver_;
  std::vector<T> x_, r_, d_, guess_, right_, moved_, weights_;
  std::unique_ptr<Gmres<T>> gmres_;
  std::unique_ptr<DampedNewton<T>> damped_newton_;
  T damped_ = T(0);  // so many solves go to it directly
  Mask<T> found_direction_ = Mask<T>(false);
};

}  // namespace cotangent
