#include "cotangent/monitor/level_watch.hpp"

#include <algorithm>

namespace cotangent {
namespace {

template <class T>
double largest(const std::vector<T>& x) {
  T most(0);
  for (const T& entry : x) most = max(most, abs(entry));
  return static_cast<double>(most);
}

}  // namespace

template <class T>
void LevelWatch<T>::start(const PhasePoint<T>& z, LaneOf<T> /*h*/) {
  is_picked_ = {};
  position_ = momentum_ = energy_ = size_ = product_ = 0;
  look(z);
  first_energy_ = energy_;
}

template <class T>
void LevelWatch<T>::follow(const MadeStep<T>& step) {
  if (!is_picked_()) return;
  look(step.end);
}

template <class T>
void LevelWatch<T>::look(const PhasePoint<T>& z) {
  const auto unit = static_cast<double>(epsilon<T>());
  position_ = std::max(position_, static_cast<double>(manifold_.position_residual(z.q.data(), T(z.t)).level));
  momentum_ = std::max(momentum_, static_cast<double>(manifold_.momentum_residual(z).level));
  const double q = largest(z.q), p = largest(z.p), s = largest(z.s);
  const double all = std::max({q, p, s});
  size_ = std::max(size_, unit * all);
  product_ = std::max(product_, unit * std::max({q * p, q * q, p * p, s * s, all}));
  if (z.q.empty()) return;
  Frame<T> frame = manifold_.system().frame();
  T t(z.t), H(0);
  frame.in[in::q] = z.q.data();
  frame.in[in::p] = z.p.data();
  frame.in[in::t] = &t;
  frame.out[out::result] = &H;
  H_(frame);
  T sum = abs(H);
  const auto& v = values_.velocities(z);
  for (std::size_t j = 0; j < v.size(); ++j) sum += abs(z.p[j] * v[j]);
  energy_ = std::max(energy_, unit * static_cast<double>(sum));
}

template class LevelWatch<double>;
template class LevelWatch<long double>;
template class LevelWatch<Quad>;

}  // namespace cotangent
