#include "cotangent/kernel/jet_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "cotangent/base/check.hpp"
#include "cotangent/base/first_crossing.hpp"
#include "cotangent/base/for_packs.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Value = JetProgram::Value;
using Rule = JetProgram::Rule;

template <class V, class M>
V truth(const M& m) {
  return select(m, V(1), V(0));
}

template <class V>
V whole_part(const V& x) {
  if constexpr (is_dual<V>) {
    return V(floor(x.value));
  } else {
    return floor(x);
  }
}

// The slope of f at x with f(x) = y, for derivatives of coefficients 0.
double slope(Function f, double x, double y) {
  switch (f) {
    case Function::sin:
      return apply(Function::cos, x, x);
    case Function::cos:
      return -apply(Function::sin, x, x);
    case Function::tan:
      return 1 + y * y;
    case Function::asin:
      return 1 / sqrt(1 - x * x);
    case Function::acos:
      return -1 / sqrt(1 - x * x);
    case Function::atan:
      return 1 / (1 + x * x);
    case Function::sinh:
      return apply(Function::cosh, x, x);
    case Function::cosh:
      return apply(Function::sinh, x, x);
    case Function::tanh:
      return 1 - y * y;
    case Function::exp:
      return y;
    case Function::log:
      return 1 / x;
    case Function::erf:
      return 2 / sqrt(M_PI) * apply(Function::exp, -x * x, x);
    case Function::erfc:
      return -2 / sqrt(M_PI) * apply(Function::exp, -x * x, x);
    case Function::pow:
    case Function::atan2:
      break;
  }
  check_failed("a function of one variable");
}

template <class N>
void evaluate(Function f, const N* x, const N* y, N* result, std::size_t count) {
  if constexpr (std::is_same_v<N, double>) {
    apply(f, x, y, result, static_cast<int>(count));
  } else if constexpr (is_dual<N>) {
    for (std::size_t i = 0; i < count; ++i) {
      const N a = x[i], b = y[i];
      const double value = apply(f, a.value, b.value);
      double by_a = 0, by_b = 0;
      if (arity(f) == 1) {
        by_a = slope(f, a.value, value);
      } else if (f == Function::pow) {
        by_a = b.value * apply(f, a.value, b.value - 1);
        by_b = value * apply(Function::log, a.value, a.value);
      } else {
        const double size = a.value * a.value + b.value * b.value;
        by_a = b.value / size;
        by_b = -a.value / size;
      }
      const auto part = [](double factor, double d) { return d == 0 ? 0 : factor * d; };
      result[i] = N::map(value, [&](int k) { return part(by_a, a.d[k]) + (arity(f) == 1 ? 0 : part(by_b, b.d[k])); });
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) result[i] = apply<N>(f, x[i], y[i]);
  }
}

// sum_{0<j<k} a_j b_{k-j}, even and odd j apart: two sums wait less for each other. a_j and b_j are `row` numbers
// apart.
template <class V, class N>
V convolution(const N* a, const N* b, int k, std::size_t row) {
  V even(0), odd(0);
  const N *x = a + row, *y = b + static_cast<std::size_t>(k - 1) * row;
  int j = 1;
  for (; j + 1 < k; j += 2, x += 2 * row, y -= 2 * row) {
    odd = fma(load<V>(x), load<V>(y), odd);
    even = fma(load<V>(x + row), load<V>(y - row), even);
  }
  if (j < k) odd = fma(load<V>(x), load<V>(y), odd);
  return even + odd;
}

// The same of a with itself.
template <class V, class N>
V square_convolution(const N* a, int k, std::size_t row) {
  V even(0), odd(0);
  const N *x = a + row, *y = a + static_cast<std::size_t>(k - 1) * row;
  int j = 1;
  for (; 2 * (j + 1) < k; j += 2, x += 2 * row, y -= 2 * row) {
    odd = fma(load<V>(x), load<V>(y), odd);
    even = fma(load<V>(x + row), load<V>(y - row), even);
  }
  for (; 2 * j < k; ++j, x += row, y -= row) odd = fma(load<V>(x), load<V>(y), odd);
  const V half = even + odd, both = half + half;
  if (k % 2 != 0 || k < 2) return both;
  const V middle = load<V>(a + static_cast<std::size_t>(k / 2) * row);
  return fma(middle, middle, both);
}

// sum_{0<j<k} j u_j d_{k-j}.
template <class V, class N>
V slope_convolution(const N* u, const N* d, int k, std::size_t row) {
  V even(0), odd(0);
  const N *x = u + row, *y = d + static_cast<std::size_t>(k - 1) * row;
  int j = 1;
  const auto weight = [](int each) { return N(static_cast<double>(each)); };
  for (; j + 1 < k; j += 2, x += 2 * row, y -= 2 * row) {
    odd = fma(V(weight(j)) * load<V>(x), load<V>(y), odd);
    even = fma(V(weight(j + 1)) * load<V>(x + row), load<V>(y - row), even);
  }
  if (j < k) odd = fma(V(weight(j)) * load<V>(x), load<V>(y), odd);
  return even + odd;
}

}  // namespace

template <class T>
JetKernel<T>::JetKernel(const KernelSpec& spec, int orders, const Again& again) : plan_(spec, orders, again, kWidth) {
  for (const Quad c : plan_.program.constants()) {
    if constexpr (std::is_same_v<Number, Quad>) {
      constants_.push_back(c);
    } else {
      constants_.push_back(Number(static_cast<double>(c)));
    }
  }
  memory_.assign(static_cast<std::size_t>(plan_.blocks()) * plan_.kept_rows * plan_.row, Number(0));
  scratch_.assign((plan_.scratch_rows + 1) * plan_.row, Number(0));
}

template <class T>
void JetKernel<T>::load(const Block& block, Value v, int k, const JetFrame<T>& frame) {
  const JetPlan::Load& from = plan_.loads[plan_.program.steps()[v].of.index];
  const T* x = frame.in[static_cast<std::size_t>(from.vector)].row(k);
  Number* y = at(block, v, k);
  if constexpr (kWidth == 1) {
    if (from.at.kind() == IndexMap::Kind::unit) {
      std::copy_n(x + from.at(block.first), block.count, y);
      return;
    }
    for (std::size_t i = 0; i < block.count; ++i) y[i] = x[from.at(block.first + static_cast<std::int64_t>(i))];
  } else {
    for (std::size_t i = 0; i < block.count; ++i)
      x[from.at(block.first + static_cast<std::int64_t>(i))].store(y + i * kWidth);
  }
}

template <class T>
void JetKernel<T>::store(const Block& block, std::size_t s, int k, const JetFrame<T>& frame) const {
  const auto& output = plan_.program.outputs()[s];
  if (!plan_.adds(s, k)) return;
  const JetPlan::Store& to = plan_.stores[s];
  T* x = frame.out[static_cast<std::size_t>(to.vector)].row(k);
  const Number* y = at(block, output.value, k);
  if constexpr (kWidth == 1) {
    if (to.at.kind() == IndexMap::Kind::unit) {
      x += to.at(block.first);
      for_packs<Number>(block.count, [&]<class V>(V, std::size_t i) {
        const V place = cotangent::load<V>(x + i), term = cotangent::load<V>(y + i);
        cotangent::store(output.negative ? place - term : place + term, x + i);
      });
      return;
    }
    for (std::size_t i = 0; i < block.count; ++i) {
      T& place = x[to.at(block.first + static_cast<std::int64_t>(i))];
      place = output.negative ? place - y[i] : place + y[i];
    }
  } else {
    for (std::size_t i = 0; i < block.count; ++i) {
      T& place = x[to.at(block.first + static_cast<std::int64_t>(i))];
      const T term = T::load(y + i * kWidth);
      place = output.negative ? place - term : place + term;
    }
  }
}

// Coefficient 0: what the program computes.
template <class T>
void JetKernel<T>::begin(const Block& block, Value v, const JetFrame<T>& frame) {
  const auto& step = plan_.program.steps()[v];
  const auto& of = step.of;
  Number* y = at(block, v, 0);
  const std::size_t n = block.numbers();
  const auto argument = [&](std::size_t k) -> const Number* {
    return k < static_cast<std::size_t>(of.arity()) ? at(block, of.args[k], 0) : y;
  };
  const Number *a = argument(0), *b = argument(1), *c = argument(2);
  const auto map = [&](const auto& f) {
    for_packs<Number>(n, [&]<class V>(V, std::size_t i) {
      cotangent::store(f(cotangent::load<V>(a + i), cotangent::load<V>(b + i), cotangent::load<V>(c + i)), y + i);
    });
  };
  switch (of.code) {
    case Code::load:
      return load(block, v, 0, frame);
    case Code::counter:
      for (std::size_t i = 0; i < n; ++i)
        y[i] =
            Number(static_cast<double>(plan_.counters[of.index](block.first + static_cast<std::int64_t>(i / kWidth))));
      return;
    case Code::constant:
      std::fill_n(y, n, constants_[of.index]);
      return;
    case Code::add:
      return map([]<class V>(V x, V z, V) { return x + z; });
    case Code::sub:
      return map([]<class V>(V x, V z, V) { return x - z; });
    case Code::mul:
      return map([]<class V>(V x, V z, V) { return x * z; });
    case Code::div:
      return map([]<class V>(V x, V z, V) { return x / z; });
    case Code::neg:
      return map([]<class V>(V x, V, V) { return -x; });
    case Code::fma:
      return map([]<class V>(V x, V z, V w) { return fma(x, z, w); });
    case Code::fms:
      return map([]<class V>(V x, V z, V w) { return fma(x, z, -w); });
    case Code::fnma:
      return map([]<class V>(V x, V z, V w) { return fma(-x, z, w); });
    case Code::sqrt:
      return map([]<class V>(V x, V, V) { return sqrt(x); });
    case Code::abs: {
      map([]<class V>(V x, V, V) { return abs(x); });
      Number* sign = rest(block, v);
      if (step.has_rest)
        for_packs<Number>(n, [&]<class V>(V, std::size_t i) {
          const V x = cotangent::load<V>(a + i);
          cotangent::store(select(x > V(0), V(1), select(x < V(0), V(-1), V(0))), sign + i);
        });
      return;
    }
    case Code::sign:
      return map([]<class V>(V x, V, V) { return select(x > V(0), V(1), select(x < V(0), V(-1), V(0))); });
    case Code::floor:
      return map([]<class V>(V x, V, V) { return whole_part(x); });
    case Code::min:
      return map([]<class V>(V x, V z, V) { return select(z < x, z, x); });
    case Code::max:
      return map([]<class V>(V x, V z, V) { return select(x < z, z, x); });
    case Code::lt:
      return map([]<class V>(V x, V z, V) { return truth<V>(x < z); });
    case Code::le:
      return map([]<class V>(V x, V z, V) { return truth<V>(x <= z); });
    case Code::eq:
      return map([]<class V>(V x, V z, V) { return truth<V>(x == z); });
    case Code::ne:
      return map([]<class V>(V x, V z, V) { return truth<V>(!(x == z)); });
    case Code::select:
      return map([]<class V>(V x, V z, V w) { return select(x == V(0), w, z); });
    case Code::call:
      return evaluate<Number>(of.function, a, of.arity() == 2 ? b : a, y, n);
  }
  check_failed("the code is known");
}

// Coefficient k > 0. Again: with the sums over lower orders that are known. For a number alone, in small systems, code
// without vectors has less around it.
template <class T>
template <bool kIsOne>
void JetKernel<T>::go_on(const Block& block, Value v, int k, bool again, const JetFrame<T>& frame) {
  const auto& step = plan_.program.steps()[v];
  if (step.rule == Rule::load) return load(block, v, k, frame);
  Number* y = at(block, v, k);
  const auto newest = [&](Value x) -> const Number* { return x == JetProgram::kNone ? nullptr : at(block, x, k); };
  const auto base = [&](Value x) -> const Number* { return x == JetProgram::kNone ? nullptr : at(block, x, 0); };
  const auto each = [&](const auto& f) {
    if constexpr (kIsOne) {
      f(Number(0), 0);
    } else {
      for_packs<Number>(block.numbers(), f);
    }
  };
  const auto [a, b, c] = step.args;
  const auto [minus_a, minus_b, unused] = step.negative;
  Number* const S = rest(block, v);
  const std::size_t row = plan_.row;
  switch (step.rule) {
    case Rule::still:
    case Rule::load:
      return;
    case Rule::sum: {
      const Number *x = newest(a), *z = newest(b);
      const bool is_minus = x ? minus_a : minus_b;
      if (!x || !z) {
        const Number* only = x ? x : z;
        return each([&]<class V>(V, std::size_t i) {
          const V value = cotangent::load<V>(only + i);
          cotangent::store(is_minus ? -value : value, y + i);
        });
      }
      return each([&]<class V>(V, std::size_t i) {
        const V first = cotangent::load<V>(x + i), second = cotangent::load<V>(z + i);
        cotangent::store(minus_b ? first - second : first + second, y + i);
      });
    }
    case Rule::scaled: {
      const Number *factor = base(a), *x = newest(b), *rest = newest(c);
      return each([&]<class V>(V, std::size_t i) {
        V f = cotangent::load<V>(factor + i);
        if (minus_a) f = -f;
        const V value = cotangent::load<V>(x + i);
        V result;
        if (rest) {
          const V addend = cotangent::load<V>(rest + i);
          result = fma(f, value, minus_b ? -addend : addend);
        } else {
          result = f * value;
        }
        cotangent::store(result, y + i);
      });
    }
    case Rule::product: {
      const Number *a0 = base(a), *b0 = base(b), *ak = newest(a), *bk = newest(b), *rest = newest(c);
      return each([&]<class V>(V, std::size_t i) {
        V lower;
        if (again) {
          lower = cotangent::load<V>(S + i);
        } else {
          lower = a == b ? square_convolution<V>(a0 + i, k, row) : convolution<V>(a0 + i, b0 + i, k, row);
          cotangent::store(lower, S + i);
        }
        V value = fma(cotangent::load<V>(a0 + i), cotangent::load<V>(bk + i),
                      fma(cotangent::load<V>(ak + i), cotangent::load<V>(b0 + i), lower));
        if (minus_a) value = -value;
        if (rest) {
          const V addend = cotangent::load<V>(rest + i);
          value = minus_b ? value - addend : value + addend;
        }
        cotangent::store(value, y + i);
      });
    }
    case Rule::over: {
      const Number *x = newest(a), *z = base(b);
      return each([&]<class V>(V, std::size_t i) {
        cotangent::store(cotangent::load<V>(x + i) / cotangent::load<V>(z + i), y + i);
      });
    }
    case Rule::quotient: {
      const Number *x = newest(a), *b0 = base(b), *bk = newest(b), *y0 = base(v);
      return each([&]<class V>(V, std::size_t i) {
        V lower;
        if (again) {
          lower = cotangent::load<V>(S + i);
        } else {
          lower = convolution<V>(b0 + i, y0 + i, k, row);
          cotangent::store(lower, S + i);
        }
        V value = -fma(cotangent::load<V>(bk + i), cotangent::load<V>(y0 + i), lower);
        if (x) value = cotangent::load<V>(x + i) + value;
        cotangent::store(value / cotangent::load<V>(b0 + i), y + i);
      });
    }
    case Rule::root: {
      const Number *x = newest(a), *y0 = base(v);
      return each([&]<class V>(V, std::size_t i) {
        V lower;
        if (again) {
          lower = cotangent::load<V>(S + i);
        } else {
          lower = square_convolution<V>(y0 + i, k, row);
          cotangent::store(lower, S + i);
        }
        const V root = cotangent::load<V>(y0 + i);
        cotangent::store((cotangent::load<V>(x + i) - lower) / (root + root), y + i);
      });
    }
    case Rule::chain: {
      const Number *u0 = base(a), *uk = newest(a), *w0 = base(b), *wk = newest(b);
      const Number *d0 = base(step.slopes[0]), *e0 = base(step.slopes[1]);
      const Number weight(static_cast<double>(k));
      return each([&]<class V>(V, std::size_t i) {
        V lower(0);
        if (again) {
          lower = cotangent::load<V>(S + i);
        } else {
          // Slopes that are still have no further coefficients.
          if (u0 && step.slopes[0] != JetProgram::kNone && plan_.program.steps()[step.slopes[0]].has_history)
            lower = slope_convolution<V>(u0 + i, d0 + i, k, row);
          if (w0 && step.slopes[1] != JetProgram::kNone && plan_.program.steps()[step.slopes[1]].has_history)
            lower = lower + slope_convolution<V>(w0 + i, e0 + i, k, row);
          lower = lower / V(weight);
          cotangent::store(lower, S + i);
        }
        if (u0) lower = fma(cotangent::load<V>(d0 + i), cotangent::load<V>(uk + i), lower);
        if (w0) lower = fma(cotangent::load<V>(e0 + i), cotangent::load<V>(wk + i), lower);
        cotangent::store(lower, y + i);
      });
    }
    case Rule::choose: {
      const Number *condition = base(a), *x = newest(b), *z = newest(c);
      return each([&]<class V>(V, std::size_t i) {
        const V first = x ? cotangent::load<V>(x + i) : V(0), second = z ? cotangent::load<V>(z + i) : V(0);
        cotangent::store(select(cotangent::load<V>(condition + i) == V(0), second, first), y + i);
      });
    }
    case Rule::fold: {
      const Number* x = newest(a);
      return each([&]<class V>(V, std::size_t i) {
        // Of 0 the side is that of the first coefficient that is not.
        const V value = cotangent::load<V>(x + i);
        V sign = cotangent::load<V>(S + i);
        sign = select(sign == V(0), select(value > V(0), V(1), select(value < V(0), V(-1), V(0))), sign);
        cotangent::store(sign, S + i);
        cotangent::store(sign * value, y + i);
      });
    }
    case Rule::least:
    case Rule::most: {
      const Number *a0 = base(a), *b0 = base(b), *ak = newest(a), *bk = newest(b);
      const bool is_least = step.rule == Rule::least;
      const auto newest_or_zero = [&]<class V>(V zero, const Number* x, Value of, std::size_t i) {
        return plan_.program.steps()[of].rule == Rule::still ? zero : cotangent::load<V>(x + i);
      };
      return each([&]<class V>(V zero, std::size_t i) {
        const V first = cotangent::load<V>(a0 + i), second = cotangent::load<V>(b0 + i);
        const auto takes_b = is_least ? second < first : first < second;
        cotangent::store(select(takes_b, newest_or_zero(zero, bk, b, i), newest_or_zero(zero, ak, a, i)), y + i);
      });
    }
  }
}

template <class T>
void JetKernel<T>::operator()(int k, bool again, const JetFrame<T>& frame) {
  if (k > 0 && !plan_.is_moving) return;
  const std::size_t steps = plan_.program.steps().size(), instances = plan_.instances();
  Block block{0, 0, memory_.data()};
  for (; block.first < plan_.count;
       block.first += static_cast<std::int64_t>(instances), block.memory += plan_.kept_rows * plan_.row) {
    block.count = std::min(instances, static_cast<std::size_t>(plan_.count - block.first));
    if (k == 0) {
      for (Value v = 0; v < steps; ++v) begin(block, v, frame);
    } else {
      for (const Value v : again ? plan_.again : plan_.moving)
        block.numbers() == 1 ? go_on<true>(block, v, k, again, frame) : go_on<false>(block, v, k, again, frame);
    }
    if (again && k > 0 && !plan_.stores_again) continue;
    for (std::size_t s = 0; s < plan_.stores.size(); ++s) store(block, s, k, frame);
  }
}

template <class T>
T JetKernel<T>::first_change(int orders, const T& h) const {
  // Where a piece ends is a number without derivatives; a recording fails here, because it is a choice.
  using Lane = std::conditional_t<std::is_same_v<T, Quad>, Quad, double>;
  T first = h;
  const std::size_t instances = plan_.instances();
  std::vector<Lane> c(static_cast<std::size_t>(orders));
  Block block{0, 0, const_cast<Number*>(memory_.data())};
  for (; block.first < plan_.count;
       block.first += static_cast<std::int64_t>(instances), block.memory += plan_.kept_rows * plan_.row) {
    block.count = std::min(instances, static_cast<std::size_t>(plan_.count - block.first));
    for (const auto& each : plan_.program.switches()) {
      const auto& owner = plan_.program.steps()[each.owner];
      const Code code = owner.of.code;
      if (code == Code::eq || code == Code::ne) continue;
      const auto coefficient = [&](Value v, int k, std::size_t i) {
        if (v == JetProgram::kNone || (k > 0 && plan_.program.steps()[v].rule == Rule::still)) return Lane(0);
        return static_cast<Lane>(at(block, v, k)[i]);
      };
      for (std::size_t i = 0; i < block.numbers(); ++i) {
        const auto lane_index = static_cast<int>(i % kWidth);
        const Lane length = static_cast<Lane>(lane(first, lane_index)), size = abs(length);
        const auto cut = [&](Lane shift, Lane sign) {
          Lane power = sign;
          for (std::size_t k = 0; k < c.size(); ++k, power *= length < 0 ? Lane(-1) : Lane(1))
            c[k] = power * (coefficient(each.a, static_cast<int>(k), i) - coefficient(each.b, static_cast<int>(k), i) -
                            (k == 0 ? shift : Lane(0)));
          if (const auto found = first_crossing(std::span<const Lane>(c), size)) {
            const Lane t = length < 0 ? -*found : *found;
            if constexpr (kWidth == 1) {
              first = T(t);
            } else {
              first[lane_index] = t;
            }
          }
        };
        if (code == Code::floor) {
          const Lane whole = static_cast<Lane>(at(block, each.owner, 0)[i]);
          cut(whole, Lane(1));
          cut(whole + Lane(1), Lane(-1));
          continue;
        }
        const Lane difference = coefficient(each.a, 0, i) - coefficient(each.b, 0, i);
        if (difference != 0) {
          cut(Lane(0), difference > 0 ? Lane(1) : Lane(-1));
        } else if (code == Code::lt || code == Code::max || code == Code::le || code == Code::min) {
          cut(Lane(0), code == Code::lt || code == Code::max ? Lane(1) : Lane(-1));
        }
      }
    }
  }
  return first;
}

COTANGENT_INSTANTIATE(NUMBERS, JetKernel);

}  // namespace cotangent
