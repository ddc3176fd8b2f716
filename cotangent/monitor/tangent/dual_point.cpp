#include "cotangent/monitor/tangent/dual_point.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

using Numbers = std::vector<Tangents>;

// How far numbers may differ that are the same up to rounding: by half of their digits, because momenta may be much
// smaller than the impulses of constraints that they are the sums of. Numbers of another chart differ by more.
template <class T>
double rounding(const std::vector<T>& y) {
  return std::sqrt(epsilon<double>()) * static_cast<double>(largest_of(y));
}

template <class T>
bool is_same(const std::vector<T>& y, const Numbers& x) {
  return std::equal(y.begin(), y.end(), x.begin(), x.end(), [distance = rounding(y)](const T& a, const Tangents& b) {
    return std::abs(b.value - static_cast<double>(a)) <= distance;
  });
}

// Sets the values of x to those of y. Whether they were the same before.
template <class T>
bool set_values(const std::vector<T>& y, const std::vector<T>& y_low, Numbers& x, Numbers& x_low) {
  const double distance = rounding(y);
  bool same = true;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const auto value = static_cast<double>(y[j]);
    same = same && std::abs(x[j].value - value) <= distance;
    x[j].value = value;
    x_low[j].value = static_cast<double>((y[j] - static_cast<T>(value)) + y_low[j]);
  }
  return same;
}

}  // namespace

template <class T>
bool set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w) {
  bool same = set_values(z.q, z.q_low, w.q, w.q_low);
  same &= set_values(z.p, z.p_low, w.p, w.p_low);
  same &= set_values(z.s, z.s_low, w.s, w.s_low);
  w.t = static_cast<double>(z.t);
  w.t_low = static_cast<double>((z.t - static_cast<LaneOf<T>>(w.t)) + z.t_low);
  return same;
}

template <class T>
void set_values(const Point<T>& z, Point<Tangents>& w) {
  const OwnVariables<T>& from = z.own();
  OwnVariables<Tangents>& own = w.own();
  const bool owns = own.is_current && from.is_current && is_same(from.q, own.q) && is_same(from.p, own.p);
  if (!set_values(z.state(), w.adjust())) w.forget();
  w.trajectory().counts = z.trajectory().counts;
  own.is_current = owns;
  if (!owns) return;
  set_values(from.q, from.q_low, own.q, own.q_low);
  set_values(from.p, from.p_low, own.p, own.p_low);
}

template <class T>
PhasePoint<Tangents> dual_point(const PhasePoint<T>& z) {
  PhasePoint<Tangents> w(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  set_values(z, w);
  return w;
}

#define COTANGENT_FUNCTIONS(T)                                           \
  template bool set_values(const PhasePoint<T>&, PhasePoint<Tangents>&); \
  template void set_values(const Point<T>&, Point<Tangents>&);           \
  template PhasePoint<Tangents> dual_point(const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
