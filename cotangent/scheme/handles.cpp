#include "cotangent/scheme/handles.hpp"

#include <utility>

namespace cotangent::scheme {
namespace {

using detail::is_zero;
using detail::record;

Num fold(SchemeOp op, Num a, Num b, Quad (*exact)(Quad, Quad)) {
  if (a.node().op == SchemeOp::constant && b.node().op == SchemeOp::constant)
    return Num{{a.recorder, a.recorder->constant(exact(a.node().number, b.node().number))}};
  return record<Num>(op, {a, b}, 1);
}

}  // namespace

Num operator+(Num a, Num b) {
  return fold(SchemeOp::add, a, b, [](Quad x, Quad y) { return x + y; });
}
Num operator-(Num a, Num b) {
  return fold(SchemeOp::subtract, a, b, [](Quad x, Quad y) { return x - y; });
}
Num operator*(Num a, Num b) {
  return fold(SchemeOp::multiply, a, b, [](Quad x, Quad y) { return x * y; });
}
Num operator/(Num a, Num b) {
  return fold(SchemeOp::divide, a, b, [](Quad x, Quad y) { return x / y; });
}
Num abs(Num a) { return record<Num>(SchemeOp::absolute, {a}, 1); }
Num sqrt(Num a) {
  if (a.node().op == SchemeOp::constant)
    return Num{{a.recorder, a.recorder->constant(cotangent::sqrt(a.node().number))}};
  return record<Num>(SchemeOp::square_root, {a}, 1);
}

Num min(Num a, Num b) { return record<Num>(SchemeOp::smaller, {a, b}, 1); }
Num max(Num a, Num b) { return record<Num>(SchemeOp::larger, {a, b}, 1); }

Vec operator+(Vec a, Vec b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  return record<Vec>(SchemeOp::add, {a, b}, a.size());
}
Vec operator-(Vec a, Vec b) {
  if (is_zero(a)) return -b;
  if (is_zero(b)) return a;
  return record<Vec>(SchemeOp::subtract, {a, b}, a.size());
}
Vec operator-(Vec a) {
  if (is_zero(a)) return a;
  if (a.node().op == SchemeOp::multiply)
    return (0 - Num{{a.recorder, a.node().in[0]}}) * Vec{{a.recorder, a.node().in[1]}};
  return record<Vec>(SchemeOp::negate, {a}, a.size());
}
Vec operator*(Num a, Vec b) { return is_zero(b) ? b : record<Vec>(SchemeOp::multiply, {a, b}, b.size()); }
Vec operator/(Vec a, Num b) { return is_zero(a) ? a : record<Vec>(SchemeOp::divide, {a, b}, a.size()); }
Vec abs(Vec a) { return is_zero(a) ? a : record<Vec>(SchemeOp::absolute, {a}, a.size()); }

Sum operator+(const Sum& a, Vec b) {
  if (is_zero(b)) return a;
  const Vec value = record<Vec>(SchemeOp::sum, {a.value, a.lost, b}, a.value.size());
  return {value, record<Vec>(SchemeOp::lost, {value}, value.size())};
}

Vec combine(const std::vector<Quad>& a, const std::vector<Vec>& x) {
  Vec sum{{x[0].recorder, x[0].recorder->record({.op = SchemeOp::zeros, .size = x[0].size()})}};
  for (std::size_t j = 0; j < x.size(); ++j)
    if (a[j] != 0) sum = sum + a[j] * x[j];
  return sum;
}

// With ten bits in the first part, products with it lose ten bits at most, and at random.
Vec combine_exactly(const std::vector<Quad>& a, const std::vector<Vec>& x) {
  std::vector<Quad> parts;
  std::vector<Vec> twice(x);
  for (std::size_t j = 0; j < x.size(); ++j) parts.push_back(a[j] - rintq(a[j] * 1024) / 1024);
  for (std::size_t j = 0; j < x.size(); ++j) parts.push_back(a[j] - parts[j]);
  twice.insert(twice.end(), x.begin(), x.end());
  return combine(parts, twice);
}

Vec combine(const std::vector<Num>& a, const std::vector<Vec>& x) {
  Vec sum = a[0] * x[0];
  for (std::size_t j = 1; j < x.size(); ++j) sum = sum + a[j] * x[j];
  return sum;
}

Vec dot(Vec a, Vec b) { return record<Vec>(SchemeOp::dot, {a, b}, 1); }
Vec divide_beyond_rounding(Vec a, Vec b, Vec c, Vec d) {
  return record<Vec>(SchemeOp::divide_beyond_rounding, {a, b, c, d}, 1);
}
Vec scale(Vec number, Vec x) { return record<Vec>(SchemeOp::multiply, {number, x}, x.size()); }

Vec choose(Num where, Vec a, Vec b) { return record<Vec>(SchemeOp::choose, {where, a, b}, a.size()); }

Vec part(Vec a, std::size_t first, std::size_t size) {
  Scheme::Node node{.op = SchemeOp::part, .in = {a.id}, .size = size, .first = first};
  return Vec{{a.recorder, a.recorder->record(std::move(node))}};
}

Vec join(const std::vector<Vec>& parts) {
  Scheme::Node node{.op = SchemeOp::join};
  Recorder* recorder = nullptr;
  for (const Vec& each : parts) {
    if (each.size() == 0) continue;
    node.in.push_back(each.id);
    node.size += each.size();
    recorder = each.recorder;
  }
  return Vec{{recorder, recorder->record(std::move(node))}};
}

Rows join(const std::vector<Rows>& parts) {
  std::vector<Vec> values;
  for (const Rows& each : parts) values.push_back(each.value);
  return {join(values), [parts] {
            std::vector<Vec> scales;
            for (const Rows& each : parts) scales.push_back(each.scale());
            return join(scales);
          }};
}

Rows rows(Vec v) {
  return {v, [v] { return magnitude(v); }};
}

Vec magnitude(Vec v) {
  const Scheme::Node node = v.node();
  const auto of = [&](std::size_t k) { return magnitude(Vec{{v.recorder, node.in[k]}}); };
  const auto input = [&](std::size_t k) { return Vec{{v.recorder, node.in[k]}}; };
  if (node.region != v.recorder->region(v.recorder->current()).parent) return abs(v);
  switch (node.op) {
    case SchemeOp::add:
    case SchemeOp::subtract:
      return of(0) + of(1);
    case SchemeOp::sum:
      return of(0) + of(2);
    case SchemeOp::negate:
      return of(0);
    case SchemeOp::multiply:
      if (!v.recorder->node(node.in[0]).is_number) return abs(v);
      return abs(Num{{v.recorder, node.in[0]}}) * of(1);
    case SchemeOp::Gt_times:
      return record<Vec>(SchemeOp::force_scale, {record<Vec>(SchemeOp::G_sizes, {input(0), input(1)}, 0), input(2)},
                         node.size);
    default:
      return abs(v);
  }
}

}  // namespace cotangent::scheme
