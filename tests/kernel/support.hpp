#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/kernel/spec.hpp"

namespace cotangent::test {

/// Same bits, or both not a number.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// n values between two pages that must not be touched; they end (or begin) exactly at one of them.
template <class T>
class GuardedVector {
 public:
  enum class Touching { upper_page, lower_page };

  GuardedVector(std::size_t n, Touching touching) : n_(n) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = n * sizeof(T), pages = (bytes + page - 1) / page;
    size_ = (pages + 2) * page;
    memory_ = static_cast<char*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages > 0) mprotect(memory_ + page, pages * page, PROT_READ | PROT_WRITE);
    const std::size_t start = touching == Touching::upper_page ? pages * page - bytes : 0;
    data_ = reinterpret_cast<T*>(memory_ + page + start);
  }
  ~GuardedVector() { munmap(memory_, size_); }
  GuardedVector(const GuardedVector&) = delete;
  GuardedVector& operator=(const GuardedVector&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return n_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t n_, size_;
  char* memory_;
  T* data_;
};

/// Expressions of given symbols that use every operation a kernel can contain.
class RandomExpression {
 public:
  RandomExpression(Graph& graph, std::vector<Expr> symbols, unsigned seed)
      : graph_(graph), pool_(std::move(symbols)), random_(seed) {}

  Expr make(int operations) {
    for (int n = 0; n < operations; ++n) pool_.push_back(operation());
    return pool_.back();
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  // Recent expressions are taken more often, so that the result is deep.
  Expr any() {
    const int n = static_cast<int>(pool_.size());
    return pool_[static_cast<std::size_t>(std::max(below(n), below(n)))];
  }
  Expr number() { return graph_.constant(std::uniform_real_distribution<double>(-3, 3)(random_)); }

  Expr operation() {
    // Squashed where a function would leave the range in which the comparison means something.
    const auto bounded = [&](Expr e) { return graph_.apply(Op::tanh, e); };
    const auto positive = [&](Expr e) { return graph_.constant(1.5) + bounded(e); };
    switch (below(39)) {
      case 0:
      case 1:
        return any() + any();
      case 2:
        return any() - any();
      case 3:
        return any() * any() + any();
      case 4:
        return any() - any() * any();
      case 5:
        return bounded(any()) * bounded(any());
      case 6:
        return any() / positive(any());
      case 7:
        return any() * number();
      case 8:
        return any() + number();
      case 9:
        return pow(bounded(any()), below(12) + 2);
      case 10:
        return pow(positive(any()), -below(9) - 1);
      case 11:
        return pow(positive(any()), below(7) - 3 + 0.5);
      case 12:
        return pow(positive(any()), bounded(any()));
      case 13:
        return sin(any());
      case 14:
        return cos(any());
      case 15:
        return graph_.apply(Op::tan, bounded(any()));
      case 16:
        return graph_.apply(Op::asin, bounded(any()) * 0.9);
      case 17:
        return graph_.apply(Op::acos, bounded(any()) * 0.9);
      case 18:
        return graph_.apply(Op::atan, any());
      case 19:
        return graph_.apply(Op::sinh, bounded(any()));
      case 20:
        return graph_.apply(Op::cosh, bounded(any()));
      case 21:
        return bounded(any());
      case 22:
        return exp(bounded(any()));
      case 23:
        return log(positive(any()));
      case 24:
        return sqrt(positive(any()));
      case 25:
        return abs(any());
      case 26:
        return graph_.apply(Op::sign, any());
      case 27:
        return graph_.apply(Op::atan2, any(), any());
      case 28:
        return graph_.apply(Op::min, any(), any());
      case 29:
        return graph_.apply(Op::max, any(), any());
      case 30:
        return any() + sum_error(any(), rounded(any()));
      case 31: {
        constexpr std::array comparisons = {Op::lt, Op::le, Op::eq, Op::ne};
        return graph_.apply(comparisons[static_cast<std::size_t>(below(4))], any(), any());
      }
      case 32:
        return graph_.apply(Op::floor, any());
      case 33:
        return graph_.apply(Op::ceil, any());
      case 34:
        return graph_.apply(Op::round, any());
      case 35:
        return graph_.apply(Op::mod, bounded(any()), positive(any()));
      case 36:
        return graph_.apply(Op::erf, any());
      case 37:
        return graph_.apply(Op::erfc, bounded(any()));
      default:
        return select(graph_.apply(Op::lt, any(), any()), any(), any());
    }
  }

  Graph& graph_;
  std::vector<Expr> pool_;
  std::mt19937 random_;
};

}  // namespace cotangent::test
