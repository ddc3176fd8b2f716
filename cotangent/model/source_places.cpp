#include "cotangent/model/source_places.hpp"

#include <quadmath.h>

namespace cotangent {
namespace {

bool can_fail(Expr e) {
  switch (e.op()) {
    case Op::pow:
      return !(e.arg(1).is_constant() && e.arg(1).value() > 1 && floorq(e.arg(1).value()) == e.arg(1).value());
    case Op::div:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::sinh:
    case Op::cosh:
    case Op::exp:
    case Op::log:
    case Op::sqrt:
      return true;
    default:
      return false;
  }
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
