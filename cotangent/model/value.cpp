#include "cotangent/model/value.hpp"

#include <fmt/core.h>

namespace cotangent {

std::string Value::describe() const {
  if (!is_vector()) return "a number";
  return fmt::format("a vector of {} component{}", size(), size() == 1 ? "" : "s");
}

Expr dot(const Value& a, const Value& b) {
  Expr sum = a[0] * b[0];
  for (std::size_t k = 1; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

Value cross(const Value& a, const Value& b) {
  return Value({a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]});
}

}  // namespace cotangent
