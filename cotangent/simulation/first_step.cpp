#include "cotangent/simulation/first_step.hpp"

#include <cmath>
#include <vector>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// The root of the mean square of x in units of what is tolerated of z. Kinds that are all zero say nothing.
template <class T>
T size(const PhasePoint<T>& x, const PhasePoint<T>& z, const Tolerance& tolerance) {
  T sum(0);
  std::size_t count = 0;
  const T relative(tolerance.relative);
  const auto take = [&](const std::vector<T>& values, const std::vector<T>& scale) {
    T largest(0);
    for (const T& value : scale) largest = max(largest, abs(value));
    const T absolute = tolerance.absolute > 0 ? T(tolerance.absolute) : relative * largest;
    if (!(absolute > T(0))) return;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const T ratio = values[j] / (absolute + relative * abs(scale[j]));
      sum += ratio * ratio;
    }
    count += values.size();
  };
  take(x.q, z.q);
  take(x.p, z.p);
  take(x.s, z.s);
  return count == 0 ? T(0) : sqrt(sum / static_cast<T>(count));
}

}  // namespace

template <class T>
T first_step(Formulation<T>& field, const PhasePoint<T>& z, const Tolerance& tolerance, int k, T end,
             std::int64_t& evaluations) {
  const T least = end * T(1e-6);
  PhasePoint<T> rate = z, moved = z, rate_there = z;
  evaluations += 2;
  if (!field.field(z, rate.q.data(), rate.p.data(), rate.s.data())) return least;
  const T tiny(1e-10);
  const T d0 = size(z, z, tolerance), d1 = size(rate, z, tolerance);
  const T h0 = min(end, d0 < tiny || d1 < tiny ? least : d0 / (T(100) * d1));
  const auto each = [&](const auto& f) {
    f(z.q, rate.q, moved.q, rate_there.q);
    f(z.p, rate.p, moved.p, rate_there.p);
    f(z.s, rate.s, moved.s, rate_there.s);
  };
  each([&](const auto& x, const auto& x_dot, auto& there, auto&) {
    for (std::size_t j = 0; j < x.size(); ++j) there[j] = x[j] + h0 * x_dot[j];
  });
  moved.t = z.t + h0;
  if (!field.field(moved, rate_there.q.data(), rate_there.p.data(), rate_there.s.data())) return least;
  each([&](const auto&, const auto& x_dot, auto&, auto& second) {
    for (std::size_t j = 0; j < x_dot.size(); ++j) second[j] = (second[j] - x_dot[j]) / h0;
  });
  const T larger = max(d1, size(rate_there, z, tolerance));
  const T h1 = larger <= tiny ? max(least, h0 / T(1000))
                              : static_cast<T>(std::pow(static_cast<double>(T(0.01) / larger), 1.0 / k));
  const T h = min(T(100) * h0, h1);
  return isfinite(h) && h > T(0) ? min(h, end) : least;
}

#define COTANGENT_FUNCTIONS(T) \
  template T first_step(Formulation<T>&, const PhasePoint<T>&, const Tolerance&, int, T, std::int64_t&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
