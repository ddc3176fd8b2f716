#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "cotangent/analysis/trend.hpp"

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

 private:
  std::mt19937_64 engine_;
};

/// Counts verdicts; each that is missed is a failure with its name and evidence.
class Battery {
 public:
  TrendVerdict expect(Trend right, const Series& series, const std::string& what, const TrendOptions& options = {}) {
    const TrendVerdict verdict = classify_trend(series, options);
    ++runs_;
    if (verdict.trend != right) {
      ADD_FAILURE() << what << ": " << name(verdict.trend) << " instead of " << name(right) << "; " << verdict.evidence;
    }
    return verdict;
  }

  int runs() const { return runs_; }

 private:
  int runs_ = 0;
};

}  // namespace cotangent
