#include "cotangent/system/legendre/gradient_inverse.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <type_traits>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// What is not a number is the same as itself here: one lane without a point must not make the others search again.
template <class T>
bool same(const T& a, const T& b) {
  return all((a == b) | ((a != a) & (b != b)));
}

template <class T>
bool same(const T* a, const std::vector<T>& b) {
  for (std::size_t j = 0; j < b.size(); ++j)
    if (!all(a[j] == b[j]) && !same(a[j], b[j])) return false;
  return true;
}

// The largest of numbers that are not negative, infinity if one of them is not finite: for_packs meets them in parts.
template <class T>
class Largest {
 public:
  template <class V>
  void take(const V& x) {
    V& most = of(x);
    most = select(isfinite(x), max(most, x), V(infinity<T>()));
  }
  T value() const {
    if constexpr (std::is_same_v<T, double>)
      return max(one_, max(max_over_lanes(few_), max_over_lanes(several_)));
    else
      return one_;
  }

 private:
  T& of(const T&) { return one_; }
  auto& of(const Pack<kSimdWidth>&) requires std::is_same_v<T, double> { return few_; }
  auto& of(const Pack<kSeveral>&) requires std::is_same_v<T, double> { return several_; }

  T one_ = T(0);
  Pack<kSimdWidth> few_ = 0.0;
  Pack<kSeveral> several_ = 0.0;
};

}  // namespace

template <class T>
GradientInverse<T>::GradientInverse(System<T>& system, Contraction::Of of, Space y)
    : system_(system),
      space_(y),
      M_(system, of, y, y),
      F_y_(system.operation({.of = of, .result = Contraction::gradient_by(y)})),
      frame_(system.frame()),
      diagonal_(static_cast<std::size_t>(system.n())),
      residual_(diagonal_),
      step_(residual_),
      scale_(residual_) {
  const auto n = static_cast<int>(system.n());
  std::map<std::pair<int, int>, int> place;
  for (const auto& entry : M_.entries()) {
    const auto i = static_cast<int>(entry.row), j = static_cast<int>(entry.column);
    if (i == j) {
      target_.push_back(i);
    } else if (i < j) {
      target_.push_back(-1);
    } else {
      const auto [it, fresh] = place.try_emplace({i, j}, static_cast<int>(off_diagonal_.size()));
      if (fresh) off_diagonal_.emplace_back(i, j);
      target_.push_back(n + it->second);
    }
  }
  lower_.assign(off_diagonal_.size(), T(0));
  for (Point& point : points_) {
    point.q.assign(static_cast<std::size_t>(n), T(0));
    point.x = point.y = point.factored_q = point.factored_y = point.q;
    point.M.assign(M_.entries().size(), T(0));
    point.solver = std::make_unique<SymmetricSolver<T>>(n, off_diagonal_);
  }
}

template <class T>
typename GradientInverse<T>::Point& GradientInverse<T>::at(const T* q, const T* x, const T& t) {
  ++clock_;
  Point* oldest = &points_[0];
  for (Point& point : points_) {
    if (point.known && same(point.t, t) && same(q, point.q) && same(x, point.x)) {
      point.used = clock_;
      return point;
    }
    if (point.used < oldest->used) oldest = &point;
  }
  Point& point = *oldest;
  point.used = clock_;
  std::copy_n(q, point.q.size(), point.q.begin());
  std::copy_n(x, point.x.size(), point.x.begin());
  point.t = t;
  point.known = true;
  find(point);
  return point;
}

template <class T>
typename GradientInverse<T>::Point& GradientInverse<T>::factored_at(const T* q, const T* x, const T& t) {
  Point& point = at(q, x, t);
  factor(point);
  return point;
}

template <class T>
At<T> GradientInverse<T>::here(const Point& point) const {
  return system_.at(point.q, point.y, point.t).with(point.y);
}

// residual_ = F_y
template <class T>
void GradientInverse<T>::evaluate(const Point& point) {
  const At<T> at = here(point);
  at.set(frame_);
  frame_.out[out::result] = residual_.data();
  F_y_(frame_);
}

template <class T>
bool GradientInverse<T>::is_factored(const Point& point) const {
  return point.factored && (!M_.depends_on(Space::t) || same(point.t, point.factored_t)) &&
         (!M_.depends_on(Space::q) || same(point.q.data(), point.factored_q)) &&
         (!M_.depends_on(space_) || same(point.y.data(), point.factored_y));
}

template <class T>
void GradientInverse<T>::factor(Point& point) {
  if (is_factored(point)) return;
  M_.evaluate(here(point), point.M);
  assemble(point);
  point.regular = point.solver->factor(diagonal_.data(), lower_.data()).regular;
  point.factored = true;
  point.factored_q = point.q;
  point.factored_y = point.y;
  point.factored_t = point.t;
}

template <class T>
void GradientInverse<T>::assemble(const Point& point) {
  const std::size_t n = point.q.size();
  std::fill(diagonal_.begin(), diagonal_.end(), T(0));
  std::fill(lower_.begin(), lower_.end(), T(0));
  for (std::size_t e = 0; e < target_.size(); ++e) {
    if (target_[e] < 0) continue;
    const auto k = static_cast<std::size_t>(target_[e]);
    (k < n ? diagonal_[k] : lower_[k - n]) += point.M[e];
  }
}

// M + mu I where M is singular; of an M that is not finite, as that of |v|^1.5 at rest, mu I alone.
template <class T>
void GradientInverse<T>::factor_shifted(Point& point, const T& mu) {
  assemble(point);
  Mask<T> finite(true);
  for (const T& a : diagonal_) finite = finite & isfinite(a);
  for (const T& a : lower_) finite = finite & isfinite(a);
  for (T& a : diagonal_) a = select(point.regular, a, select(finite, a, T(0)) + mu);
  for (T& a : lower_) a = select(point.regular | finite, a, T(0));
  static_cast<void>(point.solver->factor(diagonal_.data(), lower_.data()));
  point.factored = false;
}

// F_y = F_y(q, 0, t) + M y where M does not depend on y: the first step ends at the solution, up to rounding, and need
// not be measured.
template <class T>
void GradientInverse<T>::step_from_rest(Point& point) {
  evaluate(point);
  factor(point);
  for (std::size_t j = 0; j < residual_.size(); ++j) residual_[j] = point.x[j] - residual_[j];
  static_cast<void>(point.solver->solve(residual_.data()));
  for (std::size_t j = 0; j < residual_.size(); ++j) point.y[j] = select(point.regular, residual_[j], T(0));
}

template <class T>
void GradientInverse<T>::find(Point& point) {
  const std::size_t n = point.q.size();
  std::fill(point.y.begin(), point.y.end(), T(0));
  std::fill(step_.begin(), step_.end(), T(0));
  if (!M_.depends_on(space_)) step_from_rest(point);
  T best(infinity<T>());
  RoundingStop<T> stop({.max_iterations = 200, .max_stalls = 100});
  while (true) {
    evaluate(point);
    factor(point);
    // Each residual in units of what is added up in it: small components are found as well as large ones.
    const T* const x = point.x.data();
    T *const scale = scale_.data(), *const residual = residual_.data();
    for_packs<T>(n, [&]<class V>(V, std::size_t j) {
      const V x_j = load<V>(x + j), F_j = load<V>(residual + j);
      store(abs(x_j) + abs(F_j), scale + j);
      store(x_j - F_j, residual + j);
    });
    for (std::size_t e = 0; e < point.M.size(); ++e) {
      const auto& entry = M_.entries()[e];
      scale_[static_cast<std::size_t>(entry.row)] += abs(point.M[e] * point.y[static_cast<std::size_t>(entry.column)]);
    }
    T largest(0);
    if constexpr (std::is_same_v<T, double>) {
      largest = largest_of_packs(n, 0.0, [&]<class V>(V, std::size_t j) { return load<V>(scale + j); });
    } else {
      for (std::size_t j = 0; j < n; ++j) largest = max(largest, scale_[j]);
    }
    Largest<T> norms, all_ratios;
    for_packs<T>(n, [&]<class V>(V, std::size_t j) {
      const V size = abs(load<V>(residual + j));
      norms.take(size);
      // Nothing is left of a zero, whatever its derivatives are: at rest there is nothing to measure it by.
      all_ratios.take(select(size <= V(0), V(0), size / (load<V>(scale + j) + V(T(epsilon<T>()) * largest))));
    });
    const T norm = norms.value(), ratios = all_ratios.value();
    // A step too long, beyond the speed of light perhaps: half of it is taken back.
    const T level(2 * epsilon<T>());
    const Mask<T> is_worse = (!(norm < best)) & (!(norm <= T(64) * level * largest));
    // What is not finite must not end the iteration.
    if (!stop.update(select(isfinite(ratios), ratios, T(2)), level)) break;
    best = select(is_worse, best, norm);
    if (any(stop.active() & !point.regular)) factor_shifted(point, norm);
    static_cast<void>(point.solver->solve(residual_.data()));  // the iteration sees by itself how good its steps are
    for (std::size_t j = 0; j < n; ++j) {
      const T half = T(-0.5) * step_[j];
      point.y[j] += select(stop.active(), select(is_worse, half, residual_[j]), T(0));
      step_[j] = select(is_worse, -half, residual_[j]);
    }
  }
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t j = 0; j < n; ++j) point.y[j] = select(stop.converged(), point.y[j], none);
}

template <class T>
const std::vector<T>& GradientInverse<T>::operator()(const T* q, const T* x, const T& t) {
  return at(q, x, t).y;
}

template <class T>
void GradientInverse<T>::solve(const T* q, const T* x, const T& t, T* u) {
  Point& point = factored_at(q, x, t);
  const Mask<T> solved = point.solver->solve(u) & point.regular;
  if (all(solved)) return;
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t j = 0; j < point.q.size(); ++j) u[j] = select(solved, u[j], none);
}

template <class T>
Mask<T> GradientInverse<T>::indefinite(const T* q, const T* x, const T& t) {
  return factored_at(q, x, t).solver->indefinite();
}

template <class T>
void GradientInverse<T>::matrix(const T* q, const T* x, const T& t, T* values) {
  std::ranges::copy(factored_at(q, x, t).M, values);
}

COTANGENT_INSTANTIATE(NUMBERS, GradientInverse);

}  // namespace cotangent
