#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

struct Traced;

/// What a piece of code computes, as it was seen to run once over Traced numbers: operations in the order in which they
/// were made, and the comparisons that the code's choices hung on. Other numbers that make the same choices go through
/// the same operations, so what was recorded is what the code computes for them, to the last bit.
///
/// A choice is recorded as comparisons of two numbers (`a & b` that holds: both hold; that does not: one that does
/// not), and what is known to be true is not asked again. Code that turns a number into something else, an integer or
/// a text, makes choices that nobody sees: such a recording has failed.
class Recording {
 public:
  enum class Op : std::uint8_t {
    input,     ///< number `index` of those that the code was given
    constant,  ///< constants()[index]
    add,
    sub,
    mul,
    div,
    neg,
    fma,
    sqrt,
    abs,
    floor,
    min,
    max,
    lt,  ///< from here to `opposite` 1 where true, else 0
    le,
    eq,
    ne,
    both,    ///< a & b; where that is false argument `index` is
    either,  ///< a | b; where that is true argument `index` is
    opposite,
    select,
    call,  ///< function `index` of kernel/functions.hpp
  };
  using Id = std::uint32_t;  ///< an operation by its place + 1; 0: none

  struct Operation {
    Op op;
    std::uint32_t index;
    Id a, b, c;
    bool operator==(const Operation&) const = default;
  };
  /// A comparison that has to come out true for the code to make the operations after the first `made`.
  struct Choice {
    Op op;
    Id a, b;
    std::size_t made;
    bool operator==(const Choice&) const = default;
  };

  /// From now on, as long as it lives, what this thread computes over Traced is recorded here.
  /// @param most operations: a longer recording has failed.
  explicit Recording(std::size_t most);
  ~Recording();
  Recording(const Recording&) = delete;

  /// The next number that the code is given.
  Traced input(double value);

  bool has_failed() const { return has_failed_; }
  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<double>& constants() const { return constants_; }
  const std::vector<Choice>& choices() const { return choices_; }

  // What operators call. An operation of which all arguments are constants is one.
  Id id_of(const Traced& x);
  static Id record(Op op, const Traced& a, std::uint32_t index = 0);
  static Id record(Op op, const Traced& a, const Traced& b, std::uint32_t index = 0);
  static Id record(Op op, const Traced& a, const Traced& b, const Traced& c);
  static bool choose(Id condition, bool outcome);
  static bool is_known(Id condition, bool& outcome);
  static void fail();

 private:
  struct Hash {
    std::size_t operator()(const Operation& o) const;
  };

  Id add(const Operation& operation);
  void expect(Id condition, bool outcome);

  std::size_t most_;
  bool has_failed_ = false;
  std::uint32_t inputs_ = 0;
  std::vector<Operation> operations_;
  std::unordered_map<Operation, Id, Hash> known_;
  std::unordered_map<std::uint64_t, Id> constant_ids_;
  std::unordered_map<Id, bool> decided_;
  std::vector<double> constants_;
  std::vector<Choice> choices_;
  Recording* outer_;
};

/// A double that remembers where it comes from, see Recording. The same bits as double in every operation.
struct Traced {
  constexpr Traced() = default;
  template <class U>
  requires(std::is_arithmetic_v<U> || std::same_as<U, Quad>) constexpr Traced(const U& x)
      : value(static_cast<double>(x)) {}
  constexpr Traced(double value_, Recording::Id id_) : value(value_), id(id_) {}

  template <class U>
  requires(std::is_arithmetic_v<U> || std::same_as<U, Quad>) explicit constexpr operator U() const {
    if (id != 0) Recording::fail();
    return static_cast<U>(value);
  }

  double value = 0;
  Recording::Id id = 0;  ///< 0 of a constant

  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }

  friend constexpr Traced operator+(const Traced& a, const Traced& b) {
    return made(Recording::Op::add, a.value + b.value, a, b);
  }
  friend constexpr Traced operator-(const Traced& a, const Traced& b) {
    return made(Recording::Op::sub, a.value - b.value, a, b);
  }
  friend constexpr Traced operator*(const Traced& a, const Traced& b) {
    return made(Recording::Op::mul, a.value * b.value, a, b);
  }
  friend constexpr Traced operator/(const Traced& a, const Traced& b) {
    return made(Recording::Op::div, a.value / b.value, a, b);
  }
  friend constexpr Traced operator-(const Traced& a) {
    return {-a.value, a.id == 0 ? 0 : Recording::record(Recording::Op::neg, a)};
  }
  friend Traced fma(const Traced& a, const Traced& b, const Traced& c) {
    return {fma(a.value, b.value, c.value),
            (a.id | b.id | c.id) == 0 ? 0 : Recording::record(Recording::Op::fma, a, b, c)};
  }
  friend Traced sqrt(const Traced& a) { return of_one(Recording::Op::sqrt, std::sqrt(a.value), a); }
  friend Traced abs(const Traced& a) { return of_one(Recording::Op::abs, std::abs(a.value), a); }
  friend Traced floor(const Traced& a) { return of_one(Recording::Op::floor, std::floor(a.value), a); }
  friend Traced min(const Traced& a, const Traced& b) {
    return made(Recording::Op::min, std::min(a.value, b.value), a, b);
  }
  friend Traced max(const Traced& a, const Traced& b) {
    return made(Recording::Op::max, std::max(a.value, b.value), a, b);
  }

 private:
  static constexpr Traced made(Recording::Op op, double value, const Traced& a, const Traced& b) {
    return {value, (a.id | b.id) == 0 ? 0 : Recording::record(op, a, b)};
  }
  static Traced of_one(Recording::Op op, double value, const Traced& a) {
    return {value, a.id == 0 ? 0 : Recording::record(op, a)};
  }
};

/// What a comparison of Traced numbers gives. To become a bool, as in an `if`, is a choice.
struct TracedMask {
  constexpr TracedMask() = default;
  constexpr TracedMask(bool value_) : value(value_) {}
  constexpr TracedMask(bool value_, Recording::Id id_) : value(value_), id(id_) {}

  constexpr operator bool() const { return id == 0 ? value : Recording::choose(id, value); }

  bool value = false;
  Recording::Id id = 0;  ///< 0: known

  friend TracedMask operator&(const TracedMask& a, const TracedMask& b) {
    const TracedMask x = a.known(), y = b.known();
    if (x.id == 0) return x.value ? y : x;
    if (y.id == 0) return y.value ? x : y;
    return {x.value && y.value, Recording::record(Recording::Op::both, x.number(), y.number(), x.value ? 1 : 0)};
  }
  friend TracedMask operator|(const TracedMask& a, const TracedMask& b) {
    const TracedMask x = a.known(), y = b.known();
    if (x.id == 0) return x.value ? x : y;
    if (y.id == 0) return y.value ? y : x;
    return {x.value || y.value, Recording::record(Recording::Op::either, x.number(), y.number(), x.value ? 0 : 1)};
  }
  friend TracedMask operator!(const TracedMask& a) {
    const TracedMask x = a.known();
    return {!x.value, x.id == 0 ? 0 : Recording::record(Recording::Op::opposite, x.number())};
  }
  friend TracedMask operator&(const TracedMask& a, bool b) { return a & TracedMask(b); }
  friend TracedMask operator&(bool a, const TracedMask& b) { return TracedMask(a) & b; }
  friend TracedMask operator|(const TracedMask& a, bool b) { return a | TracedMask(b); }
  friend TracedMask operator|(bool a, const TracedMask& b) { return TracedMask(a) | b; }

  friend Traced select(const TracedMask& m, const Traced& a, const Traced& b) {
    const TracedMask x = m.known();
    if (x.id == 0 || (a.id == b.id && a.value == b.value && a.id != 0)) return x.value ? a : b;
    return {x.value ? a.value : b.value, Recording::record(Recording::Op::select, x.number(), a, b)};
  }
  friend bool any(const TracedMask& m) { return m; }
  friend bool all(const TracedMask& m) { return m; }
  friend bool lane(const TracedMask& m, int) { return m; }

 private:
  TracedMask known() const {
    bool outcome = value;
    return id != 0 && Recording::is_known(id, outcome) ? TracedMask(outcome) : *this;
  }
  Traced number() const { return {value ? 1.0 : 0.0, id}; }
};

namespace detail {

constexpr TracedMask compared(Recording::Op op, bool value, const Traced& a, const Traced& b) {
  return {value, (a.id | b.id) == 0 ? 0 : Recording::record(op, a, b)};
}

template <>
struct LaneTraits<Traced> {
  using Mask = TracedMask;
  using Lane = Traced;
  static constexpr int count = 1;
};

}  // namespace detail

constexpr TracedMask operator<(const Traced& a, const Traced& b) {
  return detail::compared(Recording::Op::lt, a.value < b.value, a, b);
}
constexpr TracedMask operator<=(const Traced& a, const Traced& b) {
  return detail::compared(Recording::Op::le, a.value <= b.value, a, b);
}
constexpr TracedMask operator>(const Traced& a, const Traced& b) { return b < a; }
constexpr TracedMask operator>=(const Traced& a, const Traced& b) { return b <= a; }
constexpr TracedMask operator==(const Traced& a, const Traced& b) {
  return detail::compared(Recording::Op::eq, a.value == b.value, a, b);
}
constexpr TracedMask operator!=(const Traced& a, const Traced& b) {
  return detail::compared(Recording::Op::ne, a.value != b.value, a, b);
}
inline TracedMask isfinite(const Traced& a) { return a - a == Traced(0); }

}  // namespace cotangent

template <>
struct std::numeric_limits<cotangent::Traced> : std::numeric_limits<double> {};
