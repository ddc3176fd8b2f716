#include "cotangent/integrator/taylor/taylor.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

constexpr int kLeastOrder = 4;
// A proposed step, in units of the one that would do.
constexpr double kSafety = 0.9;
// A motion that meets more pieces than that in a step slides along the end of one, to and fro.
constexpr int kMostPieces = 16;

// Whether x is the beginning of a series.
template <class T>
bool begins(const std::vector<T>& x, const std::vector<T>& series) {
  if (series.size() < x.size()) return false;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (!all(x[j] == series[j])) return false;
  return true;
}

// x^n by squaring, n > 0.
template <class T>
T power_of(T x, int n) {
  T power(1);
  for (; n > 1; n /= 2, x *= x)
    if (n % 2 == 1) power *= x;
  return power * x;
}

}  // namespace

int taylor_order(double tolerance) {
  return std::max(kLeastOrder, static_cast<int>(std::ceil(1 - 0.75 * std::log(tolerance))));
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
void Taylor<T>::find(Known& known, const PhasePoint<T>& z) {
  if (in_series_ == &known) return;
  series_.find(z, known.c);
  in_series_ = &known;
}

template <class T>
auto Taylor<T>::at(const PhasePoint<T>& z) -> Known& {
  // A recording must not depend on what was found before.
  if constexpr (!std::is_same_v<T, Traced>) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      Known& known = known_[i];
      if (!known.is_known || known.t != z.t || !begins(z.q, known.c.q) || !begins(z.p, known.c.p) ||
          !begins(z.s, known.c.s))
        continue;
      last_ = i;
      return known;
    }
  }
  last_ = 1 - last_;
  Known& known = known_[last_];
  known.t = z.t;
  known.is_known = true;
  in_series_ = nullptr;
  find(known, z);
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
void Taylor<T>::add(const MotionCoefficients<T>& c, const T& h, const PhasePoint<T>& z, PhasePoint<T>& x,
                    StepReport<T>& report) const {
  Mask<T> finite(true);
  const auto go = [&](const std::vector<T>& series, const std::vector<T>& from, const std::vector<T>& from_low,
                      std::vector<T>& to, std::vector<T>& low) {
    const std::size_t size = from.size();
    for_packs<T>(size, [&]<class V>(V value, std::size_t j) {
      const T* last = series.data() + static_cast<std::size_t>(series_.order()) * size + j;
      for (int k = series_.order(); k > 0; --k, last -= size) value = fma(value, V(h), cotangent::load<V>(last));
      value = value * V(h);
      if constexpr (std::is_same_v<V, T>) {
        finite = finite & isfinite(value);
      } else {
        finite = finite & all(isfinite(value));
      }
      V rest = cotangent::load<V>(&from_low[j]);
      cotangent::store(add_compensated(cotangent::load<V>(&from[j]), value, rest), &to[j]);
      cotangent::store(rest, &low[j]);
    });
  };
  go(c.q, z.q, z.q_low, x.q, x.q_low);
  go(c.p, z.p, z.p_low, x.p, x.p_low);
  go(c.s, z.s, z.s_low, x.s, x.s_low);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
}

// Of z_K h_0, z_{K-1} h_1, ..., each for the worst of q, p and s, squared.
template <class T>
template <std::size_t N>
std::array<T, N> Taylor<T>::squares(const MotionCoefficients<T>& c, const std::array<T, N>& h,
                                    const PhasePoint<T>& begin, const PhasePoint<T>& end) const {
  std::array<T, N> worst;
  worst.fill(T(0));
  const auto look = [&](std::size_t kind, const std::vector<T>& series, const std::vector<T>& x,
                        const std::vector<T>& X) {
    if (x.empty()) return;
    std::array<const T*, N> rows;
    for (std::size_t i = 0; i < N; ++i)
      rows[i] = series.data() + (static_cast<std::size_t>(series_.order()) - i) * x.size();
    const auto of_kind = norm_.template squares<N>(kind, rows, h, x, X);
    for (std::size_t i = 0; i < N; ++i) worst[i] = max(worst[i], of_kind[i]);
  };
  look(0, c.q, begin.q, end.q);
  look(1, c.p, begin.p, end.p);
  look(2, c.s, begin.s, end.s);
  return worst;
}

template <class T>
T Taylor<T>::estimate(const MotionCoefficients<T>& c, const T& h, const PhasePoint<T>& begin,
                      const PhasePoint<T>& end) const {
  // Not of the first coefficient.
  std::array<T, kLooked> h_j{};
  const int first = std::max(2, series_.order() - static_cast<int>(kLooked) + 1);
  T power = power_of(h, first);
  for (int j = first; j <= series_.order(); ++j, power *= h) {
    const auto from_last = static_cast<std::size_t>(series_.order() - j);
    h_j[from_last] = power * factors_[from_last];
  }
  T worst(0);
  for (const T& each : squares<kLooked>(c, h_j, begin, end)) worst = max(worst, each);
  return sqrt(worst);
}

template <class T>
LaneOf<T> Taylor<T>::propose_length(const PhasePoint<T>& z, LaneOf<T> longest) {
  const Known& known = at(z);
  if (!any(known.c.report.ok)) return longest;
  const auto K = static_cast<std::size_t>(series_.order());
  if (from_.q.size() != z.q.size() || from_.s.size() != z.s.size()) from_ = z;
  // h^j is one over the size, for the worst j. It chooses a length: more digits than those of a double are of no use.
  const auto length = [&](LaneOf<T> h) {
    const auto move = [&](const std::vector<T>& x, const std::vector<T>& series, std::vector<T>& X) {
      for (std::size_t j = 0; j < x.size(); ++j) X[j] = x[j] + T(h) * series[x.size() + j];
    };
    move(z.q, known.c.q, from_.q);
    move(z.p, known.c.p, from_.p);
    move(z.s, known.c.s, from_.s);
    const auto found = squares<kLooked>(known.c, factors_, z, from_);
    double logarithm = -infinity<double>();
    for (std::size_t i = 0; i < std::min(kLooked, K); ++i)
      logarithm = std::max(logarithm,
                           std::log2(static_cast<double>(max_over_lanes(found[i]))) / (2 * static_cast<double>(K - i)));
    return min(abs(longest), static_cast<LaneOf<T>>(kSafety * std::exp2(-logarithm)));
  };
  // Sizes at the end of the step enter by their K-th root. Mostly it is about as long as the one before, which is a
  // fifth of the longest one; if not, a second round is enough.
  const LaneOf<T> guess = abs(longest) / 5;
  LaneOf<T> h = length(guess);
  if (!(h <= 2 * guess && guess <= 2 * h)) h = length(length(h));
  return longest < 0 ? -h : h;
}

template <class T>
StepReport<T> Taylor<T>::go(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& x, bool is_estimating) {
  Known& known = at(z);
  const MotionCoefficients<T>* c = &known.c;
  if (series_.has_pieces()) find(known, z);
  StepReport<T> report = c->report;
  x.t = z.t;
  x.t_low = z.t_low;
  if (!any(report.ok)) return report;
  const PhasePoint<T>* from = &z;
  T left(h), gone(0);
  for (int piece = 0;; ++piece) {
    const T part = whole_piece(T(z.t) + gone, left, piece);
    add(*c, part, *from, x, report);
    if (is_estimating && any(report.ok))
      report.error = piece < kMostPieces ? max(report.error, estimate(*c, part, *from, x)) : T(infinity<T>());
    left = select(part == left, T(0), left - part);
    gone = gone + part;
    if (!any(report.ok & !(left == T(0)))) break;
    from_ = x;
    from = &from_;
    series_.find({x.q.data(), x.p.data(), x.s.data(), T(z.t) + gone}, next_);
    in_series_ = nullptr;
    c = &next_;
    report.evaluations += c->report.evaluations;
    if (c->report.status != StepStatus::ok) {
      report.status = c->report.status;
      report.row = c->report.row;
      report.ok = report.ok & c->report.ok;
      if (!any(report.ok)) break;
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
  x = z;
  return go(z, h, x, false);
}

COTANGENT_INSTANTIATE(NUMBERS, Taylor);

}  // namespace cotangent
