#pragma once

#include <concepts>
#include <functional>
#include <vector>

#include "cotangent/scheme/recorder.hpp"

namespace cotangent::scheme {

/// A node of the scheme that is being written. There is no way to ask for its value: a method cannot branch on numbers.
struct Handle {
  Recorder* recorder = nullptr;
  int id = -1;

  const Scheme::Node& node() const { return recorder->node(id); }
  std::size_t size() const { return node().size; }
};

class Num : public Handle {};
class Vec : public Handle {};

/// A vector that is added to with compensation: the value, and what rounding has lost of it.
struct Sum {
  Vec value, lost;
  operator Vec() const { return value; }
};

/// A residual; and what is added up in each of its rows, for the solver.
struct Rows {
  Vec value;
  std::function<Vec()> scale;
};

namespace detail {

template <class Result>
Result record(SchemeOp op, std::initializer_list<Handle> in, std::size_t size) {
  Scheme::Node node{.op = op, .size = size, .is_number = std::same_as<Result, Num>};
  Recorder* recorder = nullptr;
  for (const Handle& argument : in) {
    node.in.push_back(argument.id);
    if (argument.recorder != nullptr) recorder = argument.recorder;
  }
  return Result{{recorder, recorder->record(std::move(node))}};
}

inline bool is_zero(const Vec& a) { return a.node().op == SchemeOp::zeros; }

}  // namespace detail

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num abs(Num a);
Num sqrt(Num a);
Num min(Num a, Num b);
Num max(Num a, Num b);

/// A coefficient that is written as a number is exact as far as a Quad is.
template <class X>
concept Coefficient = std::convertible_to<X, Quad> && !std::derived_from<X, Handle>;

#define COTANGENT_WITH_COEFFICIENTS(sign)                                        \
  Num operator sign(Coefficient auto a, Num b) {                                 \
    return Num {                                                                 \
      { b.recorder, b.recorder->constant(static_cast<Quad>(a)) }                 \
    }                                                                            \
    sign b;                                                                      \
  }                                                                              \
  Num operator sign(Num a, Coefficient auto b) {                                 \
    return a sign Num{{a.recorder, a.recorder->constant(static_cast<Quad>(b))}}; \
  }
COTANGENT_WITH_COEFFICIENTS(+)
COTANGENT_WITH_COEFFICIENTS(-)
COTANGENT_WITH_COEFFICIENTS(*)
COTANGENT_WITH_COEFFICIENTS(/)
#undef COTANGENT_WITH_COEFFICIENTS

inline Num min(Num a, Coefficient auto b) {
  return min(a, Num{{a.recorder, a.recorder->constant(static_cast<Quad>(b))}});
}
inline Num max(Num a, Coefficient auto b) {
  return max(a, Num{{a.recorder, a.recorder->constant(static_cast<Quad>(b))}});
}

Vec operator+(Vec a, Vec b);
Vec operator-(Vec a, Vec b);
Vec operator-(Vec a);
Vec operator*(Num a, Vec b);
Vec operator/(Vec a, Num b);
Vec abs(Vec a);
Sum operator+(const Sum& a, Vec b);
inline Vec operator*(Coefficient auto a, Vec b) {
  return Num{{b.recorder, b.recorder->constant(static_cast<Quad>(a))}} * b;
}

/// sum_j a_j x_j over the vectors that are given; there may be more coefficients.
Vec combine(const std::vector<Quad>& a, const std::vector<Vec>& x);
Vec combine(const std::vector<Num>& a, const std::vector<Vec>& x);

/// The same with coefficients in two parts, the first of which is short: sums with coefficients that are rounded would
/// make a symplectic method one that is not quite symplectic [hairer-mclachlan-razakarivony08].
Vec combine_exactly(const std::vector<Quad>& a, const std::vector<Vec>& x);

/// Vectors of one number: a'b, and a / b where |c| is more than rounding errors of d, what is added up in it, else 0.
/// They scale others.
Vec dot(Vec a, Vec b);
Vec divide_beyond_rounding(Vec a, Vec b, Vec c, Vec d);
Vec scale(Vec number, Vec x);

/// `a` where the number is positive, else `b`.
Vec choose(Num where, Vec a, Vec b);

Vec part(Vec a, std::size_t first, std::size_t size);
Vec join(const std::vector<Vec>& parts);
Rows join(const std::vector<Rows>& parts);

/// The equation v = 0.
Rows rows(Vec v);

/// What is added up in v, component by component: through sums, multiples and products G'u that the equations of the
/// solve make, and |v| of everything else. A sum that nearly cancels has the rounding errors of its terms.
Vec magnitude(Vec v);

}  // namespace cotangent::scheme
