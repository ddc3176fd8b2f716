#include "cotangent/model/source/source_places.hpp"

#include <quadmath.h>

#include <algorithm>
#include <array>

namespace cotangent {
namespace {

bool can_fail(Expr e) {
  constexpr std::array functions{Op::div, Op::tan, Op::asin, Op::acos, Op::sinh, Op::cosh, Op::exp, Op::log, Op::sqrt};
  if (e.op() != Op::pow) return std::ranges::find(functions, e.op()) != functions.end();
  const Expr n = e.arg(1);
  return !(n.is_constant() && n.value() > 1 && floorq(n.value()) == n.value());
}

}  // namespace

void SourcePlaces::add(Expr e, const Location& where) {
  // m/(2 x) is built as (1/2) (m/x).
  if (e.op() == Op::mul && e.arg(0).is_constant()) e = e.arg(1);
  if (can_fail(e)) places_.emplace(e.id(), where);
}

const Location* SourcePlaces::find(Expr e, const Location& inside) const {
  const Location* found = nullptr;
  const auto [begin, end] = places_.equal_range(e.id());
  for (auto it = begin; it != end; ++it) {
    if (contains(inside, it->second)) return &it->second;
    found = &it->second;
  }
  return found;
}

bool contains(const Location& all, const Location& part) {
  return all.source && all.source == part.source && all.span.begin <= part.span.begin && part.span.end <= all.span.end;
}

}  // namespace cotangent
