#include "cotangent/system/legendre.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "cotangent/solve/stopping.hpp"
#include "cotangent/system/legendre_operation.hpp"

namespace cotangent {
namespace {

template <class T>
bool same(const T* a, const std::vector<T>& b) {
  for (std::size_t j = 0; j < b.size(); ++j)
    if (!all(a[j] == b[j])) return false;
  return true;
}

}  // namespace

template <class T>
Legendre<T>::Legendre(System<T>& system)
    : system_(system),
      mass_(system, Contraction::Of::L, Space::v, Space::v),
      L_v_(system, {.of = Contraction::Of::L, .result = Contraction::Result::gradient_v}),
      frame_(system.frame()),
      diagonal_(static_cast<std::size_t>(system.n())),
      residual_(diagonal_),
      step_(residual_),
      scale_(residual_) {
  const auto n = static_cast<int>(system.n());
  std::map<std::pair<int, int>, int> place;
  for (const auto& entry : mass_.entries()) {
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
    point.p = point.v = point.factored_q = point.factored_v = point.q;
    point.mass.assign(mass_.entries().size(), T(0));
    point.solver = std::make_unique<SymmetricSolver<T>>(n, off_diagonal_);
  }
}

template <class T>
typename Legendre<T>::Point& Legendre<T>::at(const T* q, const T* p, const T& t) {
  ++clock_;
  Point* oldest = &points_[0];
  for (Point& point : points_) {
    if (point.known && all(point.t == t) && same(q, point.q) && same(p, point.p)) {
      point.used = clock_;
      return point;
    }
    if (point.used < oldest->used) oldest = &point;
  }
  Point& point = *oldest;
  point.used = clock_;
  std::copy_n(q, point.q.size(), point.q.begin());
  std::copy_n(p, point.p.size(), point.p.begin());
  point.t = t;
  point.known = true;
  solve(point);
  return point;
}

template <class T>
bool Legendre<T>::is_factored(const Point& point) const {
  return point.factored && (!mass_.depends_on(Space::t) || all(point.t == point.factored_t)) &&
         (!mass_.depends_on(Space::q) || same(point.q.data(), point.factored_q)) &&
         (!mass_.depends_on(Space::v) || same(point.v.data(), point.factored_v));
}

template <class T>
void Legendre<T>::factor(Point& point) {
  if (is_factored(point)) return;
  frame_.in[in::q] = point.q.data();
  frame_.in[in::v] = point.v.data();
  frame_.in[in::t] = &point.t;
  mass_.evaluate(frame_, point.mass.data());
  assemble(point);
  point.regular = point.solver->factor(diagonal_.data(), lower_.data()).regular;
  point.factored = true;
  point.factored_q = point.q;
  point.factored_v = point.v;
  point.factored_t = point.t;
}

template <class T>
void Legendre<T>::assemble(const Point& point) {
  const std::size_t n = point.q.size();
  std::fill(diagonal_.begin(), diagonal_.end(), T(0));
  std::fill(lower_.begin(), lower_.end(), T(0));
  for (std::size_t e = 0; e < target_.size(); ++e) {
    if (target_[e] < 0) continue;
    const auto k = static_cast<std::size_t>(target_[e]);
    (k < n ? diagonal_[k] : lower_[k - n]) += point.mass[e];
  }
}

// M + mu I where M is singular; of an M that is not finite, as that of |v|^1.5 at rest, mu I alone.
template <class T>
void Legendre<T>::factor_shifted(Point& point, const T& mu) {
  assemble(point);
  Mask<T> finite(true);
  for (const T& a : diagonal_) finite = finite & isfinite(a);
  for (const T& a : lower_) finite = finite & isfinite(a);
  for (T& a : diagonal_) a = select(point.regular, a, select(finite, a, T(0)) + mu);
  for (T& a : lower_) a = select(point.regular | finite, a, T(0));
  static_cast<void>(point.solver->factor(diagonal_.data(), lower_.data()));
  point.factored = false;
}

template <class T>
void Legendre<T>::solve(Point& point) {
  const std::size_t n = point.q.size();
  std::fill(point.v.begin(), point.v.end(), T(0));
  std::fill(step_.begin(), step_.end(), T(0));
  T best(infinity<T>());
  RoundingStop<T> stop({.max_iterations = 200, .max_stalls = 100});
  while (true) {
    frame_.in[in::q] = point.q.data();
    frame_.in[in::v] = point.v.data();
    frame_.in[in::t] = &point.t;
    frame_.out[out::result] = residual_.data();
    L_v_(frame_);
    factor(point);
    // Each residual in units of what is added up in it: small components are found as well as large ones.
    T largest(0);
    for (std::size_t j = 0; j < n; ++j) {
      scale_[j] = abs(point.p[j]) + abs(residual_[j]);
      residual_[j] = point.p[j] - residual_[j];
    }
    for (std::size_t e = 0; e < point.mass.size(); ++e) {
      const auto& entry = mass_.entries()[e];
      scale_[static_cast<std::size_t>(entry.row)] +=
          abs(point.mass[e] * point.v[static_cast<std::size_t>(entry.column)]);
    }
    for (std::size_t j = 0; j < n; ++j) largest = max(largest, scale_[j]);
    T norm(0), ratios(0);
    for (std::size_t j = 0; j < n; ++j) {
      norm = select(isfinite(residual_[j]), max(norm, abs(residual_[j])), T(infinity<T>()));
      const T ratio = abs(residual_[j]) / (scale_[j] + T(epsilon<T>()) * largest);
      ratios = select(residual_[j] == T(0), ratios, select(isfinite(ratio), max(ratios, ratio), T(infinity<T>())));
    }
    // A step too long, beyond the speed of light perhaps: half of it is taken back.
    const T level(2 * epsilon<T>());
    const Mask<T> is_worse = (!(norm < best)) & (!(norm <= T(64) * level * largest));
    // What is not finite must not end the iteration.
    if (!stop.update(select(isfinite(ratios), ratios, T(2)), level)) break;
    best = select(is_worse, best, norm);
    if (any(stop.active() & !point.regular)) factor_shifted(point, norm);
    point.solver->solve(residual_.data());
    for (std::size_t j = 0; j < n; ++j) {
      const T half = T(-0.5) * step_[j];
      point.v[j] += select(stop.active(), select(is_worse, half, residual_[j]), T(0));
      step_[j] = select(is_worse, -half, residual_[j]);
    }
  }
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t j = 0; j < n; ++j) point.v[j] = select(stop.converged(), point.v[j], none);
}

template <class T>
const std::vector<T>& Legendre<T>::velocity(const T* q, const T* p, const T& t) {
  return at(q, p, t).v;
}

template <class T>
void Legendre<T>::solve_mass(const T* q, const T* p, const T& t, T* x) {
  Point& point = at(q, p, t);
  factor(point);
  point.solver->solve(x);
}

template <class T>
Mask<T> Legendre<T>::indefinite(const T* q, const T* p, const T& t) {
  Point& point = at(q, p, t);
  factor(point);
  return point.solver->indefinite();
}

template <class T>
void Legendre<T>::mass(const T* q, const T* p, const T& t, T* values) {
  Point& point = at(q, p, t);
  factor(point);
  std::copy(point.mass.begin(), point.mass.end(), values);
}

template <class T>
std::unique_ptr<Operation<T>> Legendre<T>::make(const Contraction& contraction) {
  if (contraction.of != Contraction::Of::H) return nullptr;
  return std::make_unique<LegendreOperation<T>>(*this, contraction);
}

template class Legendre<double>;
template class Legendre<long double>;
template class Legendre<Quad>;
template class Legendre<Tangents>;
template class Legendre<Lanes>;

}  // namespace cotangent
