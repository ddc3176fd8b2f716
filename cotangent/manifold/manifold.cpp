#include "cotangent/manifold/manifold.hpp"

#include <algorithm>

namespace cotangent {

template <class T>
Manifold<T>::Manifold(System<T>& system)
    : system_(system),
      matrix_(system),
      g_(system.g()),
      g_qq_(system.g_qq()),
      G_times_(system.G_times()),
      G_transposed_times_(system.G_transposed_times()),
      H_p_(system.H_p()),
      H_pp_times_(system.H_pp_times()),
      H_p_along_(system.H_p_along()),
      frame_(system.frame()),
      rows_(static_cast<std::size_t>(system.m()), T(0)),
      mu_(rows_),
      norms_(2, T(0)),
      x_(static_cast<std::size_t>(system.n()), T(0)),
      y_(x_),
      v_(x_) {
  frame_.out[out::norms] = norms_.data();
}

template <class T>
typename Manifold<T>::Residual Manifold<T>::position_residual(const T* q) {
  if (system_.m() == 0) return {T(0), T(0)};
  frame_.in[in::q] = q;
  frame_.out[out::result] = rows_.data();
  g_(frame_);
  return {norms_[0], T(epsilon<T>()) * norms_[1]};
}

template <class T>
typename Manifold<T>::Residual Manifold<T>::momentum_residual(const T* q, const T* p) {
  if (system_.m() == 0) return {T(0), T(0)};
  frame_.in[in::q] = q;
  frame_.in[in::p] = p;
  frame_.out[out::result] = v_.data();
  H_p_(frame_);
  frame_.in[in::a_q] = v_.data();
  frame_.out[out::result] = rows_.data();
  G_times_(frame_);
  return {norms_[0], T(epsilon<T>()) * norms_[1]};
}

// Gives up in lanes whose matrix is singular; the others go on. False if none is left.
template <class T>
bool Manifold<T>::drop_singular(const Mask<T>& regular, RoundingStop<T>& stop, SolveReport<T>& report) {
  const Mask<T> singular = stop.active() & !regular;
  if (!any(singular)) return true;
  report.regular = false;
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (lane(singular, i)) report.row = matrix_.worst_row(i);
  return stop.fail(singular);
}

template <class T>
SolveReport<T> Manifold<T>::project_position(PhasePoint<T>& z) {
  SolveReport<T> report;
  const auto n = z.q.size();
  std::copy(z.q.begin(), z.q.end(), x_.begin());
  RoundingStop<T> stop;
  while (true) {
    const Residual g = position_residual(x_.data());
    report.tolerance = g.level;
    if (!stop.update(g.value, T(2) * g.level)) break;

    // Each correction is the shortest one in the mass metric that makes the linearised g vanish.
    const auto factor = matrix_.factor(x_.data(), z.p.data());
    if (!drop_singular(factor.regular, stop, report)) break;
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < mu_.size(); ++r) mu_[r] = select(stop.active(), rows_[r], T(0));
    frame_.in[in::q] = x_.data();
    frame_.in[in::p] = z.p.data();
    frame_.in[in::weights] = mu_.data();
    frame_.out[out::result] = y_.data();
    G_transposed_times_(frame_);
    frame_.in[in::a_p] = y_.data();
    frame_.out[out::result] = v_.data();
    H_pp_times_(frame_);
    for (std::size_t j = 0; j < n; ++j) x_[j] -= v_[j];
  }
  finish(stop, report, z, z.q, z.q_low);
  return report;
}

// Takes what a projection found where it converged. A lane that needed no correction stays as it is, to the last bit.
template <class T>
void Manifold<T>::finish(const RoundingStop<T>& stop, SolveReport<T>& report, PhasePoint<T>& z, std::vector<T>& target,
                         std::vector<T>& low) {
  report.converged = stop.converged();
  report.iterations = stop.iterations() - 1;
  report.residual = stop.residual();
  if (report.iterations == 0) return;
  Mask<T> moved(false);
  for (std::size_t j = 0; j < target.size(); ++j) moved = moved | !(x_[j] == target[j]);
  const Mask<T> taken = report.converged & moved;
  for (std::size_t j = 0; j < target.size(); ++j) {
    target[j] = select(taken, x_[j], target[j]);
    low[j] = select(taken, T(0), low[j]);
  }
  z.touch();
}

// The rounding level of G H_p: H_p may be a difference of larger numbers (p - A(q)), so |H_pp p| counts too.
template <class T>
T Manifold<T>::momentum_level(const T* q, const T* p) {
  frame_.in[in::q] = q;
  frame_.in[in::p] = p;
  frame_.out[out::result] = v_.data();
  H_p_(frame_);
  frame_.in[in::a_p] = p;
  frame_.out[out::result] = y_.data();
  H_pp_times_(frame_);
  for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = abs(v_[j]) + abs(y_[j]);
  frame_.in[in::a_q] = v_.data();
  frame_.out[out::result] = rows_.data();
  G_times_(frame_);
  return T(epsilon<T>()) * norms_[1];
}

template <class T>
SolveReport<T> Manifold<T>::project_momentum(PhasePoint<T>& z) {
  SolveReport<T> report;
  const auto n = z.p.size();
  std::copy(z.p.begin(), z.p.end(), x_.begin());
  RoundingStop<T> stop;
  report.tolerance = z.q.empty() || mu_.empty() ? T(0) : momentum_level(z.q.data(), x_.data());
  while (true) {
    const Residual psi = momentum_residual(z.q.data(), x_.data());
    if (!stop.update(psi.value, report.tolerance)) break;

    const auto factor = matrix_.factor(z.q.data(), x_.data());
    if (!drop_singular(factor.regular, stop, report)) break;
    matrix_.solve(rows_.data());
    for (std::size_t r = 0; r < mu_.size(); ++r) mu_[r] = select(stop.active(), rows_[r], T(0));
    frame_.in[in::q] = z.q.data();
    frame_.in[in::weights] = mu_.data();
    frame_.out[out::result] = y_.data();
    G_transposed_times_(frame_);
    for (std::size_t j = 0; j < n; ++j) x_[j] -= y_[j];
  }
  finish(stop, report, z, z.p, z.p_low);
  return report;
}

template <class T>
FactorReport<T> Manifold<T>::multipliers(const T* q, const T* p, const T* v, const T* f, T* lambda) {
  const auto n = x_.size();
  frame_.in[in::q] = q;
  frame_.in[in::p] = p;

  // G (H_pq v - H_pp H_q)
  for (std::size_t j = 0; j < n; ++j) y_[j] = -f[j];
  frame_.in[in::a_q] = v;
  frame_.in[in::a_p] = y_.data();
  frame_.out[out::result] = v_.data();
  H_p_along_(frame_);
  frame_.in[in::a_q] = v_.data();
  frame_.out[out::result] = rows_.data();
  G_times_(frame_);

  // + g_qq[v, v]
  frame_.in[in::a_q] = v;
  frame_.in[in::b_q] = v;
  frame_.out[out::result] = lambda;
  g_qq_(frame_);
  for (std::size_t r = 0; r < rows_.size(); ++r) lambda[r] += rows_[r];

  const auto report = matrix_.factor(q, p);
  matrix_.solve(lambda);
  return report;
}

template class Manifold<double>;
template class Manifold<long double>;
template class Manifold<Quad>;
template class Manifold<Lanes>;

}  // namespace cotangent
