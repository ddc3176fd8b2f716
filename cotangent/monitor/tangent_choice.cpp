#include "cotangent/monitor/tangent_choice.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/monitor/dual_point.hpp"

namespace cotangent {
namespace {

// A vector that is shorter than this, after what others span has been taken from it, is spanned by them.
constexpr double kSpanned = 1e-7;
// Pairs are tried until the product of their lengths is at most so many times the area they span.
constexpr double kWide = 20;
// If all are narrower than this there is none.
constexpr double kNarrowest = 1e4;
constexpr int kTrials = 20;
// Q becomes so many times as large after each of them.
constexpr double kShorter = 0.25;
// Momenta of a system at rest that no force moves are measured by what moves it as far as it is in so many steps; those
// that would need so many times as many are not told from rest.
constexpr double kUnitSteps = 20;
constexpr double kSlow = 1e-8;

// Numbers in [-1, 1] without a pattern.
double scattered(std::size_t j, int seed) {
  const double turns = std::sqrt(2.0) * static_cast<double>(j + 1) + std::sqrt(3.0) * (seed + 1) +
                       std::sqrt(5.0) * static_cast<double>(j + 1) * (seed + 1);
  return 2 * (turns - std::floor(turns)) - 1;
}

// dq, then dp.
std::vector<double> vector_of(const TangentPair& pair, int i) {
  std::vector<double> x;
  for (const Tangents& entry : pair.point()->q) x.push_back(entry.d[i]);
  for (const Tangents& entry : pair.point()->p) x.push_back(entry.d[i]);
  return x;
}

// The product of the lengths, in units of the area.
double slenderness(const TangentPair& pair) {
  const TangentPair::Gram g = pair.gram();
  return pair.lengths(g) / std::abs(g.wedge);
}

}  // namespace

template <class T>
void TangentChoice<T>::set_units_of(TangentPair& pair) const {
  pair.set_units(q_unit_, p_unit_);
  pair.set_states(s_unit_, static_cast<std::size_t>(map_.system->elements().states));
}

// What is nearest to the vectors, dq and then dp, and consistent.
template <class T>
TangentPair TangentChoice<T>::consistent(const PhasePoint<T>& z, const std::vector<double>& first,
                                         const std::vector<double>& second, const std::vector<double>& first_states) {
  TangentPair pair(dual_point(z));
  PhasePoint<Tangents>& w = pair.point().change();
  const std::size_t n = w.q.size();
  for (std::size_t j = 0; j < n; ++j) {
    w.q[j].d[0] = first[j];
    w.q[j].d[1] = second[j];
    w.p[j].d[0] = first[n + j];
    w.p[j].d[1] = second[n + j];
  }
  for (std::size_t j = 0; j < first_states.size(); ++j) w.s[j].d[0] = first_states[j];
  // Should one of them not converge the vectors are merely inconsistent.
  static_cast<void>(map_.manifold->project_position(w));
  static_cast<void>(map_.manifold->project_momentum(w));
  static_cast<void>(set_values(z, w));
  set_units_of(pair);
  return pair;
}

// With d_1 = (a, b) the second vector is about (-b, a), which spans the largest area with it.
template <class T>
TangentPair TangentChoice<T>::widest(const PhasePoint<T>& z, const std::vector<double>& first) {
  const std::size_t n = z.q.size();
  const double ratio = q_unit_ / p_unit_;
  std::vector<double> second(2 * n);
  for (std::size_t j = 0; j < n; ++j) {
    second[j] = -first[n + j] * ratio;
    second[n + j] = first[j] / ratio;
  }
  TangentPair pair = consistent(z, second, second);
  // The first one need not be consistent: off the constraints methods do not keep it so.
  for (std::size_t j = 0; j < n; ++j) {
    pair.point().change().q[j].d[0] = first[j];
    pair.point().change().p[j].d[0] = first[n + j];
  }
  return pair;
}

template <class T>
TangentPair TangentChoice<T>::neighbour(const PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  std::vector<double> first(2 * n), states(static_cast<std::size_t>(map_.system->elements().states));
  for (std::size_t j = 0; j < n; ++j) {
    first[j] = q_unit_ * scattered(j, 0);
    first[n + j] = p_unit_ * scattered(j, 1);
  }
  for (std::size_t j = 0; j < states.size(); ++j) states[j] = s_unit_ * scattered(j, 2);
  TangentPair pair = consistent(z, first, std::vector<double>(2 * n, 0.0), states);
  if (const double length = std::sqrt(pair.gram().first); length > 0) pair.scale(0, 1 / length);
  return pair;
}

template <class T>
std::optional<TangentPair> TangentChoice<T>::pair(const PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  std::vector<double> first(2 * n);
  std::optional<TangentPair> best;
  double least = kNarrowest;
  for (int seed = 0; seed < kTrials && least > kWide; ++seed) {
    // A vector of Q is too long where constraints are more curved than that: far from the origin, say.
    if (seed > 0) q_unit_ *= kShorter;
    for (std::size_t j = 0; j < n; ++j) {
      first[j] = q_unit_ * scattered(j, 2 * seed);
      first[n + j] = p_unit_ * scattered(j, 2 * seed + 1);
    }
    TangentPair wide = widest(z, vector_of(consistent(z, first, first), 0));
    if (!(slenderness(wide) < least)) continue;
    least = slenderness(wide);
    const TangentPair::Gram g = wide.gram();
    wide.combine(1 / std::sqrt(g.first), 0, 1 / std::sqrt(g.second));
    best = std::move(wide);
  }
  if (best) q_unit_ = best->q_unit();
  return best;
}

// All directions are made consistent, and then orthogonal to those before, the longest first.
template <class T>
std::vector<TangentPair> TangentChoice<T>::basis(const PhasePoint<T>& z, std::size_t& dimension) {
  const std::size_t n = z.q.size();
  std::vector<std::vector<double>> vectors;
  std::vector<double> first(2 * n, 0.0), second(2 * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    first[j] = q_unit_;
    second[n + j] = p_unit_;
    const TangentPair pair = consistent(z, first, second);
    first[j] = second[n + j] = 0;
    for (const int i : {0, 1}) vectors.push_back(vector_of(pair, i));
  }
  const auto inner = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += (a[j] / q_unit_) * (b[j] / q_unit_) + (a[n + j] / p_unit_) * (b[n + j] / p_unit_);
    return sum;
  };
  std::vector<std::vector<double>> chosen;
  double longest = 0;
  while (!vectors.empty()) {
    const auto next = std::max_element(vectors.begin(), vectors.end(),
                                       [&](const auto& a, const auto& b) { return inner(a, a) < inner(b, b); });
    std::vector<double> x = *next;
    vectors.erase(next);
    const double length = std::sqrt(inner(x, x));
    longest = std::max(longest, length);
    if (!(length > kSpanned * longest)) break;
    for (double& entry : x) entry /= length;
    for (auto& other : vectors) {
      const double along = inner(other, x);
      for (std::size_t j = 0; j < other.size(); ++j) other[j] -= along * x[j];
    }
    chosen.push_back(std::move(x));
  }
  dimension = chosen.size();
  if (chosen.size() % 2 == 1) chosen.emplace_back(2 * n, 0.0);
  std::vector<TangentPair> pairs;
  for (std::size_t k = 0; k < chosen.size(); k += 2) {
    TangentPair pair(dual_point(z));
    PhasePoint<Tangents>& w = pair.point().change();
    for (std::size_t j = 0; j < n; ++j)
      for (const int i : {0, 1}) {
        const auto& x = chosen[k + static_cast<std::size_t>(i)];
        w.q[j].d[i] = x[j];
        w.p[j].d[i] = x[n + j];
      }
    set_units_of(pair);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// How far it is from the origin is no measure of how a system moves, and a momentum may be small by chance: P is at
// least what it gains while it falls, or swings, by Q.
template <class T>
void TangentChoice<T>::set_units(const PhasePoint<T>& z, double h) {
  System<Tangents>& system = *map_.system;
  const std::size_t n = z.q.size();
  s_unit_ = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(system.elements().states); ++j)
    s_unit_ = std::max(s_unit_, std::abs(static_cast<double>(z.s[j])));
  if (!(s_unit_ > 0) || !std::isfinite(s_unit_)) s_unit_ = 1;
  const PhasePoint<Tangents> w = dual_point(z);
  const At<Tangents> at = system.at(w);
  std::vector<Tangents> along_q(n), result(n);
  const auto size = [&result] {
    const double most = largest_of(result).value;
    return std::isfinite(most) ? most : 0;
  };
  at.H_pp_times(std::vector<Tangents>(n, Tangents(1)), result);
  double W = size();
  if (!(W > 0)) W = 1;

  const double q = static_cast<double>(largest_of(z.q)), p = static_cast<double>(largest_of(z.p));
  const double response = kUnitSteps * std::abs(h) * W;
  q_unit_ = std::max(q, p * response);
  if (!(q_unit_ > 0)) q_unit_ = 1;
  for (std::size_t j = 0; j < n; ++j) along_q[j] = q_unit_ * scattered(j, 0);
  at.H_q(result);
  double force = size();
  at.H_q_along(along_q, std::vector<Tangents>(n, Tangents(0)), result);
  force += size();
  p_unit_ = std::max(p, std::sqrt(q_unit_ * force / W));
  if (!(p_unit_ > kSlow * q_unit_ / response)) p_unit_ = q_unit_ / response;
}

COTANGENT_INSTANTIATE(PRECISIONS, TangentChoice);

}  // namespace cotangent
