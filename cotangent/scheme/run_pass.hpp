#pragma once

#include <algorithm>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/scheme/schedule.hpp"

namespace cotangent {

/// Elements in a block: some kilobytes of each vector, so that what one instruction makes for the next stays in the
/// cache.
template <class T>
inline constexpr std::size_t kBlock = 4096 / sizeof(T);

namespace detail {

/// @param at(place) where the elements begin.
/// @param each_element(f) calls f(k) for all of them.
template <class T, class At, class ForEach>
[[gnu::always_inline]] inline void run_instruction(const ElementInstruction& each, T* const* table, const At& at,
                                                   const ForEach& for_each) {
  using Action = ElementInstruction::Action;
  T* __restrict const y = at(each.result);
  const auto sum = [&](const auto& increment) {
    const T *const a = at(each.a), *const before = at(each.lost_before);
    if (each.lost < 0) {
      for_each([&](std::size_t k) {
        T rest = before[k];
        y[k] = add_compensated(a[k], increment(k), rest);
      });
      return;
    }
    T* __restrict const lost = at(each.lost);
    for_each([&](std::size_t k) {
      T rest = before[k];
      y[k] = add_compensated(a[k], increment(k), rest);
      lost[k] = rest;
    });
  };
  const auto vector = [&](int place) -> const T* { return at(place); };
  const auto number = [&](int place) { return *table[place]; };
  switch (each.action) {
    case Action::add:
      return for_each([y, a = vector(each.a), b = vector(each.b)](std::size_t k) { y[k] = a[k] + b[k]; });
    case Action::subtract:
      return for_each([y, a = vector(each.a), b = vector(each.b)](std::size_t k) { y[k] = a[k] - b[k]; });
    case Action::multiply:
      return for_each([y, a = number(each.a), b = vector(each.b)](std::size_t k) { y[k] = a * b[k]; });
    case Action::divide:
      return for_each([y, a = vector(each.a), b = number(each.b)](std::size_t k) { y[k] = a[k] / b; });
    case Action::negate:
      return for_each([y, a = vector(each.a)](std::size_t k) { y[k] = -a[k]; });
    case Action::absolute:
      return for_each([y, a = vector(each.a)](std::size_t k) { y[k] = abs(a[k]); });
    case Action::choose:
      return for_each([y, where = number(each.a) > T(0), b = vector(each.b), c = vector(each.c)](std::size_t k) {
        y[k] = select(where, b[k], c[k]);
      });
    case Action::sum:
      return sum([b = vector(each.b)](std::size_t k) { return b[k]; });
    case Action::sum_difference:
      return sum([b = vector(each.b), c = vector(each.c)](std::size_t k) { return b[k] - c[k]; });
    case Action::sum_product:
      return sum([b = number(each.b), c = vector(each.c)](std::size_t k) { return b * c[k]; });
    case Action::add_sum:
      return for_each([y, a = vector(each.a), b = vector(each.b), c = vector(each.c)](std::size_t k) {
        y[k] = a[k] + (b[k] + c[k]);
      });
    case Action::add_product:
      return for_each(
          [y, a = vector(each.a), b = number(each.b), c = vector(each.c)](std::size_t k) { y[k] = a[k] + b * c[k]; });
    case Action::subtract_product:
      return for_each(
          [y, a = vector(each.a), b = number(each.b), c = vector(each.c)](std::size_t k) { y[k] = a[k] - b * c[k]; });
  }
}

}  // namespace detail

/// @param first_block places in the table from there on hold a block, not a whole vector.
template <class T>
void run_pass(const ElementPass& pass, T* const* table, int first_block) {
  // A few elements are done before vector instructions have begun.
  constexpr std::size_t kFew = 16;
  if (pass.size <= kFew) {
    const auto one_by_one = [count = pass.size](const auto& f) {
      for (std::size_t k = 0; k < count; ++k) {
        f(k);
        asm("");  // keeps the compiler from making vector instructions of it
      }
    };
    for (const ElementInstruction& each : pass.instructions)
      detail::run_instruction(
          each, table, [table](int place) { return table[place]; }, one_by_one);
    return;
  }
  for (std::size_t begin = 0; begin < pass.size; begin += kBlock<T>) {
    const auto all = [count = std::min(kBlock<T>, pass.size - begin)](const auto& f) {
      for (std::size_t k = 0; k < count; ++k) f(k);
    };
    for (const ElementInstruction& each : pass.instructions)
      detail::run_instruction(
          each, table, [&](int place) { return place < first_block ? table[place] + begin : table[place]; }, all);
  }
}

}  // namespace cotangent
