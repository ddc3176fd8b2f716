#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace cotangent {

/// Random numbers that are the same everywhere: std::mt19937_64 is fixed by the standard, distributions are not.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [a, b).
  double uniform(double a, double b) { return a + (b - a) * std::ldexp(static_cast<double>(engine_() >> 11), -53); }
  /// Log-uniform in [a, b).
  double logarithmic(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }
  double normal() { return std::sqrt(-2 * std::log(uniform(1e-300, 1))) * std::cos(uniform(0, 6.283185307179586)); }
  double phase() { return uniform(0, 6.283185307179586); }
  bool coin() { return engine_() >> 63; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cotangent
