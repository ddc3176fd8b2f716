#include "cotangent/simulation/decimal.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace cotangent {

template <>
double decimal(double x) {
  return x;
}

template <>
long double decimal(double x) {
  return std::strtold(fmt::format("{}", x).c_str(), nullptr);
}

template <>
Quad decimal(double x) {
  return strtoflt128(fmt::format("{}", x).c_str(), nullptr);
}

}  // namespace cotangent
