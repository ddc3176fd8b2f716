#include "cotangent/integrator/runge_kutta/explicit_rk.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/interruptible.hpp"

namespace cotangent {

namespace {

using Weights = std::vector<Quad>;

// Orthonormal weights of elementary differentials, those of lower order first, as many as there are stages: 1, c, ...
std::vector<Weights> elementary_weights(const std::vector<Weights>& a, std::size_t stages) {
  const auto dot = [&](const Weights& x, const Weights& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), Quad(0));
  };
  Weights c(stages, 0);
  for (std::size_t i = 0; i < stages; ++i) c[i] = std::accumulate(a[i].begin(), a[i].end(), Quad(0));
  std::vector<Weights> given{Weights(stages, 1)}, found;
  for (std::size_t next = 0; next < given.size() && found.size() < stages; ++next) {
    Weights by_c = given[next], by_a(stages, 0), rest = given[next];
    for (std::size_t i = 0; i < stages; ++i) {
      by_c[i] *= c[i];
      for (std::size_t j = 0; j < std::min(i, a[i].size()); ++j) by_a[i] += a[i][j] * given[next][j];
    }
    const Quad size = dot(rest, rest), nothing = static_cast<Quad>(1e-20) * size;
    for (const Weights& w : found) {
      const Quad along = dot(w, rest);
      for (std::size_t i = 0; i < stages; ++i) rest[i] -= along * w[i];
    }
    const Quad left = dot(rest, rest);
    if (!(left > nothing)) continue;  // and so is all that is made of it
    for (Quad& x : rest) x /= sqrt(left);
    found.push_back(rest);
    given.push_back(by_c);
    given.push_back(by_a);
  }
  return found;
}

}  // namespace

template <class T>
typename ExplicitRungeKutta<T>::Terms ExplicitRungeKutta<T>::terms(const std::vector<Quad>& weights) {
  Terms result;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0) result.push_back({i, static_cast<Number>(weights[i])});
  return result;
}

template <class T>
ExplicitRungeKutta<T>::ExplicitRungeKutta(MethodFacts facts, const ExplicitTableau& tableau,
                                          std::unique_ptr<Formulation<T>> formulation)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)),
      b_(terms(tableau.b)),
      error_(terms(tableau.error)),
      coarse_error_(terms(tableau.coarse_error)) {
  for (const auto& row : tableau.a) {
    a_.push_back(terms(row));
    c_.push_back(static_cast<Number>(std::accumulate(row.begin(), row.end(), Quad(0))));
  }
  if (!this->formulation().is_physical()) return;
  auto weights = elementary_weights(tableau.a, stages_of(b_));
  if (weights.size() < 2) return;
  Quad along_c = 0;
  for (std::size_t i = 0; i < weights[1].size(); ++i)
    along_c += weights[1][i] * std::accumulate(tableau.a[i].begin(), tableau.a[i].end(), Quad(0));
  for (Quad& w : weights[1]) w /= 2 * along_c;
  for (std::size_t k = 1; k < weights.size(); ++k) embedded_.push_back(terms(weights[k]));
}

template <class T>
void ExplicitRungeKutta<T>::tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) {
  is_estimating_ = !error_.empty();
  norm_ = ErrorNorm<T>(tolerance, noise);
}

// A trajectory alone either makes its step or stays as it is: that needs no other point.
template <class T>
StepReport<T> ExplicitRungeKutta<T>::advance(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) {
  if (lane_count < T >> 1 || !this->formulation().is_physical()) return FieldIntegrator<T>::advance(z, h, steps, done);
  this->formulation().set_step(h);
  const auto make = [&] {
    this->formulation().begin_step(z, z.own());
    PhasePoint<T>& state = z.change();
    return step_variables(state, h, Point<T>::nothing(), z.remember(this->id()));
  };
  return this->repeat(make, steps, done);
}

template <class T>
void ExplicitRungeKutta<T>::begin(const PhasePoint<T>& z) {
  const std::array parts{&z.q, &z.p, &z.s};
  std::size_t size = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    first_[i] = size;
    size += parts[i]->size();
  }
  first_.back() = size;
  if (x_.size() != size) {
    x_.assign(size, T(0));
    joined_ = increment_ = end_ = distance_ = x_;
    rates_.assign(a_.size() * size, T(0));
  }
  // A point that has states only is one vector already.
  const bool is_one = z.q.empty();
  begin_ = is_one ? z.s.data() : joined_.data();
  for (std::size_t i = 0; i < parts.size() && !is_one; ++i)
    std::copy(parts[i]->begin(), parts[i]->end(), joined_.data() + first_[i]);
}

// x <- from + h sum_i w_i k_i, from zero if there is nothing to start from: all terms of a vector of components at a
// time, in registers.
template <class T>
void ExplicitRungeKutta<T>::add_up(const T* from, Number h, const Terms& terms, std::vector<T>& x) {
  const std::size_t size = x.size();
  hw_.clear();
  for (const Term& term : terms) hw_.emplace_back(h * term.weight);
  for_packs<T>(size, [&]<class V>(V sum, std::size_t k) {
    if (from) sum = load<V>(from + k);
    for (std::size_t i = 0; i < terms.size(); ++i) sum += hw_[i] * load<V>(&rates_[terms[i].stage * size + k]);
    store(sum, &x[k]);
  });
}

template <class T>
void ExplicitRungeKutta<T>::embedded(std::size_t k, T* d) {
  add_up(nullptr, last_h_, embedded_[k], distance_);
  std::copy(distance_.begin(), distance_.end(), d);
}

// In units of what is tolerated, for the worst of q, p and s.
template <class T>
T ExplicitRungeKutta<T>::estimate(Number h) {
  for (std::size_t k = 0; k < end_.size(); ++k) end_[k] = begin_[k] + increment_[k];
  std::array<T, 3> errors, coarse_errors;
  const auto measure = [&](const Terms& terms, std::array<T, 3>& norms) {
    add_up(nullptr, h, terms, distance_);
    for (std::size_t i = 0; i < norms.size(); ++i) {
      norms[i] = norm_(i, part(distance_.data(), i), part(begin_, i), part(end_.data(), i));
    }
  };
  measure(error_, errors);
  if (coarse_error_.empty()) return max(max(errors[0], errors[1]), errors[2]);
  measure(coarse_error_, coarse_errors);
  T worst(0);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const T error = errors[i], coarse = coarse_errors[i], ratio = coarse / error;
    const T combined = select(error > T(0), error / sqrt(T(1) + ratio * ratio / T(100)), T(0));
    worst = max(worst, select(isfinite(coarse), combined, T(infinity<T>())));
  }
  return worst;
}

template <class T>
StepReport<T> ExplicitRungeKutta<T>::step_variables(PhasePoint<T>& z, Number h, const Memory<T>& /*before*/,
                                                    Memory<T>& /*after*/) {
  begin(z);
  last_h_ = h;
  const auto& [q, p, s, size] = first_;
  const std::size_t stages =
      is_estimating_ ? std::max({stages_of(b_), stages_of(error_), stages_of(coarse_error_)}) : stages_of(b_);
  StepReport<T> report;
  for (std::size_t i = 0; i < stages; ++i) {
    check_interruption();
    const T* x = a_[i].empty() ? begin_ : x_.data();
    if (!a_[i].empty()) add_up(begin_, h, a_[i], x_);
    T* rate = rates_.data() + i * size;
    ++report.evaluations;
    this->note_failure(
        report, this->formulation().field({x + q, x + p, x + s, T(z.t + h * c_[i])}, rate + q, rate + p, rate + s));
    if (!any(report.ok)) return report;
  }
  add_up(nullptr, h, b_, increment_);
  Mask<T> finite(true);
  for (const T& x : increment_) finite = finite & isfinite(x);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
    if (!any(report.ok)) return report;
  }
  if (is_estimating_) report.error = estimate(h);

  this->add_increment(report.ok, part(increment_.data(), 0), z.q, z.q_low);
  this->add_increment(report.ok, part(increment_.data(), 1), z.p, z.p_low);
  this->add_increment(report.ok, part(increment_.data(), 2), z.s, z.s_low);
  z.advance_time(h);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, ExplicitRungeKutta);

}  // namespace cotangent
