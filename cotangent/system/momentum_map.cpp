#include "cotangent/system/momentum_map.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "cotangent/solve/ordering.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;

template <class T>
std::unique_ptr<SparseLu<T>> analyse(const Hessian<T>& H_pp, int n) {
  std::vector<MatrixEntry> entries;
  std::set<std::pair<int, int>> below;
  for (const auto& entry : H_pp.entries()) {
    const auto i = static_cast<int>(entry.row), j = static_cast<int>(entry.column);
    entries.push_back({i, j});
    if (i != j) below.emplace(std::max(i, j), std::min(i, j));
  }
  const PatternGraph graph(n, {below.begin(), below.end()});
  return std::make_unique<SparseLu<T>>(n, entries, minimum_degree_order(graph));
}

}  // namespace

template <class T>
MomentumMap<T>::MomentumMap(System<T>& system)
    : system_(system),
      H_p_(system.H_p()),
      H_p_rate_(system.H_p_rate()),
      L_v_(system, {.of = Of::L, .result = Result::gradient_v}),
      L_vv_times_(system, {.of = Of::L, .directions = {{.q = false, .v = true}}, .result = Result::gradient_v}),
      L_v_rate_(system, {.of = Of::L, .directions = {{.q = true, .v = true, .t = true}}, .result = Result::gradient_v}),
      frame_(system.frame()),
      p_(static_cast<std::size_t>(system.n()), T(0)),
      zero_(p_),
      residual_(p_),
      step_(p_),
      scale_(p_) {
  if (system.legendre()) return;
  if (const auto& W = system.diagonal_mass()) {
    if (std::any_of(W->begin(), W->end(), [](const T& w) { return w == T(0); }))
      throw std::invalid_argument("H does not depend on some momentum: velocities do not determine it");
    return;
  }
  H_pp_ = std::make_unique<Hessian<T>>(system, Of::H, Space::p, Space::p);
  lu_ = analyse(*H_pp_, static_cast<int>(system.n()));
  values_.assign(H_pp_->entries().size(), T(0));
}

template <class T>
void MomentumMap<T>::call(const Request<T>& operation, T* result) {
  frame_.out[out::result] = result;
  operation(frame_);
}

template <class T>
bool MomentumMap<T>::at(const T* q, const T* v, const T& t) {
  v_ = v;
  t_ = t;
  frame_.in[in::q] = q;
  frame_.in[in::v] = v;
  frame_.in[in::t] = &t_;
  frame_.in[in::p] = p_.data();
  if (system_.legendre()) {
    call(L_v_, p_.data());
  } else if (const auto& W = system_.diagonal_mass()) {
    // H_p = W p + H_p(q, 0, t)
    std::fill(p_.begin(), p_.end(), T(0));
    call(H_p_, residual_.data());
    for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = (v[j] - residual_[j]) / (*W)[j];
  } else if (!solve()) {
    return false;
  }
  return std::all_of(p_.begin(), p_.end(), [](const T& x) { return isfinite(x); });
}

template <class T>
bool MomentumMap<T>::factor() {
  H_pp_->evaluate(frame_, values_.data());
  return lu_->factor(values_.data()).regular;
}

template <class T>
bool MomentumMap<T>::solve() {
  std::fill(p_.begin(), p_.end(), T(0));
  std::fill(step_.begin(), step_.end(), T(0));
  T best(infinity<T>());
  RoundingStop<T> stop({.max_iterations = 200, .max_stalls = 100});
  while (true) {
    call(H_p_, residual_.data());
    const bool is_regular = factor();
    // The residual against what is added up in it, as if H_p were H_pp p.
    for (std::size_t j = 0; j < p_.size(); ++j) {
      scale_[j] = abs(v_[j]) + abs(residual_[j]);
      residual_[j] = v_[j] - residual_[j];
    }
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto& entry = H_pp_->entries()[e];
      scale_[static_cast<std::size_t>(entry.row)] += abs(values_[e] * p_[static_cast<std::size_t>(entry.column)]);
    }
    T norm(0), scale(0);
    for (std::size_t j = 0; j < p_.size(); ++j) {
      norm = isfinite(residual_[j]) ? max(norm, abs(residual_[j])) : T(infinity<T>());
      if (isfinite(scale_[j])) scale = max(scale, scale_[j]);
    }
    const T level = T(2 * epsilon<T>()) * scale;
    const bool is_worse = !(norm < best) && !(norm <= T(64) * level);
    // What is not finite must not end the iteration: half of the step is taken back.
    const T far = scale + T(1);
    if (!stop.update(isfinite(norm) ? norm : far, level)) break;
    if (!is_worse && !is_regular) return false;
    if (!is_worse) {
      best = norm;
      lu_->solve(residual_.data());
    }
    for (std::size_t j = 0; j < p_.size(); ++j) {
      const T change = is_worse ? T(-0.5) * step_[j] : residual_[j];
      p_[j] += change;
      step_[j] = is_worse ? -change : change;
    }
  }
  return stop.converged();
}

template <class T>
void MomentumMap<T>::mass_times(const T* a, T* result) {
  if (system_.legendre()) {
    frame_.in[in::a_v] = a;
    call(L_vv_times_, result);
  } else if (const auto& W = system_.diagonal_mass()) {
    for (std::size_t j = 0; j < p_.size(); ++j) result[j] = a[j] / (*W)[j];
  } else {
    std::copy_n(a, p_.size(), result);
    lu_->solve(result);
  }
}

template <class T>
void MomentumMap<T>::rate(const T* a, T* p_dot) {
  frame_.in[in::a_q] = v_;
  if (system_.legendre()) {
    frame_.in[in::a_v] = a;
    call(L_v_rate_, p_dot);
    return;
  }
  frame_.in[in::a_p] = zero_.data();
  call(H_p_rate_, residual_.data());
  for (std::size_t j = 0; j < p_.size(); ++j) residual_[j] = a[j] - residual_[j];
  mass_times(residual_.data(), p_dot);
}

template class MomentumMap<double>;
template class MomentumMap<long double>;
template class MomentumMap<Quad>;

}  // namespace cotangent
