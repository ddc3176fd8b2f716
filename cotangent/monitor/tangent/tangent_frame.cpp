#include "cotangent/monitor/tangent/tangent_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace cotangent {
namespace {

using Numbers = std::vector<Tangents>;

double derivative(const Numbers& x, const Numbers& low, std::size_t j, std::size_t i) {
  return x[j].d[i] + low[j].d[i];
}

// All numbers of a point that have derivatives.
template <class Z>
auto parts_of(Z& point) {
  auto& z = [&]() -> auto& {
    if constexpr (std::is_const_v<Z>) {
      return point.state();
    } else {
      return point.adjust();
    }
  }
  ();
  auto& own = point.own();
  return std::array{&z.q,
                    &z.p,
                    &z.s,
                    &z.q_low,
                    &z.p_low,
                    &z.s_low,
                    &own.q,
                    &own.p,
                    &own.q_low,
                    &own.p_low,
                    &point.trajectory().numbers};
}

// The variables of a formulation go along if they are those of the point.
void forget_memory(Point<Tangents>& point) {
  const bool owns = point.own().is_current;
  point.forget();
  point.own().is_current = owns;
}

struct Momenta {
  const Numbers &p, &low;
};
Momenta momenta_of(const Point<Tangents>& z, bool has_impetus) {
  return has_impetus && z.own().is_current ? Momenta{z.own().p, z.own().p_low} : Momenta{z->p, z->p_low};
}

}  // namespace

std::vector<double> TangentFrame::vector(std::size_t i) const {
  const PhasePoint<Tangents>& z = points_[i / 2];
  std::vector<double> x;
  for (const Numbers* part : {&z.q, &z.p})
    for (const Tangents& entry : *part) x.push_back(entry.d[i % 2]);
  return x;
}

void TangentFrame::set(std::size_t i, const std::vector<double>& x) {
  PhasePoint<Tangents>& z = points_[i / 2].change();
  std::size_t at = 0;
  for (Numbers* part : {&z.q, &z.p, &z.s})
    for (Tangents& entry : *part)
      if (at < x.size()) entry.d[i % 2] = x[at++];
}

TangentFrame::Gram TangentFrame::gram(std::size_t point) const {
  const PhasePoint<Tangents>& z = points_[point];
  const double per_q = 1 / measure_.q, per_p = 1 / measure_.p;
  Gram g{0, 0, 0, 0};
  // The wedge product is a difference: in parts that do not wait for each other, and do not lose what others round.
  std::array<long double, 4> wedges{};
  for (std::size_t j = 0; j < z.q.size(); ++j) {
    const double q_1 = derivative(z.q, z.q_low, j, 0), q_2 = derivative(z.q, z.q_low, j, 1);
    const double p_1 = derivative(z.p, z.p_low, j, 0), p_2 = derivative(z.p, z.p_low, j, 1);
    const double x_1 = q_1 * per_q, x_2 = q_2 * per_q, y_1 = p_1 * per_p, y_2 = p_2 * per_p;
    g.first += x_1 * x_1 + y_1 * y_1;
    g.second += x_2 * x_2 + y_2 * y_2;
    g.mixed += x_1 * x_2 + y_1 * y_2;
    wedges[j % wedges.size()] += static_cast<long double>(q_1) * p_2 - static_cast<long double>(p_1) * q_2;
  }
  g.wedge = measure_.has_impetus && points_[point].own().is_current
                ? wedge(2 * point, 2 * point + 1)
                : static_cast<double>((wedges[0] + wedges[1]) + (wedges[2] + wedges[3])) / (measure_.q * measure_.p);
  for (std::size_t j = 0; j < measure_.states; ++j) {
    const double x_1 = derivative(z.s, z.s_low, j, 0) / measure_.s, x_2 = derivative(z.s, z.s_low, j, 1) / measure_.s;
    g.first += x_1 * x_1;
    g.second += x_2 * x_2;
    g.mixed += x_1 * x_2;
  }
  return g;
}

bool TangentFrame::is_in_shape(std::size_t point, const Gram& g) const {
  const auto is_long_or_short = [](double length2) {
    return !(length2 < kLong * kLong && length2 * kLong * kLong > 1);
  };
  if (is_long_or_short(g.first)) return false;
  if (2 * point + 1 == dimension_) return true;
  return !is_long_or_short(g.second) && g.first * g.second <= kLong * kLong * (g.first * g.second - g.mixed * g.mixed);
}

double TangentFrame::wedge(std::size_t i, std::size_t k) const {
  const Point<Tangents>&a = points_[i / 2], &b = points_[k / 2];
  const auto [a_p, a_p_low] = momenta_of(a, measure_.has_impetus);
  const auto [b_p, b_p_low] = momenta_of(b, measure_.has_impetus);
  // Sums that do not wait for each other.
  long double positive[2] = {0, 0}, negative[2] = {0, 0};
  for (std::size_t j = 0; j < a->q.size(); ++j) {
    positive[j % 2] +=
        static_cast<long double>(derivative(a->q, a->q_low, j, i % 2)) * derivative(b_p, b_p_low, j, k % 2);
    negative[j % 2] +=
        static_cast<long double>(derivative(a_p, a_p_low, j, i % 2)) * derivative(b->q, b->q_low, j, k % 2);
  }
  return static_cast<double>((positive[0] - negative[0]) + (positive[1] - negative[1])) / (measure_.q * measure_.p);
}

double TangentFrame::inner(std::size_t i, std::size_t k) const {
  const auto sum = [&](const Numbers& x, const Numbers& x_low, const Numbers& y, const Numbers& y_low, double unit,
                       std::size_t count) {
    double result = 0;
    for (std::size_t j = 0; j < count; ++j)
      result += (derivative(x, x_low, j, i % 2) / unit) * (derivative(y, y_low, j, k % 2) / unit);
    return result;
  };
  const PhasePoint<Tangents>&x = points_[i / 2], &y = points_[k / 2];
  return sum(x.q, x.q_low, y.q, y.q_low, measure_.q, x.q.size()) +
         sum(x.p, x.p_low, y.p, y.p_low, measure_.p, x.p.size()) +
         sum(x.s, x.s_low, y.s, y.s_low, measure_.s, measure_.states);
}

void TangentFrame::scale(std::size_t i, double factor) {
  forget_memory(points_[i / 2]);
  for (Numbers* x : parts_of(points_[i / 2]))
    for (Tangents& entry : *x) entry.d[i % 2] *= factor;
}

void TangentFrame::add(std::size_t i, double factor, const TangentFrame& other, std::size_t k) {
  Point<Tangents>& point = points_[i / 2];
  const Point<Tangents>& from = other.points_[k / 2];
  forget_memory(point);
  const auto x = parts_of(point);
  const auto y = parts_of(from);
  for (std::size_t part = 0; part < x.size(); ++part)
    for (std::size_t j = 0; j < std::min(x[part]->size(), y[part]->size()); ++j)
      (*x[part])[j].d[i % 2] += factor * (*y[part])[j].d[k % 2];
  if (!from.own().is_current) point.own().is_current = false;
}

std::size_t TangentFrame::orthonormalise(double* log_volume) {
  for (std::size_t i = 0; i < dimension_; ++i) {
    for (std::size_t k = 0; k < i; ++k) add(i, -inner(i, k), *this, k);
    const double length = std::sqrt(inner(i, i));
    if (!(length > 0) || !std::isfinite(length)) return i;
    if (log_volume) *log_volume += std::log(length);
    scale(i, 1 / length);
  }
  return dimension_;
}

void TangentFrame::drop_states(std::size_t begin, std::size_t end) {
  for (Point<Tangents>& point : points_)
    for (Numbers* part : {&point.adjust().s, &point.adjust().s_low})
      for (std::size_t j = begin; j < end; ++j) (*part)[j] = (*part)[j].value;
}

bool TangentFrame::is_out_of_range() const {
  const auto is_large = [](const Tangents& x) { return !std::isfinite(x.d[0] * x.d[0] + x.d[1] * x.d[1]); };
  for (const Point<Tangents>& point : points_)
    for (const Numbers* part : parts_of(point))
      if (std::any_of(part->begin(), part->end(), is_large)) return true;
  return false;
}

void TangentFrame::state(Archive& archive) {
  const std::size_t count = points_.size();
  archive("points", points_);
  if (points_.size() != count) archive.fail("the number of vectors is another one");
  archive("measure", measure_);
}

}  // namespace cotangent
