#include "cotangent/base/first_crossing.hpp"

#include <vector>

namespace cotangent {
namespace {

// Intervals shorter than that part of h are not divided.
constexpr int kDepth = 40;

template <class T>
T value(std::span<const T> c, T t) {
  T sum(0);
  for (std::size_t j = c.size(); j-- > 0;) sum = sum * t + c[j];
  return sum;
}

template <class T>
std::optional<T> search(std::span<const T> c, T begin, T end, int depth) {
  const T middle = (begin + end) / 2, radius = (end - begin) / 2;
  // Coefficients about the middle, by Horner's scheme over and over.
  std::vector<T> about(c.begin(), c.end());
  for (std::size_t i = 0; i + 1 < about.size(); ++i)
    for (std::size_t j = about.size() - 1; j-- > i;) about[j] += middle * about[j + 1];
  T others(0), slopes(0), power(1);  // sums of |c_j| r^j and j |c_j| r^(j-1)
  for (std::size_t j = 1; j < about.size(); ++j) {
    if (j > 1) slopes += static_cast<T>(j) * abs(about[j]) * power;
    power *= radius;
    others += abs(about[j]) * power;
  }
  if (about[0] > others) return std::nullopt;
  const bool is_monotone = about.size() < 2 || abs(about[1]) > slopes;
  if (is_monotone || depth == kDepth) {
    if (!(value(c, end) < 0)) return std::nullopt;
    T low = begin, high = end;
    for (int k = 0; k < 120; ++k) {
      const T next = (low + high) / 2;
      if (!(next > low) || !(next < high)) break;
      (value(c, next) < 0 ? high : low) = next;
    }
    return high;
  }
  if (const auto found = search(c, begin, middle, depth + 1)) return found;
  return search(c, middle, end, depth + 1);
}

}  // namespace

template <class T>
std::optional<T> first_crossing(std::span<const T> c, T h) {
  T others(0), power(1);
  for (std::size_t j = 1; j < c.size(); ++j) others += abs(c[j]) * (power *= h);
  if (c.empty() || c[0] > others || others == 0) return std::nullopt;
  if (!isfinite(others)) return std::nullopt;
  return search(c, T(0), h, 0);
}

template std::optional<double> first_crossing(std::span<const double>, double);
template std::optional<Quad> first_crossing(std::span<const Quad>, Quad);

}  // namespace cotangent
