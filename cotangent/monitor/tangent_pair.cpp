#include "cotangent/monitor/tangent_pair.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Vectors are left alone until the product of their lengths is so many times the area they span, or one of them so many
// times as long as the other.
constexpr double kSlender = 8;

using Numbers = std::vector<Tangents>;

double derivative(const Numbers& x, const Numbers& low, std::size_t j, int i) { return x[j].d[i] + low[j].d[i]; }

}  // namespace

TangentPair::Gram TangentPair::gram() const {
  Gram total{0, 0, 0};
  const auto add = [&](const Numbers& x, const Numbers& low, double unit) {
    const double per_unit = 1 / unit;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double first = derivative(x, low, j, 0) * per_unit, second = derivative(x, low, j, 1) * per_unit;
      total.first += first * first;
      total.second += second * second;
      total.mixed += first * second;
    }
  };
  add(z_.q, z_.q_low, q_unit_);
  add(z_.p, z_.p_low, p_unit_);
  return total;
}

void TangentPair::combine(double a, double b, double c) {
  const bool owns = z_.own.revision == z_.revision;
  const auto change = [&](Numbers& x) {
    for (Tangents& entry : x) {
      entry.d[1] = b * entry.d[0] + c * entry.d[1];
      entry.d[0] *= a;
    }
  };
  for (Numbers* x : {&z_.q, &z_.p, &z_.s, &z_.q_low, &z_.p_low, &z_.s_low}) change(*x);
  for (Numbers* x : {&z_.own.q, &z_.own.p, &z_.own.q_low, &z_.own.p_low}) change(*x);
  change(targets_);
  z_.touch();
  if (owns) z_.own.revision = z_.revision;
}

int TangentPair::balance(Gram& g) {
  const auto [first, second, mixed] = g;
  const double area2 = first * second - mixed * mixed;
  const bool is_slender = !(first * second <= kSlender * kSlender * area2);
  const bool is_uneven = !(first <= kSlender * kSlender * second && second <= kSlender * kSlender * first);
  if (!is_slender && !is_uneven) return 0;
  if (!std::isfinite(first * second) || !(first > 0)) return 0;
  const double shear = -mixed / first;
  const double rest = std::max(second + shear * mixed, second * 1e-30);
  const int power = static_cast<int>(std::lround(0.25 * std::log2(first / rest)));
  const double scale = std::ldexp(1.0, -power);
  combine(scale, shear / scale, 1 / scale);
  g = gram();
  return power;
}

double wedge(const TangentPair& a, int i, const TangentPair& b, int k) {
  const PhasePoint<Tangents>&x = a.point(), &y = b.point();
  // Sums that do not wait for each other.
  long double positive[2] = {0, 0}, negative[2] = {0, 0};
  for (std::size_t j = 0; j < x.q.size(); ++j) {
    positive[j % 2] += static_cast<long double>(derivative(x.q, x.q_low, j, i)) * derivative(y.p, y.p_low, j, k);
    negative[j % 2] += static_cast<long double>(derivative(x.p, x.p_low, j, i)) * derivative(y.q, y.q_low, j, k);
  }
  return static_cast<double>((positive[0] - negative[0]) + (positive[1] - negative[1]));
}

}  // namespace cotangent
