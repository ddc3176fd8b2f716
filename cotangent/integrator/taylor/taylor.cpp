#include "cotangent/integrator/taylor/taylor.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

constexpr int kLeastOrder = 4;
// A proposed step, in units of the one that would do.
constexpr double kSafety = 0.9;
// A motion that meets more pieces than that in a step slides along the end of one, to and fro.
constexpr int kMostPieces = 16;

// h with size h^j = 1. It chooses a length: more digits than those of a double are of no use.
template <class T>
LaneOf<T> length(const T& size, int j) {
  return static_cast<LaneOf<T>>(std::pow(static_cast<double>(max_over_lanes(size)), -1.0 / j));
}

template <class T>
bool is_same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t j = 0; j < a.size(); ++j)
    if (!all(a[j] == b[j])) return false;
  return true;
}

}  // namespace

int taylor_order(double tolerance) {
  return std::max(kLeastOrder, static_cast<int>(std::ceil(1 - std::log(tolerance) / 2)));
}

template <class T>
Taylor<T>::Taylor(MethodFacts facts, Manifold<T>& manifold, int order)
    : Integrator<T>(std::move(facts)), series_(manifold, order) {}

template <class T>
void Taylor<T>::tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) {
  is_estimating_ = true;
  const int K = series_.order();
  for (std::size_t i = 0; i < factors_.size(); ++i)
    factors_[i] = T(static_cast<LaneOf<T>>(std::pow(tolerance.relative, static_cast<double>(i) / K)));
  norm_ = ErrorNorm<T>(tolerance, noise);
}

template <class T>
void Taylor<T>::find(Known& known) {
  if (in_series_ == &known) return;
  series_.find({known.q.data(), known.p.data(), known.s.data(), T(known.t)}, known.c);
  in_series_ = &known;
}

template <class T>
auto Taylor<T>::at(const PhasePoint<T>& z) -> Known& {
  // A recording must not depend on what was found before.
  if constexpr (!std::is_same_v<T, Traced>) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      Known& known = known_[i];
      if (!known.is_known || known.t != z.t || !is_same(known.q, z.q) || !is_same(known.p, z.p) ||
          !is_same(known.s, z.s))
        continue;
      last_ = i;
      return known;
    }
  }
  last_ = 1 - last_;
  Known& known = known_[last_];
  known.q = z.q;
  known.p = z.p;
  known.s = z.s;
  known.t = z.t;
  known.is_known = true;
  in_series_ = nullptr;
  find(known);
  return known;
}

// How far beyond the end of a piece a step goes, so that rounding errors do not leave it on the near side. A motion
// that slides goes farther each time, to get on: it is followed to first order.
template <class T>
T Taylor<T>::overshoot(const T& t, const T& h, int piece) const {
  const int doublings = std::max(0, piece - kMostPieces);
  return T(16 * epsilon<T>() * static_cast<LaneOf<T>>(std::ldexp(1.0, doublings))) * max(abs(t), abs(h));
}

// As much of a step from t as the pieces of the point that the series was found for last.
template <class T>
T Taylor<T>::whole_piece(const T& t, const T& h, int piece) const {
  if (!series_.has_pieces()) return h;
  const T change = series_.first_change(h), beyond = overshoot(t, h, piece);
  const T length = min(abs(change) + beyond, abs(h));
  const T part = select(abs(h) - length <= T(2) * beyond, abs(h), length);
  return select(h < T(0), -part, part);
}

template <class T>
void Taylor<T>::add(const MotionCoefficients<T>& c, const T& h, PhasePoint<T>& x, StepReport<T>& report) {
  Mask<T> finite(true);
  const auto sum = [&](const std::vector<T>& series, std::size_t size, std::size_t j) {
    T value(0);
    for (int k = series_.order(); k > 0; --k) value = fma(value, h, series[static_cast<std::size_t>(k) * size + j]);
    value *= h;
    finite = finite & isfinite(value);
    return value;
  };
  const auto go = [&](const std::vector<T>& series, std::vector<T>& to, std::vector<T>& low) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = add_compensated(to[j], sum(series, to.size(), j), low[j]);
  };
  go(c.q, x.q, x.q_low);
  go(c.p, x.p, x.p_low);
  go(c.s, x.s, x.s_low);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
}

// Of |z_j| power: for the worst of q, p and s.
template <class T>
T Taylor<T>::size(const MotionCoefficients<T>& c, int j, const T& power, const PhasePoint<T>& begin,
                  const PhasePoint<T>& end) {
  T worst(0);
  std::size_t kind = 0;
  for (const auto& [series, x, X] :
       {std::tuple{&c.q, &begin.q, &end.q}, {&c.p, &begin.p, &end.p}, {&c.s, &begin.s, &end.s}}) {
    const std::size_t n = x->size();
    const T* from = series->data() + static_cast<std::size_t>(j) * n;
    term_.resize(std::max(term_.size(), n));
    for (std::size_t i = 0; i < n; ++i) term_[i] = from[i] * power;
    worst = max(worst, norm_(kind++, {term_.data(), n}, *x, *X));
  }
  return worst;
}

template <class T>
T Taylor<T>::estimate(const MotionCoefficients<T>& c, const T& h, const PhasePoint<T>& begin,
                      const PhasePoint<T>& end) {
  const int K = series_.order();
  T h_j = h, worst(0);
  for (int j = 2; j <= K; ++j) {
    h_j *= h;
    const auto from_last = static_cast<std::size_t>(K - j);
    if (from_last < factors_.size()) worst = max(worst, size(c, j, h_j, begin, end) * factors_[from_last]);
  }
  return worst;
}

template <class T>
LaneOf<T> Taylor<T>::propose_length(const PhasePoint<T>& z, LaneOf<T> longest) {
  const Known& known = at(z);
  if (!any(known.c.report.ok)) return longest;
  const int K = series_.order();
  from_ = z;
  LaneOf<T> h = 0;
  // Sizes enter by their K-th root: three rounds are enough, and the last term for the first two.
  for (const int looked : {1, 1, 3}) {
    const auto move = [&](const std::vector<T>& x, const std::vector<T>& series, std::vector<T>& X) {
      for (std::size_t j = 0; j < x.size(); ++j) X[j] = x[j] + T(h) * series[x.size() + j];
    };
    move(z.q, known.c.q, from_.q);
    move(z.p, known.c.p, from_.p);
    move(z.s, known.c.s, from_.s);
    h = abs(longest);
    for (int i = 0; i < std::min(looked, K); ++i)
      h = min(h, static_cast<LaneOf<T>>(kSafety) *
                     length<T>(size(known.c, K - i, T(1), z, from_) * factors_[static_cast<std::size_t>(i)], K - i));
  }
  return longest < 0 ? -h : h;
}

template <class T>
StepReport<T> Taylor<T>::go(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& x, bool is_estimating) {
  Known& known = at(z);
  const MotionCoefficients<T>* c = &known.c;
  if (series_.has_pieces()) find(known);
  x = z;
  StepReport<T> report = c->report;
  T left(h), gone(0);
  for (int piece = 0; any(report.ok); ++piece) {
    const T part = whole_piece(T(z.t) + gone, left, piece);
    if (is_estimating) from_ = x;
    add(*c, part, x, report);
    if (is_estimating && any(report.ok))
      report.error = piece < kMostPieces ? max(report.error, estimate(*c, part, from_, x)) : T(infinity<T>());
    left = select(part == left, T(0), left - part);
    gone = gone + part;
    if (!any(report.ok & !(left == T(0)))) break;
    series_.find({x.q.data(), x.p.data(), x.s.data(), T(z.t) + gone}, next_);
    in_series_ = nullptr;
    c = &next_;
    report.evaluations += c->report.evaluations;
    if (c->report.status != StepStatus::ok) {
      report.status = c->report.status;
      report.row = c->report.row;
      report.ok = report.ok & c->report.ok;
    }
  }
  x.advance_time(h);
  return report;
}

template <class T>
StepReport<T> Taylor<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report = go(z, h, end.adjust(), is_estimating_);
  if (any(report.ok) && !all(report.ok)) take_lanes(!report.ok, z.state(), end.adjust());
  return report;
}

template <class T>
StepReport<T> Taylor<T>::within(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& x) {
  return go(z, h, x, false);
}

COTANGENT_INSTANTIATE(NUMBERS, Taylor);

}  // namespace cotangent
