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
void set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w) {
  bool same = set_values(z.q, z.q_low, w.q, w.q_low);
  same &= set_values(z.p, z.p_low, w.p, w.p_low, kSameMomenta);
  same &= set_values(z.s, z.s_low, w.s, w.s_low);
  w.t = static_cast<double>(z.t);
  w.t_low = static_cast<double>((z.t - static_cast<LaneOf<T>>(w.t)) + z.t_low);
  w.memory.counts = z.memory.counts;
  const bool owned = w.own.revision == w.revision;
  if (!same) w.touch();
  if (!owned) return;
  // Variables of another chart are of no use here.
  const bool follows = z.own.revision == z.revision && is_alike(z.own.q, w.own.q) && is_alike(z.own.p, w.own.p);
  if (!follows) {
    w.own.revision = 0;
    return;
  }
  set_values(z.own.q, z.own.q_low, w.own.q, w.own.q_low);
  set_values(z.own.p, z.own.p_low, w.own.p, w.own.p_low);
  w.own.revision = w.revision;
}

template <class T>
PhasePoint<Tangents> dual_point(const PhasePoint<T>& z) {
  PhasePoint<Tangents> w(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  set_values(z, w);
  return w;
}

#define COTANGENT_FUNCTIONS(T)                                                 \
  template bool is_alike(const std::vector<T>&, const std::vector<Tangents>&); \
  template void set_values(const PhasePoint<T>&, PhasePoint<Tangents>&);       \
  template PhasePoint<Tangents> dual_point(const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
