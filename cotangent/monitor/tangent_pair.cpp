#include "cotangent/monitor/tangent_pair.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Vectors are left alone until the product of their lengths is so many times the area they span, or one of them so many
// times as long as the other.
constexpr double kSlender = 8;

using Numbers = std::vector<Tangents>;

// Products of derivatives beyond this are not numbers.
constexpr double kLargest = 1e150;

double derivative(const Numbers& x, const Numbers& low, std::size_t j, int i) { return x[j].d[i] + low[j].d[i]; }

}  // namespace

TangentPair::Gram TangentPair::gram() const {
  const double per_q = 1 / q_unit_, per_p = 1 / p_unit_;
  Gram g{0, 0, 0, 0};
  // The wedge product is a difference: in parts that do not wait for each other, and do not lose what others round.
  constexpr std::size_t kParts = 4;
  long double wedge[kParts] = {};
  for (std::size_t j = 0; j < z_->q.size(); ++j) {
    const double q_1 = derivative(z_->q, z_->q_low, j, 0), q_2 = derivative(z_->q, z_->q_low, j, 1);
    const double p_1 = derivative(z_->p, z_->p_low, j, 0), p_2 = derivative(z_->p, z_->p_low, j, 1);
    const double x_1 = q_1 * per_q, x_2 = q_2 * per_q, y_1 = p_1 * per_p, y_2 = p_2 * per_p;
    g.first += x_1 * x_1 + y_1 * y_1;
    g.second += x_2 * x_2 + y_2 * y_2;
    g.mixed += x_1 * x_2 + y_1 * y_2;
    wedge[j % kParts] += static_cast<long double>(q_1) * p_2 - static_cast<long double>(p_1) * q_2;
  }
  g.wedge = is_in_impetus() ? cotangent::wedge(*this, 0, *this, 1)
                            : static_cast<double>((wedge[0] + wedge[1]) + (wedge[2] + wedge[3]));
  for (std::size_t j = 0; j < states_; ++j) {
    const double x_1 = derivative(z_->s, z_->s_low, j, 0) / s_unit_, x_2 = derivative(z_->s, z_->s_low, j, 1) / s_unit_;
    g.first += x_1 * x_1;
    g.second += x_2 * x_2;
    g.mixed += x_1 * x_2;
  }
  return g;
}

// The variables of a formulation go along if they are those of the point.
template <class F>
void TangentPair::change_all(const F& change) {
  using Z = PhasePoint<Tangents>;
  using Own = OwnVariables<Tangents>;
  Own& own = z_.own();
  const bool owns = own.is_current;
  Z& z = z_.change();
  for (const auto part : {&Z::q, &Z::p, &Z::s, &Z::q_low, &Z::p_low, &Z::s_low})
    change(z.*part, [part](const TangentPair& pair) -> const Numbers& { return pair.z_.state().*part; });
  for (const auto part : {&Own::q, &Own::p, &Own::q_low, &Own::p_low})
    change(own.*part, [part](const TangentPair& pair) -> const Numbers& { return pair.z_.own().*part; });
  change(z_.trajectory().numbers,
         [](const TangentPair& pair) -> const Numbers& { return pair.z_.trajectory().numbers; });
  own.is_current = owns;
}

void TangentPair::combine(double a, double b, double c) {
  change_all([&](Numbers& x, const auto& /*same_of*/) {
    for (Tangents& entry : x) {
      entry.d[1] = b * entry.d[0] + c * entry.d[1];
      entry.d[0] *= a;
    }
  });
}

void TangentPair::add(int i, double factor, const TangentPair& other, int k) {
  change_all([&](Numbers& x, const auto& same_of) {
    const Numbers& y = same_of(other);
    const std::size_t count = std::min(x.size(), y.size());
    for (std::size_t j = 0; j < count; ++j) x[j].d[i] += factor * y[j].d[k];
  });
  if (!other.z_.own().is_current) z_.own().is_current = false;
}

void TangentPair::scale(int i, double factor) {
  change_all([&](Numbers& x, const auto& /*same_of*/) {
    for (Tangents& entry : x) entry.d[i] *= factor;
  });
}

void TangentPair::drop_witnesses() {
  PhasePoint<Tangents>& z = z_.adjust();
  for (std::size_t j = states_; j < z.s.size(); ++j)
    for (const int i : {0, 1}) z.s[j].d[i] = z.s_low[j].d[i] = 0;
}

bool TangentPair::is_out_of_range() const {
  const auto is_large = [](const Numbers& x) {
    return std::any_of(x.begin(), x.end(), [](const Tangents& entry) {
      return !(std::abs(entry.d[0]) <= kLargest && std::abs(entry.d[1]) <= kLargest);
    });
  };
  const OwnVariables<Tangents>& own = z_.own();
  return is_large(z_->q) || is_large(z_->p) || is_large(z_->s) || is_large(z_.trajectory().numbers) ||
         (own.is_current && (is_large(own.q) || is_large(own.p)));
}

std::optional<int> TangentPair::balance(Gram& g) {
  const double first = g.first, second = g.second, mixed = g.mixed;
  const double area2 = first * second - mixed * mixed;
  const bool is_slender = !(first * second <= kSlender * kSlender * area2);
  const bool is_uneven = !(first <= kSlender * kSlender * second && second <= kSlender * kSlender * first);
  if (!is_slender && !is_uneven) return std::nullopt;
  if (!std::isfinite(first * second) || !(first > 0)) return std::nullopt;
  const double shear = -mixed / first;
  const double rest = std::max(second + shear * mixed, second * 1e-30);
  const int power = static_cast<int>(std::lround(0.25 * std::log2(first / rest)));
  const double scale = std::ldexp(1.0, -power);
  combine(scale, shear / scale, 1 / scale);
  g = gram();
  return power;
}

double wedge(const TangentPair& a, int i, const TangentPair& b, int k) {
  const Numbers &a_q = a.z_->q, &a_q_low = a.z_->q_low, &b_q = b.z_->q, &b_q_low = b.z_->q_low;
  const Numbers &a_p = a.momenta(), &a_p_low = a.momenta_low(), &b_p = b.momenta(), &b_p_low = b.momenta_low();
  // Sums that do not wait for each other.
  long double positive[2] = {0, 0}, negative[2] = {0, 0};
  for (std::size_t j = 0; j < a_q.size(); ++j) {
    positive[j % 2] += static_cast<long double>(derivative(a_q, a_q_low, j, i)) * derivative(b_p, b_p_low, j, k);
    negative[j % 2] += static_cast<long double>(derivative(a_p, a_p_low, j, i)) * derivative(b_q, b_q_low, j, k);
  }
  return static_cast<double>((positive[0] - negative[0]) + (positive[1] - negative[1]));
}

double inner(const TangentPair& a, int i, const TangentPair& b, int k) {
  const auto sum = [&](const Numbers& x, const Numbers& x_low, const Numbers& y, const Numbers& y_low, double unit,
                       std::size_t count) {
    double result = 0;
    for (std::size_t j = 0; j < count; ++j)
      result += (derivative(x, x_low, j, i) / unit) * (derivative(y, y_low, j, k) / unit);
    return result;
  };
  const PhasePoint<Tangents>&x = a.z_, &y = b.z_;
  return sum(x.q, x.q_low, y.q, y.q_low, a.q_unit_, x.q.size()) +
         sum(x.p, x.p_low, y.p, y.p_low, a.p_unit_, x.p.size()) + sum(x.s, x.s_low, y.s, y.s_low, a.s_unit_, a.states_);
}

}  // namespace cotangent
