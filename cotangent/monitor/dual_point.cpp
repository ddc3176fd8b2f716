#include "cotangent/monitor/dual_point.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

// Values that differ by more than this are not those of the same point up to rounding.
constexpr double kSame = 1e-13;
// Momenta may be much smaller than the impulses that they are the sums of: those of the constraints of a long chain.
constexpr double kSameMomenta = 1e-11;
// Variables of a formulation that differ by more are those of another chart.
constexpr double kAlike = 1e-8;

bool is_near(double a, double b, double distance) { return std::abs(a - b) <= distance; }

// Sets the values of x to those of y. Whether they were the same before, up to rounding.
template <class T>
bool set_values(const std::vector<T>& y, const std::vector<T>& y_low, std::vector<Tangents>& x,
                std::vector<Tangents>& x_low, double near = kSame) {
  const double distance = near * static_cast<double>(largest_of(y));
  bool same = true;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const auto value = static_cast<double>(y[j]);
    same = same && is_near(x[j].value, value, distance);
    x[j].value = value;
    x_low[j].value = static_cast<double>((y[j] - static_cast<T>(value)) + y_low[j]);
  }
  return same;
}

}  // namespace

template <class T>
bool is_alike(const std::vector<T>& y, const std::vector<Tangents>& x) {
  if (x.size() != y.size()) return false;
  const double size = static_cast<double>(largest_of(y));
  for (std::size_t j = 0; j < y.size(); ++j)
    if (!is_near(x[j].value, static_cast<double>(y[j]), kAlike * size)) return false;
  return true;
}

template <class T>
bool set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w) {
  bool same = set_values(z.q, z.q_low, w.q, w.q_low);
  same &= set_values(z.p, z.p_low, w.p, w.p_low, kSameMomenta);
  same &= set_values(z.s, z.s_low, w.s, w.s_low);
  w.t = static_cast<double>(z.t);
  w.t_low = static_cast<double>((z.t - static_cast<LaneOf<T>>(w.t)) + z.t_low);
  return same;
}

template <class T>
void set_values(const Point<T>& z, Point<Tangents>& w) {
  const OwnVariables<T>& from = z.own();
  OwnVariables<Tangents>& own = w.own();
  const bool was_current = own.is_current;
  if (!set_values(z.state(), w.adjust())) w.forget();
  w.trajectory().counts = z.trajectory().counts;
  // Variables of another chart are of no use here.
  own.is_current = was_current && from.is_current && is_alike(from.q, own.q) && is_alike(from.p, own.p);
  if (!own.is_current) return;
  set_values(from.q, from.q_low, own.q, own.q_low);
  set_values(from.p, from.p_low, own.p, own.p_low);
}

template <class T>
PhasePoint<Tangents> dual_point(const PhasePoint<T>& z) {
  PhasePoint<Tangents> w(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  static_cast<void>(set_values(z, w));
  return w;
}

#define COTANGENT_FUNCTIONS(T)                                                 \
  template bool is_alike(const std::vector<T>&, const std::vector<Tangents>&); \
  template bool set_values(const PhasePoint<T>&, PhasePoint<Tangents>&);       \
  template void set_values(const Point<T>&, Point<Tangents>&);                 \
  template PhasePoint<Tangents> dual_point(const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
