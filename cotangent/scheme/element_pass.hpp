#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/scheme/scheme.hpp"

namespace cotangent {

/// Operations on the elements of vectors of one length, made together: block by block, so that what one of them makes
/// for the next stays in the cache and need not be stored.
template <class T>
class ElementPass {
 public:
  /// Vectors are given by their places in a table of pointers; -1: none. A block of a vector that is not stored begins
  /// where its pointer points to, whatever the block is.
  struct Operand {
    int place = -1;
    bool is_stored = true;
  };
  struct Instruction {
    SchemeOp op;
    Operand a, b, c;       ///< numbers first
    Operand result, lost;  ///< lost: of a sum, if someone reads it
  };

  /// Elements in a block: some kilobytes of each vector.
  static constexpr std::size_t kBlock = 4096 / sizeof(T);

  explicit ElementPass(std::size_t size) : size_(size) {}

  std::size_t size() const { return size_; }
  void add(const Instruction& instruction) { instructions_.push_back(instruction); }
  std::vector<Instruction>& instructions() { return instructions_; }

  void run(T* const* table) const {
    for (std::size_t begin = 0; begin < size_; begin += kBlock) {
      const std::size_t count = std::min(kBlock, size_ - begin);
      for (const Instruction& instruction : instructions_) run(instruction, table, begin, count);
    }
  }

 private:
  static void run(const Instruction& instruction, T* const* table, std::size_t begin, std::size_t count) {
    const auto at = [&](const Operand& operand) -> T* {
      return operand.place < 0 ? nullptr : table[operand.place] + (operand.is_stored ? begin : 0);
    };
    T* __restrict const y = at(instruction.result);
    const auto each = [&](const Operand& x, const auto& f) {
      const T* const from = at(x);
      for (std::size_t k = 0; k < count; ++k) y[k] = f(from[k]);
    };
    const auto pairs = [&](const Operand& x, const Operand& z, const auto& f) {
      const T *const from = at(x), *const other = at(z);
      for (std::size_t k = 0; k < count; ++k) y[k] = f(from[k], other[k]);
    };
    switch (instruction.op) {
      case SchemeOp::add:
        return pairs(instruction.a, instruction.b, [](const T& a, const T& b) { return a + b; });
      case SchemeOp::subtract:
        return pairs(instruction.a, instruction.b, [](const T& a, const T& b) { return a - b; });
      case SchemeOp::multiply:
        return each(instruction.b, [a = *table[instruction.a.place]](const T& b) { return a * b; });
      case SchemeOp::divide:
        return each(instruction.a, [b = *table[instruction.b.place]](const T& a) { return a / b; });
      case SchemeOp::negate:
        return each(instruction.a, [](const T& a) { return -a; });
      case SchemeOp::absolute:
        return each(instruction.a, [](const T& a) { return abs(a); });
      case SchemeOp::choose: {
        const Mask<T> where = *table[instruction.a.place] > T(0);
        return pairs(instruction.b, instruction.c, [&](const T& b, const T& c) { return select(where, b, c); });
      }
      case SchemeOp::sum: {
        const T *const value = at(instruction.a), *const low = at(instruction.b), *const increment = at(instruction.c);
        T* __restrict const lost = at(instruction.lost);
        for (std::size_t k = 0; k < count; ++k) {
          T rest = low == nullptr ? T(0) : low[k];
          y[k] = add_compensated(value[k], increment[k], rest);
          if (lost != nullptr) lost[k] = rest;
        }
        return;
      }
      default:
        return;
    }
  }

  std::size_t size_;
  std::vector<Instruction> instructions_;
};

}  // namespace cotangent
