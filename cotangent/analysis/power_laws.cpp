#include "cotangent/analysis/power_laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cotangent {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLowest = -1, kHighest = 6;     // powers that are tried
constexpr double kNearest = 0.4, kFarthest = 4;  // k - j
constexpr double kResolution = 0.02;             // of ln E
constexpr double kLeastError = 0.01;             // of k
constexpr double kLargestVariance = 1;
constexpr double kSmall = 5,
                 kFar = 1;            // what grows over a lower power beside it, at the end, if k - j is less than kFar
constexpr double kDetermined = 1e-3;  // variance of k beyond which a law with a lower power weighs less
constexpr double kNextToLast = 0.02, kBefore = 4;  // (t_1 - t0)/t_1: t0 from just before t_1 to -3 t_1

// A t^j + c (t - t0)^k.
struct PowerLaw {
  double exponent = 0, factor = 0;  // k, c
  double begin = 0;                 // t0
  double lower = 0, offset = 0;     // j, A
  double squares = kInfinite;       // of relative deviations

  double rest(double t) const { return offset == 0 ? 0 : offset * std::pow(t, lower); }
  double growing(double t) const { return t > begin ? factor * std::pow(t - begin, exponent) : 0; }
  double operator()(double t) const { return rest(t) + growing(t); }

  // Mean square of deviations of ln E.
  double scatter(std::span<const EnvelopePoint> points) const {
    double sum = 0;
    for (const EnvelopePoint& point : points) sum += std::pow(std::log((*this)(point.t) / point.value), 2);
    return sum / static_cast<double>(points.size());
  }
};

// Which parameters a law has beside k and c.
struct Form {
  bool begin = false, offset = false, lower = false;

  std::size_t parameters() const { return 2U + begin + offset + lower; }
};
constexpr std::array kForms{Form{}, Form{.offset = true}, Form{.begin = true}, Form{.begin = true, .offset = true},
                            Form{.offset = true, .lower = true}};
constexpr std::size_t kMostParameters = 4;

// The x in [low, high] of least f: first on a grid, then by golden sections.
template <class F>
double least(double low, double high, int grid, int sections, const F& f) {
  const double width = (high - low) / grid;
  double x = low, value = kInfinite;
  for (int i = 0; i <= grid; ++i) {
    const double at = f(low + i * width);
    if (!(at < value)) continue;
    value = at;
    x = low + i * width;
  }
  constexpr double kGolden = 0.6180339887498949;
  double left = std::max(low, x - width), right = std::min(high, x + width);
  double p = right - kGolden * (right - left), q = left + kGolden * (right - left);
  double at_p = f(p), at_q = f(q);
  for (int i = 0; i < sections; ++i) {
    if (at_p < at_q) {
      right = q;
      q = p;
      at_q = at_p;
      p = right - kGolden * (right - left);
      at_p = f(p);
    } else {
      left = p;
      p = q;
      at_p = at_q;
      q = left + kGolden * (right - left);
      at_q = f(q);
    }
  }
  return (left + right) / 2;
}

// A, c >= 0 of the least sum of (1 - (A t^j + c (t - t0)^k)/E)^2.
PowerLaw fit_factors(std::span<const EnvelopePoint> points, PowerLaw law, bool has_offset) {
  double aa = 0, af = 0, ff = 0, a1 = 0, f1 = 0, n = 0;
  law.factor = 1;
  law.offset = has_offset ? 1 : 0;
  // Both are 1 at the last point.
  const double a_end = has_offset ? law.rest(points.back().t) : 1, f_end = law.growing(points.back().t);
  for (const EnvelopePoint& point : points) {
    const double a = law.rest(point.t) / (a_end * point.value), f = law.growing(point.t) / (f_end * point.value);
    aa += a * a;
    af += a * f;
    ff += f * f;
    a1 += a;
    f1 += f;
    n += 1;
  }
  const double offset = has_offset ? (ff * a1 - af * f1) / (aa * ff - af * af) : 0;
  const bool is_raised = offset > 0;
  const double factor = is_raised ? (aa * f1 - af * a1) / (aa * ff - af * af) : f1 / ff;
  law.offset = is_raised ? offset / a_end : 0;
  law.factor = factor / f_end;
  // What grows must have left the rest behind: a law of the last point alone is none.
  const bool is_near = law.lower > 0 && law.exponent - law.lower < kFar;
  const bool wins = factor > (is_raised ? (is_near ? kSmall : 1) * offset : 0);
  law.squares = wins ? n - (is_raised ? offset : 0) * a1 - factor * f1 : kInfinite;
  return law;
}

// k, A and c for the t0 of `law`, and j = k - gap where there is a gap.
PowerLaw fit_power(std::span<const EnvelopePoint> points, PowerLaw law, bool has_offset, double gap = 0) {
  const auto at = [&](double k) {
    law.exponent = k;
    law.lower = gap > 0 ? std::max(0., k - gap) : 0;
    return fit_factors(points, law, has_offset);
  };
  return at(least(kLowest, kHighest, 14, 14, [&](double k) { return at(k).squares; }));
}

PowerLaw fit_law(std::span<const EnvelopePoint> points, const Form& form) {
  constexpr int kGrid = 8, kSections = 10;
  PowerLaw law;
  if (form.begin) {
    // Where there is an offset growth may begin as late as at the fifth point from the end.
    const double latest = points[form.offset ? points.size() - 5 : 0].t;
    const auto at = [&](double u) {
      law.begin = latest * (1 - std::exp(u));
      return fit_power(points, law, form.offset);
    };
    return at(
        least(std::log(kNextToLast), std::log(kBefore), kGrid, kSections, [&](double u) { return at(u).squares; }));
  }
  if (form.lower) {
    const auto at = [&](double gap) { return fit_power(points, law, true, gap); };
    return at(least(kNearest, kFarthest, kGrid, kSections, [&](double gap) { return at(gap).squares; }));
  }
  return fit_power(points, law, form.offset);
}

using Square = std::array<std::array<double, kMostParameters>, kMostParameters>;

// Of the first m rows and columns of a positive matrix, by Gauss and Jordan.
Square inverse_of(Square matrix, std::size_t m) {
  Square inverse{};
  for (std::size_t a = 0; a < m; ++a) {
    matrix[a][a] = matrix[a][a] * (1 + 1e-9) + 1e-300;
    inverse[a][a] = 1;
  }
  for (std::size_t a = 0; a < m; ++a) {
    const double pivot = matrix[a][a];
    for (std::size_t b = 0; b < m; ++b) {
      matrix[a][b] /= pivot;
      inverse[a][b] /= pivot;
    }
    for (std::size_t r = 0; r < m; ++r) {
      if (r == a) continue;
      const double factor = matrix[r][a];
      for (std::size_t b = 0; b < m; ++b) {
        matrix[r][b] -= factor * matrix[a][b];
        inverse[r][b] -= factor * inverse[a][b];
      }
    }
  }
  return inverse;
}

// The variance of k. Without point i, of the residual r_i of ln E and the derivatives J_i by the parameters, these are
// less by (J^T J)^-1 J_i r_i/(1 - h_i), h_i = J_i^T (J^T J)^-1 J_i.
double jackknife(std::span<const EnvelopePoint> points, const PowerLaw& law, const Form& form) {
  constexpr double kLeastRest = 0.1;  // of 1 - h
  const std::size_t n = points.size(), m = form.parameters();
  std::vector<std::array<double, kMostParameters>> rows(n);
  Square normal{};
  for (std::size_t i = 0; i < n; ++i) {
    const double t = points[i].t, value = law(t), since = std::max(1e-9 * t, t - law.begin);
    const double part = law.growing(t) / value;
    std::size_t j = 0;
    rows[i][j++] = part * std::log(since / points.back().t);
    rows[i][j++] = part;
    if (form.begin) rows[i][j++] = -part * law.exponent * points.front().t / since;
    if (form.offset) rows[i][j++] = law.rest(t) / value;
    if (form.lower) rows[i][j++] = law.rest(t) / value * std::log(t / points.back().t);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) normal[a][b] += rows[i][a] * rows[i][b];
  }
  const Square inverse = inverse_of(normal, m);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double leverage = 0, change = 0;
    for (std::size_t a = 0; a < m; ++a) {
      change += inverse[0][a] * rows[i][a] * std::log(points[i].value / law(points[i].t));
      for (std::size_t b = 0; b < m; ++b) leverage += rows[i][a] * inverse[a][b] * rows[i][b];
    }
    sum += std::pow(change / std::max(kLeastRest, 1 - leverage), 2);
  }
  return sum * static_cast<double>(n - 1) / static_cast<double>(n);
}

// k of the second half less k of all.
double late_change(std::span<const EnvelopePoint> points, const PowerLaw& law) {
  std::vector<EnvelopePoint> late;
  for (const EnvelopePoint& point : points.subspan(points.size() / 2))
    if (const double rest = law.rest(point.t); point.value > 2 * rest) late.push_back({point.t, point.value - rest});
  return late.size() >= 3 ? fit_power(late, {.begin = law.begin}, false).exponent - law.exponent : 0;
}

struct Candidate {
  double exponent = 0, variance = 0, scatter = 0;
  double log_weight = -kInfinite;
};

Candidate candidate(std::span<const EnvelopePoint> points, const Form& form, double independent) {
  const PowerLaw law = fit_law(points, form);
  // Without an offset it is another form again.
  if (!std::isfinite(law.squares) || (form.offset && !(law.offset > 0))) return {};
  const double n = static_cast<double>(points.size()), p = static_cast<double>(form.parameters()) + 1;
  const double scatter = law.scatter(points);
  const double variance = jackknife(points, law, form) / independent + std::pow(late_change(points, law), 2);
  const double vague = form.lower ? std::log1p(variance / kDetermined) / 2 : 0;
  return {.exponent = law.exponent,
          .variance = variance < kLargestVariance ? variance : kLargestVariance,
          .scatter = std::sqrt(scatter),
          .log_weight = -independent * n / 2 * std::log(scatter + kResolution * kResolution) - p -
                        p * (p + 1) / std::max(0.5, n - p - 1) - vague};
}

}  // namespace

PowerFit fit_powers(std::span<const EnvelopePoint> points, double independent) {
  std::vector<Candidate> candidates;
  for (const Form& form : kForms)
    if (form.parameters() + 2 <= points.size()) candidates.push_back(candidate(points, form, independent));
  const Candidate best = *std::max_element(candidates.begin(), candidates.end(),
                                           [](const auto& a, const auto& b) { return a.log_weight < b.log_weight; });
  PowerFit result{.scatter = best.scatter};
  double sum = 0;
  const auto weight = [&](const Candidate& each) { return std::exp(each.log_weight - best.log_weight); };
  for (const Candidate& each : candidates) {
    sum += weight(each);
    result.exponent += weight(each) * each.exponent;
  }
  result.exponent /= sum;
  double variance = kLeastError * kLeastError;
  for (const Candidate& each : candidates)
    variance += weight(each) / sum * (each.variance + std::pow(each.exponent - result.exponent, 2));
  result.error = std::sqrt(variance);
  return result;
}

}  // namespace cotangent
