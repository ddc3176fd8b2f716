#include "cotangent/formulation/chart/minimal_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/solve/direct/pivot.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// Of the search for s from one start.
constexpr int kMostSteps = 200;

const MinimalModels& minimal_of(const CompiledModel& model) {
  const Elements& elements = model.elements();
  if (!elements.minimal)
    throw std::invalid_argument(
        "lagrange-2 needs minimal coordinates: add [minimal] to the model, with coordinates = [\"a\"] and each "
        "coordinate of [system] in terms of them, such as x = \"sin(a)\"");
  const std::int64_t d = elements.minimal->size, most = kLimits.full;
  if (d > most)
    throw std::invalid_argument(
        fmt::format("lagrange-2 takes at most {} minimal coordinates, the model has {}: use state-space", most, d));
  if (d < elements.n - elements.m)
    throw MinimalError(
        fmt::format("{} minimal coordinates are too few: {} coordinates with {} constraints have {} degrees of freedom "
                    "or more",
                    d, elements.n, elements.m, elements.n - elements.m));
  return model.shared<MinimalModels>("", [&] {
    const MinimalElements minimal = elements.minimal->extract();
    const auto compiled = [&](const std::shared_ptr<const Elements>& of) {
      return of ? std::make_shared<const CompiledModel>(of, model.backend(), model.code()) : nullptr;
    };
    return MinimalModels{compiled(minimal.phi), compiled(minimal.guess)};
  });
}

std::vector<std::pair<int, int>> full(std::size_t size) {
  std::vector<std::pair<int, int>> places;
  for (int j = 0; j < static_cast<int>(size); ++j)
    for (int i = j + 1; i < static_cast<int>(size); ++i) places.emplace_back(i, j);
  return places;
}

template <class T>
T largest(const std::vector<T>& x) {
  T result(0);
  for (const T& value : x) result = isfinite(value) ? max(result, abs(value)) : T(infinity<T>());
  return result;
}

template <class T>
T squared(const std::vector<T>& x) {
  T result(0);
  for (const T& value : x) result += value * value;
  return result;
}

}  // namespace

template <class T>
MinimalCoordinates<T>::MinimalCoordinates(System<T>& system) : MinimalCoordinates(minimal_of(system.model())) {}

template <class T>
MinimalCoordinates<T>::MinimalCoordinates(const MinimalModels& minimal)
    : phi_(minimal.phi),
      guess_(minimal.guess ? std::make_unique<System<T>>(minimal.guess) : nullptr),
      n_(static_cast<std::size_t>(phi_.m())),
      d_(static_cast<std::size_t>(phi_.n())),
      solver_(static_cast<int>(d_), full(d_)),
      q_(n_, T(0)),
      v_(q_),
      zero_(d_, T(0)),
      unit_(zero_),
      column_(q_),
      weighted_(q_),
      row_(zero_),
      diagonal_(zero_),
      lower_(d_ * (d_ - 1) / 2, T(0)),
      residual_(q_),
      step_(zero_),
      trial_(zero_) {}

template <class T>
void MinimalCoordinates<T>::at(const T* s, const T* u, const T& t) {
  s_ = s;
  u_ = u;
  t_ = t;
  const At<T> here = phi_.at(s, t);
  here.g_rate(u, v_);
  scale_ = here.g(q_).scale;
}

template <class T>
void MinimalCoordinates<T>::curvature(T* a) {
  phi_.at(s_, t_).g_second(u_, u_, Time::moves, a);
}

template <class T>
void MinimalCoordinates<T>::pull_back(const T* x, T* by_s) {
  phi_.at(s_, t_).Gt_times(x, by_s);
}

// Column by column: Phi' M (Phi e_k).
template <class T>
bool MinimalCoordinates<T>::factor(const Metric& M, const T& shift) {
  T* below = lower_.data();
  for (std::size_t k = 0; k < d_; ++k) {
    unit_[k] = T(1);
    phi_.at(s_, t_).G_times(unit_, column_);
    unit_[k] = T(0);
    M(column_.data(), weighted_.data());
    pull_back(weighted_.data(), row_.data());
    diagonal_[k] = row_[k] + shift;
    below = std::copy(row_.begin() + static_cast<std::ptrdiff_t>(k) + 1, row_.end(), below);
  }
  return solver_.factor(diagonal_.data(), lower_.data()).regular;
}

template <class T>
void MinimalCoordinates<T>::sample(int k, std::vector<T>& s) const {
  std::mt19937_64 random(static_cast<std::uint64_t>(k));
  std::uniform_real_distribution<double> angle(-3, 3);
  s.resize(d_);
  for (T& x : s) x = k == 0 ? T(0) : T(angle(random));
}

// q - phi(s), and its largest component.
template <class T>
T MinimalCoordinates<T>::distance(const T* q, const T* s) {
  at(s, zero_.data(), t_);
  for (std::size_t j = 0; j < n_; ++j) residual_[j] = q[j] - q_[j];
  return largest(residual_);
}

// s <- s + (Phi' Phi + shift)^-1 Phi' (q - phi(s)); the shift grows where this leads further away from q.
//
// What rounding leaves of q - phi(s) is epsilon times the terms of phi, but no more than epsilon times the distances
// that are travelled: an s so large that phi(s) is known less well than that is not found, it is lost.
template <class T>
bool MinimalCoordinates<T>::descend(const T* q, std::vector<T>& s) {
  T size(0), shift(0);
  for (std::size_t j = 0; j < n_; ++j) size = max(size, abs(q[j]));
  const Metric identity = [this](const T* x, T* y) { std::copy_n(x, n_, y); };
  T error = distance(q, s.data());
  const T travelled = size + error;
  for (int k = 0; k < kMostSteps && isfinite(error); ++k) {
    const T level = T(epsilon<T>()) * min(max(size, scale_), travelled);
    const T square = squared(residual_);
    pull_back(residual_.data(), step_.data());
    if (!factor(identity, shift)) {
      if (shift > T(0) || !isfinite(largest(diagonal_))) return false;
      shift = T(1e-3) * largest(diagonal_) + T(1e-30);
      continue;
    }
    const T stiffness = largest(diagonal_);
    solve(step_.data());
    for (std::size_t j = 0; j < d_; ++j) trial_[j] = s[j] + step_[j];
    const T next = distance(q, trial_.data());
    const T rest = squared(residual_);
    const bool is_better = rest < square, is_near = error <= T(rank_tolerance<T>()) * size + T(kNearUnits) * level;
    if (is_better) s = trial_;
    // Where q is on the manifold but for rounding the last steps gain nothing more.
    if (shift == T(0) && is_near && !(rest < T(0.25) * square)) return true;
    if (is_better) {
      error = next;
      shift = shift < T(1e-6) * stiffness ? T(0) : T(0.1) * shift;
    } else {
      error = distance(q, s.data());
      shift = max(T(10) * shift, T(1e-3) * stiffness);
      if (shift > T(1e12) * stiffness) return false;
    }
  }
  return false;
}

template <class T>
bool MinimalCoordinates<T>::find(const T* q, const T& t, std::vector<T>& s) {
  t_ = t;
  if (s.size() == d_ && descend(q, s)) return true;
  if (guess_) {
    s.resize(d_);
    guess_->at(q, t_).observables(s);
    if (descend(q, s)) return true;
  }
  for (int k = 0; k < kStarts; ++k) {
    sample(k, s);
    if (descend(q, s)) return true;
  }
  return false;
}

template <class T>
bool MinimalCoordinates<T>::find_velocity(const T* s, const T* v, const T& t, std::vector<T>& u) {
  u.assign(d_, T(0));
  at(s, u.data(), t);
  if (!factor([this](const T* x, T* y) { std::copy_n(x, n_, y); })) return false;
  T size = largest(q_), error(infinity<T>());
  for (std::size_t j = 0; j < n_; ++j) size = max(size, abs(v[j]) + abs(v_[j]));
  // What the squared condition of Phi' Phi has spoilt is made good by refinement.
  for (int k = 0; k < 10; ++k) {
    at(s, u.data(), t);
    for (std::size_t j = 0; j < n_; ++j) residual_[j] = v[j] - v_[j];
    const T next = largest(residual_);
    if (!(next < T(0.5) * error)) break;
    error = next;
    pull_back(residual_.data(), step_.data());
    solve(step_.data());
    for (std::size_t j = 0; j < d_; ++j) u[j] += step_[j];
  }
  return error <= T(rank_tolerance<T>()) * size;
}

COTANGENT_INSTANTIATE(TRAJECTORIES, MinimalCoordinates);

}  // namespace cotangent
