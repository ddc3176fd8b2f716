#include "cotangent/simulation/dense_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"

namespace cotangent {
namespace {

// P_0(x), ..., P_{N+1}(x).
template <class T>
void legendre_polynomials(const T& x, int N, std::vector<T>& P) {
  P.resize(static_cast<std::size_t>(N) + 2);
  P[0] = T(1);
  P[1] = x;
  for (std::size_t k = 1; k + 1 < P.size(); ++k) {
    const T n(static_cast<double>(k));
    P[k + 1] = ((T(2) * n + T(1)) * x * P[k] - n * P[k - 1]) / (n + T(1));
  }
}

}  // namespace

template <class T>
typename DenseOutput<T>::Round DenseOutput<T>::make_round(int N) {
  Round round;
  round.P.resize(static_cast<std::size_t>(N) + 1);
  std::vector<Quad> P;
  for (const Quad& c : lobatto_nodes(N + 1)) {
    const Quad x = 2 * c - 1;
    legendre_polynomials(x, N, P);
    const Quad last = P[static_cast<std::size_t>(N)];
    round.x.push_back(static_cast<T>(x));
    round.w.push_back(static_cast<T>(Quad(2) / (Quad(N) * Quad(N + 1) * last * last)));
    for (std::size_t k = 0; k < round.P.size(); ++k) round.P[k].push_back(static_cast<T>(P[k]));
  }
  return round;
}

template <class T>
DenseOutput<T>::DenseOutput(Manifold<T>& manifold, Integrator<T>& method)
    : DenseOutput(manifold, method.facts().order, method.facts().keeps_position, method.facts().keeps_momentum,
                  method.unprojected().has_series() ? &method.unprojected() : nullptr) {}

template <class T>
DenseOutput<T>::DenseOutput(Manifold<T>& manifold, int order, bool position, bool momentum, Integrator<T>* series)
    : manifold_(manifold),
      field_(underlying_field(manifold)),
      position_(position && manifold.system().m() > 0),
      momentum_(momentum && manifold.system().m() > 0),
      series_(series) {
  if (series_) {
    point_ = PhasePoint<T>(manifold.system().n(), manifold.system().state_count());
    return;
  }
  rounds_.push_back(make_round(1));
  for (int N = 3; N < order; ++N) rounds_.push_back(make_round(N));
  const std::size_t points = rounds_.back().x.size();
  point_ = PhasePoint<T>(manifold.system().n(), manifold.system().state_count());
  rates_.assign(points, point_);
  next_ = rates_;
  P_.reserve(points + 1);
  weights_.resize(points);
}

template <class T>
void DenseOutput<T>::set_step(const PhasePoint<T>& begin, const PhasePoint<T>& end) {
  begin_ = &begin;
  end_ = &end;
  h_ = (end.t - begin.t) + (end.t_low - begin.t_low);
  is_made_ = false;
}

template <class T>
void DenseOutput<T>::field(const PhasePoint<T>& z, PhasePoint<T>& rate) {
  ++evaluations_;
  if (!all(field_->field(z, rate.q.data(), rate.p.data(), rate.s.data())))
    throw std::runtime_error(fmt::format(
        "the point at t = {:g} inside a step could not be interpolated: the multipliers were not found there",
        static_cast<double>(z.t)));
}

// Sets point_ to u(theta) of a round, whose values of f are rates_.
template <class T>
void DenseOutput<T>::evaluate(const Round& round, T theta) {
  const std::size_t N = round.x.size() - 1;
  const T x = T(2) * theta - T(1), step = theta * theta * (T(3) - T(2) * theta);
  legendre_polynomials(x, static_cast<int>(N), P_);
  for (std::size_t i = 0; i <= N; ++i) {
    T integral = round.w[i] * (x + T(1)) / T(2);
    for (std::size_t k = 1; k <= N; ++k) {
      const T twice_k(static_cast<double>(2 * k));
      const T a = round.w[i] * round.P[k][i] * (k == N ? T(static_cast<double>(N)) : twice_k + T(1)) / T(2);
      integral += a * (P_[k + 1] - P_[k - 1]) / (twice_k + T(1));
    }
    weights_[i] = h_ * (integral - step * round.w[i]) / T(2);
  }
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
    for (std::size_t j = 0; j < (point_.*part).size(); ++j) {
      T change = step * ((end_->*part)[j] - (begin_->*part)[j]);
      for (std::size_t i = 0; i <= N; ++i) change += weights_[i] * (rates_[i].*part)[j];
      (point_.*part)[j] = (begin_->*part)[j] + change;
    }
  point_.t = begin_->t + theta * h_;
}

template <class T>
void DenseOutput<T>::make() {
  field(*begin_, rates_[0]);
  field(*end_, rates_[1]);
  for (std::size_t r = 1; r < rounds_.size(); ++r) {
    const std::size_t N = rounds_[r].x.size() - 1;
    for (std::size_t i = 1; i < N; ++i) {
      evaluate(rounds_[r - 1], (rounds_[r].x[i] + T(1)) / T(2));
      field(point_, next_[i]);
    }
    std::swap(next_[0], rates_[0]);
    std::swap(next_[N], rates_[rounds_[r - 1].x.size() - 1]);
    std::swap(next_, rates_);
  }
  is_made_ = true;
}

template <class T>
const PhasePoint<T>& DenseOutput<T>::at(T t) {
  if (series_) {
    const StepReport<T> report = series_->within(*begin_, t - begin_->t - begin_->t_low, point_);
    evaluations_ += report.evaluations;
    if (report.status != StepStatus::ok)
      throw std::runtime_error(fmt::format("the point at t = {:g} inside a step was not found: {}",
                                           static_cast<double>(t), describe(report.status)));
  } else {
    if (!is_made_) make();
    evaluate(rounds_.back(), (t - begin_->t - begin_->t_low) / h_);
  }
  for (const auto low : {&PhasePoint<T>::q_low, &PhasePoint<T>::p_low, &PhasePoint<T>::s_low})
    std::ranges::fill(point_.*low, T(0));
  point_.t = t;
  if ((position_ && !all(manifold_.project_position(point_).converged)) ||
      (momentum_ && !all(manifold_.project_momentum(point_).converged)))
    throw std::runtime_error(fmt::format("the point at t = {:g} inside a step could not be moved onto the constraints",
                                         static_cast<double>(t)));
  return point_;
}

COTANGENT_INSTANTIATE(PRECISIONS, DenseOutput);

}  // namespace cotangent
