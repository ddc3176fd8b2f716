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
  const double per_q = 1 / q_unit_, per_p = 1 / p_unit_;
  Gram g{0, 0, 0, 0};
  // The wedge product is a difference: in parts that do not wait for each other, and do not lose what others round.
  constexpr std::size_t kParts = 4;
  long double wedge[kParts] = {};
  for (std::size_t j = 0; j < z_.q.size(); ++j) {
    const double q_1 = derivative(z_.q, z_.q_low, j, 0), q_2 = derivative(z_.q, z_.q_low, j, 1);
    const double p_1 = derivative(z_.p, z_.p_low, j, 0), p_2 = derivative(z_.p, z_.p_low, j, 1);
    const double x_1 = q_1 * per_q, x_2 = q_2 * per_q, y_1 = p_1 * per_p, y_2 = p_2 * per_p;
    g.first += x_1 * x_1 + y_1 * y_1;
    g.second += x_2 * x_2 + y_2 * y_2;
    g.mixed += x_1 * x_2 + y_1 * y_2;
    wedge[j % kParts] += static_cast<long double>(q_1) * p_2 - static_cast<long double>(p_1) * q_2;
  }
  g.wedge = static_cast<double>((wedge[0] + wedge[1]) + (wedge[2] + wedge[3]));
  return g;
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
  const double first = g.first, second = g.second, mixed = g.mixed;
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
