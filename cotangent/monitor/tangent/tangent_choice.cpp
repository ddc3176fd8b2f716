#include "cotangent/monitor/tangent/tangent_choice.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/monitor/tangent/dual_point.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<double>;

// Numbers in [-1, 1] without a pattern.
double scattered(std::size_t j, int seed) {
  const double turns = std::sqrt(2.0) * static_cast<double>(j + 1) + std::sqrt(3.0) * (seed + 1) +
                       std::sqrt(5.0) * static_cast<double>(j + 1) * (seed + 1);
  return 2 * (turns - std::floor(turns)) - 1;
}

// dq, dp, ds.
Vector scattered_vector(std::size_t n, double q, double p, double s = 0, std::size_t states = 0) {
  Vector x;
  for (std::size_t j = 0; j < n; ++j) x.push_back(q * scattered(j, 0));
  for (std::size_t j = 0; j < n; ++j) x.push_back(p * scattered(j, 1));
  for (std::size_t j = 0; j < states; ++j) x.push_back(s * scattered(j, 2));
  return x;
}

}  // namespace

template <class T>
std::size_t TangentChoice<T>::dimension() const {
  const auto n = static_cast<std::size_t>(map_.system->n()), m = static_cast<std::size_t>(map_.system->m());
  const std::size_t rank = m - map_.manifold->matrix().nullity();
  return n > rank ? 2 * (n - rank) : 0;
}

// What is nearest to the vectors and consistent.
template <class T>
TangentFrame TangentChoice<T>::consistent(const PhasePoint<T>& z, const Vector& first, const Vector& second) {
  TangentFrame frame(dual_point(z), 2, measure_);
  frame.set(0, first);
  frame.set(1, second);
  PhasePoint<Tangents>& w = frame.points().front().change();
  // Should one of them not converge the vectors are merely inconsistent.
  static_cast<void>(map_.manifold->project_position(w));
  static_cast<void>(map_.manifold->project_momentum(w));
  set_values(z, w);
  return frame;
}

// With d_1 = (a, b) the second vector is about (-b, a), which spans the largest area with it.
template <class T>
TangentFrame TangentChoice<T>::widest(const PhasePoint<T>& z, const Vector& first) {
  const std::size_t n = z.q.size();
  const double ratio = measure_.q / measure_.p;
  Vector second(2 * n);
  for (std::size_t j = 0; j < n; ++j) {
    second[j] = -first[n + j] * ratio;
    second[n + j] = first[j] / ratio;
  }
  TangentFrame frame = consistent(z, {}, second);
  frame.set(0, first);  // it need not be consistent: off the constraints methods do not keep it so
  return frame;
}

template <class T>
TangentFrame TangentChoice<T>::neighbour(const PhasePoint<T>& z) {
  const auto& [q, p, s, states, has_impetus] = measure_;
  return {consistent(z, scattered_vector(z.q.size(), q, p, s, states), {}).points().front(), 1, measure_};
}

template <class T>
TangentFrame TangentChoice<T>::pair(const PhasePoint<T>& z) {
  return widest(z, consistent(z, scattered_vector(z.q.size(), measure_.q, measure_.p), {}).vector(0));
}

// All directions are made consistent, and then orthogonal to those before, the longest first.
template <class T>
TangentFrame TangentChoice<T>::basis(const PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  std::vector<Vector> vectors;
  for (std::size_t j = 0; j < n; ++j) {
    Vector first(2 * n, 0.0), second(2 * n, 0.0);
    first[j] = measure_.q;
    second[n + j] = measure_.p;
    const TangentFrame pair = consistent(z, first, second);
    for (std::size_t i = 0; i < 2; ++i) vectors.push_back(pair.vector(i));
  }
  const auto inner = [&](const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += (a[j] / measure_.q) * (b[j] / measure_.q) + (a[n + j] / measure_.p) * (b[n + j] / measure_.p);
    return sum;
  };
  TangentFrame frame(dual_point(z), dimension(), measure_);
  for (std::size_t i = 0; i < frame.dimension(); ++i) {
    const auto longest = std::max_element(vectors.begin(), vectors.end(),
                                          [&](const auto& a, const auto& b) { return inner(a, a) < inner(b, b); });
    const Vector x = *longest;
    vectors.erase(longest);
    frame.set(i, x);
    for (Vector& other : vectors) {
      const double along = inner(other, x) / inner(x, x);
      for (std::size_t j = 0; j < other.size(); ++j) other[j] -= along * x[j];
    }
  }
  return frame;
}

template <class T>
TangentFrame TangentChoice<T>::everything(const PhasePoint<T>& z) const {
  const std::size_t n = z.q.size(), dimension = 2 * n + measure_.states;
  TangentFrame frame(dual_point(z), dimension, measure_);
  for (std::size_t i = 0; i < dimension; ++i) {
    Vector x(dimension, 0.0);
    x[i] = i < n ? measure_.q : i < 2 * n ? measure_.p : measure_.s;
    frame.set(i, x);
  }
  return frame;
}

// How far it is from the origin is no measure of how a system moves, and a momentum may be small by chance: P is at
// least what it gains while it falls, or swings, by Q.
template <class T>
void TangentChoice<T>::set_measure(const PhasePoint<T>& z, double h) {
  System<Tangents>& system = *map_.system;
  const std::size_t n = z.q.size();
  auto& [Q, P, S, states, has_impetus] = measure_;
  has_impetus = map_.integrator->facts().has_impetus;
  states = static_cast<std::size_t>(system.elements().states);
  S = 0;
  for (std::size_t j = 0; j < states; ++j) S = std::max(S, std::abs(static_cast<double>(z.s[j])));
  if (!(S > 0) || !std::isfinite(S)) S = 1;
  if (n == 0) return;

  const PhasePoint<Tangents> w = dual_point(z);
  const At<Tangents> at = system.at(w);
  std::vector<Tangents> along_q(n), result(n);
  const auto size = [&result] {
    const double most = largest_of(result).value;
    return std::isfinite(most) ? most : 0;
  };
  at.H_pp_times(std::vector<Tangents>(n, Tangents(1)), result);
  const double mobility = size() > 0 ? size() : 1;

  const double q = static_cast<double>(largest_of(z.q)), p = static_cast<double>(largest_of(z.p));
  const double response =
      TangentFrame::kLong * std::abs(h) * mobility;  // how far a momentum of one leads in some steps
  Q = std::max(q, p * response);
  if (!(Q > 0)) Q = 1;
  for (std::size_t j = 0; j < n; ++j) along_q[j] = Q * scattered(j, 0);
  at.H_q(result);
  double force = size();
  at.H_q_along(along_q, std::vector<Tangents>(n, Tangents(0)), result);
  force += size();
  P = std::max(p, std::sqrt(Q * force / mobility));
  // What is slower by half of the digits is not told from rest.
  if (!(P > std::sqrt(epsilon<double>()) * Q / response)) P = Q / response;

  // What curved constraints make of the momenta where q changes by Q.
  const Vector turned = consistent(z, scattered_vector(n, Q, 0), {}).vector(0);
  double most = 0;
  for (std::size_t j = n; j < 2 * n; ++j) most = std::max(most, std::abs(turned[j]));
  if (most > TangentFrame::kLong * P && std::isfinite(most)) Q *= P / most;
}

COTANGENT_INSTANTIATE(PRECISIONS, TangentChoice);

}  // namespace cotangent
