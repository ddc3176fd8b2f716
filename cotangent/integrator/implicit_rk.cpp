#include "cotangent/integrator/implicit_rk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/stage_sums.hpp"
#include "cotangent/integrator/add_increment.hpp"
#include "cotangent/integrator/stage_failure.hpp"
#include "cotangent/solve/pivoted_lu.hpp"

namespace cotangent {
namespace {

// A polynomial is continued over steps up to so many times longer than the one that it is from.
constexpr double kMostContinued = 2;

// What a step changes more than so many times is nothing to measure that by.
constexpr double kNothing = 1e-6;

// Sizes are found from changes of so much; and count less in every iteration, down to that last part of them.
constexpr double kMove = 1.0 / 1024, kForget = 0.1, kRemembered = 1e-4;

// w with w'a = b'; nothing if a is singular.
std::vector<Quad> weights_of_stages(const ImplicitTableau& tableau) {
  std::vector<Quad> a, w = tableau.b, work;
  for (const auto& row : tableau.a) a.insert(a.end(), row.begin(), row.end());
  PivotedLu<Quad> lu(w.size());
  if (!lu.factor(a)) return {};
  lu.solve_transposed(w.data(), work);
  return w;
}

}  // namespace

template <class T>
ImplicitRungeKutta<T>::ImplicitRungeKutta(MethodFacts facts, const ImplicitTableau& tableau,
                                          std::unique_ptr<Formulation<T>> formulation, std::size_t witnesses,
                                          FixedPointSolver solver)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)), witnesses_(witnesses), solver_(solver) {
  const auto in_parts = [](const std::vector<Quad>& from) {
    std::vector<Coefficient> to;
    for (const Quad x : from) to.push_back(split(x));
    return to;
  };
  for (const auto& row : tableau.a) a_.push_back(in_parts(row));
  b_ = in_parts(tableau.b);
  w_ = in_parts(weights_of_stages(tableau));
  for (const Quad x : tableau.c) c_.push_back(static_cast<Number>(x));
  continuation_.assign(c_.size(), c_);

  // A block ends where no stage so far depends on a later one.
  const auto depends = [&](std::size_t i, std::size_t j) { return !a_[i][j].is_zero(); };
  for (std::size_t first = 0; first < b_.size();) {
    std::size_t last = first + 1;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = last; j < b_.size(); ++j)
        if (depends(i, j)) last = j + 1;
    blocks_.push_back({first, last, last == first + 1 && !depends(first, first), nullptr});
    first = last;
  }
}

// With ten bits in the first part, products with it lose ten bits at most, and at random.
template <class T>
typename ImplicitRungeKutta<T>::Coefficient ImplicitRungeKutta<T>::split(Quad exact) {
  const Quad high = rintq(exact * 1024) / 1024;
  return {static_cast<Number>(high), static_cast<Number>(exact - high)};
}

template <class T>
void ImplicitRungeKutta<T>::prepare(const PhasePoint<T>& z) {
  const std::size_t size = z.q.size() + z.p.size() + z.s.size();
  if (n_ != z.q.size() || size_ != size) {
    n_ = z.q.size();
    size_ = size;
    moving_ = size - witnesses_;
    x_.assign(size, T(0));
    increments_ = {std::vector<T>(n_, T(0)), std::vector<T>(n_, T(0)), std::vector<T>(z.s.size(), T(0))};
    probe_.assign(b_.size() * size, T(0));
    moved_ = moved_r_ = probe_;
    Z_.assign(b_.size(), x_);
    rates_ = Z_;
    base_ = Z_;
    for (Block& block : blocks_)
      if (!block.is_explicit)
        block.solver = std::make_unique<FixedPoint<T>>((block.last - block.first) * size, solver_);
  }
  const auto largest = [](const std::vector<T>& x, std::size_t count) {
    T most(0);
    for (std::size_t k = 0; k < count; ++k) most = max(most, magnitude(x[k]));
    return most;
  };
  sizes_ = {largest(z.q, n_), largest(z.p, n_), largest(z.s, z.s.size() - witnesses_)};
}

// L_j(1 + c_i h / last_h) - L_j(1) for the polynomials L_j that are 1 at c_j and 0 at 0 and at the other nodes.
template <class T>
void ImplicitRungeKutta<T>::find_continuation(Number ratio) {
  if (continued_for_ == ratio) return;
  continued_for_ = ratio;
  const auto is_node = [&](std::size_t j) {
    return c_[j] != Number(0) && std::find(c_.begin(), c_.begin() + static_cast<std::ptrdiff_t>(j), c_[j]) ==
                                     c_.begin() + static_cast<std::ptrdiff_t>(j);
  };
  const auto L = [&](std::size_t j, Number x) {
    if (!is_node(j)) return Number(0);
    Number product = x / c_[j];
    for (std::size_t k = 0; k < c_.size(); ++k)
      if (k != j && is_node(k)) product *= (x - c_[k]) / (c_[j] - c_[k]);
    return product;
  };
  for (std::size_t i = 0; i < b_.size(); ++i)
    for (std::size_t j = 0; j < b_.size(); ++j) continuation_[i][j] = L(j, Number(1) + c_[i] * ratio) - L(j, Number(1));
}

template <class T>
void ImplicitRungeKutta<T>::guess(Number h, const Memory<T>& before) {
  const bool is_known = before.depth > 0 && before.numbers[0].size() == size_;
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (blocks_[k].solver) blocks_[k].solver->damped() = is_known ? before.numbers.back()[k] : T(0);
  const Number ratio = before.h == Number(0) ? Number(0) : h / before.h;
  if (!is_known || !(abs(ratio) <= Number(kMostContinued)) || ratio == Number(0)) {
    for (auto& Z : Z_) std::fill(Z.begin(), Z.end(), T(0));
    return;
  }
  find_continuation(ratio);
  for (std::size_t i = 0; i < b_.size(); ++i) {
    std::fill(Z_[i].begin(), Z_[i].end(), T(0));
    for (std::size_t j = 0; j < b_.size(); ++j)
      for (std::size_t k = 0; k < moving_; ++k) Z_[i][k] += T(continuation_[i][j]) * before.numbers[j][k];
  }
}

template <class T>
Mask<T> ImplicitRungeKutta<T>::rate(const PhasePoint<T>& z, std::size_t stage, Number h, const T* Z, T* f) {
  std::size_t k = 0;
  for (const auto* x : {&z.q, &z.p, &z.s})
    for (const T& entry : *x) {
      x_[k] = entry + Z[k];
      ++k;
    }
  return this->formulation().field({x_.data(), x_.data() + n_, x_.data() + 2 * n_, T(z.t + h * c_[stage])}, f, f + n_,
                                   f + 2 * n_);
}

template <class T>
template <class Visit>
void ImplicitRungeKutta<T>::each_of(std::size_t part, std::size_t stages, const Visit& visit) const {
  const std::array<std::size_t, 4> bounds{0, n_, 2 * n_, moving_};
  for (std::size_t i = 0; i < stages; ++i)
    for (std::size_t k = bounds[part]; k < bounds[part + 1]; ++k) visit(i * size_ + k);
}

// Where a kind begins at zero, or at a rounding error, its size is not known: at rest the momenta, for instance. Then
// it is at least Z - r = h sum a f, and what a relative change of everything makes of that: with q = 1, p = 0 and the
// force 0 there, p is no better known than h f' q. Since f may be much larger at a guess than at the solution that
// counts for less and less.
template <class T>
template <class Residual>
bool ImplicitRungeKutta<T>::find_sizes(const Residual& residual, const T* Z, const T* r, std::size_t stages,
                                       const Mask<T>& active) {
  const auto larger = [](T& most, const T& x) { most = largest_finite(most, x); };
  std::array<Mask<T>, 3> is_unknown;
  std::array<T, 3> sizes;
  Mask<T> asks(false);
  for (std::size_t part = 0; part < 3; ++part) {
    T change(0), most = sizes_[part];
    each_of(part, stages, [&](std::size_t k) { larger(change, Z[k] - r[k]), larger(most, Z[k]); });
    is_unknown[part] = most <= T(kNothing) * change;
    sizes[part] = max(most, change);
    least_sizes_[part] = select(is_unknown[part], change, T(0));
    if (part < 2 || moving_ > 2 * n_) asks = asks | (active & is_unknown[part]);
  }
  if (!any(asks)) return false;
  std::size_t sign = 0;
  for (std::size_t part = 0; part < 3; ++part)
    each_of(part, stages, [&](std::size_t k) { moved_[k] = Z[k] + T(++sign % 3 == 0 ? -kMove : kMove) * sizes[part]; });
  const Mask<T> found = residual(moved_.data(), moved_r_.data());
  for (std::size_t part = 0; part < 3; ++part) {
    T change(0);
    each_of(part, stages, [&](std::size_t k) { larger(change, (moved_[k] - moved_r_[k]) - (Z[k] - r[k])); });
    least_sizes_[part] =
        select(is_unknown[part] & found, max(least_sizes_[part], change / T(kMove)), least_sizes_[part]);
  }
  return true;
}

// Coordinates, momenta and states are measured by the largest of their kind, be it at the beginning or in Z.
template <class T>
void ImplicitRungeKutta<T>::weigh(const T* Z, std::size_t stages, std::vector<T>& weights) const {
  for (std::size_t part = 0; part < 3; ++part) {
    T most = max(sizes_[part], least_sizes_[part]);
    each_of(part, stages, [&](std::size_t k) { most = largest_finite(most, Z[k]); });
    const T weight = select(most > T(0), T(1) / max(most, T(std::numeric_limits<double>::min())), T(1));
    each_of(part, stages, [&](std::size_t k) { weights[k] = weight; });
  }
}

template <class T>
void ImplicitRungeKutta<T>::solve(Block& block, const PhasePoint<T>& z, Number h, StepReport<T>& report) {
  const auto [first, last] = std::pair(block.first, block.last);
  for (std::size_t i = first; i < last; ++i) {
    std::fill(base_[i].begin(), base_[i].end(), T(0));
    for (std::size_t j = 0; j < first; ++j) {
      if (a_[i][j].is_zero()) continue;
      const T high(a_[i][j].high), low(a_[i][j].low);
      for (std::size_t k = 0; k < size_; ++k) base_[i][k] += low * rates_[j][k] + high * rates_[j][k];
    }
    for (T& entry : base_[i]) entry = T(h) * entry;
  }
  if (block.is_explicit) {
    Z_[first] = base_[first];
    this->note_failure(report, rate(z, first, h, Z_[first].data(), rates_[first].data()));
    ++report.evaluations;
    return;
  }

  FixedPoint<T>& solver = *block.solver;
  for (std::size_t i = first; i < last; ++i)
    std::copy(Z_[i].begin(), Z_[i].end(), solver.x().begin() + static_cast<std::ptrdiff_t>((i - first) * size_));
  // Where the field was not found, if anywhere, is kept in Z_.
  Mask<T> was_lost(false);
  // r_i = Z_i - h sum_j a_ij f(z + Z_j)
  const auto residual = [&](const T* Z, T* r) {
    Mask<T> here(true);
    for (std::size_t i = first; i < last; ++i)
      here = here & rate(z, i, h, Z + (i - first) * size_, probe_.data() + i * size_);
    for (std::size_t i = first; i < last; ++i) {
      T* r_i = r + (i - first) * size_;
      for (std::size_t k = 0; k < size_; ++k) r_i[k] = T(0);
      for (std::size_t j = first; j < last; ++j) add_scaled(a_[i][j].low, probe_.data() + j * size_, r_i, size_);
      for (std::size_t j = first; j < last; ++j) add_scaled(a_[i][j].high, probe_.data() + j * size_, r_i, size_);
      for (std::size_t k = 0; k < size_; ++k) r_i[k] = Z[(i - first) * size_ + k] - (base_[i][k] + T(h) * r_i[k]);
      for (std::size_t k = moving_; k < size_; ++k) r_i[k] = Z[(i - first) * size_ + k];
    }
    return here;
  };
  Number remembered = 0;
  const auto evaluate = [&](const T* Z, T* r, const Mask<T>& active, bool is_probe) {
    const Mask<T> here = residual(Z, r);
    if (is_probe) return here;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = 0; k < size_; ++k) rates_[i][k] = select(active, probe_[i * size_ + k], rates_[i][k]);
    if (remembered == Number(0)) {
      remembered = 1;
      if (find_sizes(residual, Z, r, last - first, active & here))
        report.evaluations += static_cast<std::int64_t>(last - first);
    } else if (remembered > static_cast<Number>(kRemembered)) {
      remembered *= static_cast<Number>(kForget);
      for (T& size : least_sizes_) size *= T(kForget);
    }
    weigh(Z, last - first, solver.weights());
    const Mask<T> is_lost = active & !here;
    if (any(is_lost)) {
      was_lost = was_lost | is_lost;
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = 0; k < size_; ++k) Z_[i][k] = select(is_lost, Z[(i - first) * size_ + k], Z_[i][k]);
    }
    return here;
  };
  const auto result = solver.solve(evaluate, report.ok);
  report.iterations += result.iterations;
  report.evaluations += result.evaluations * static_cast<std::int64_t>(last - first);
  const Mask<T> lost = report.ok & !result.converged;
  const Mask<T> for_that = lost & was_lost;
  if (any(for_that)) {
    Mask<T> found(true);
    for (std::size_t i = first; i < last && !any(for_that & !found); ++i)
      found = found & rate(z, i, h, Z_[i].data(), probe_.data() + i * size_);
    this->note_failure(report, found | !for_that);
  }
  for (std::size_t i = first; i < last; ++i)
    std::copy_n(solver.x().begin() + static_cast<std::ptrdiff_t>((i - first) * size_), size_, Z_[i].begin());

  by_newton_ = by_newton_ | result.newton;

  if (!any(report.ok & !result.converged)) return;
  report.residual = result.residual;
  report.tolerance = T(epsilon<T>());
  report.status = all(isfinite(result.residual)) ? stage_failure(solver_) : StepStatus::not_finite;
  report.ok = report.ok & result.converged;
}

template <class T>
T ImplicitRungeKutta<T>::increment(std::size_t k, Number h) const {
  const auto sum = [k](const std::vector<Coefficient>& weights, const std::vector<std::vector<T>>& of_stages) {
    T result(0);
    for (std::size_t i = 0; i < weights.size(); ++i) result += T(weights[i].low) * of_stages[i][k];
    for (std::size_t i = 0; i < weights.size(); ++i) result += T(weights[i].high) * of_stages[i][k];
    return result;
  };
  const T of_rates = T(h) * sum(b_, rates_);
  if (!any(by_newton_) || w_.empty() || k >= moving_) return of_rates;
  return select(by_newton_, sum(w_, Z_), of_rates);
}

template <class T>
StepReport<T> ImplicitRungeKutta<T>::step_variables(PhasePoint<T>& z, Number h, const Memory<T>& before,
                                                    Memory<T>& after) {
  prepare(z);
  guess(h, before);
  by_newton_ = false;
  StepReport<T> report;
  for (Block& block : blocks_) {
    solve(block, z, h, report);
    if (!any(report.ok)) return report;
  }
  Mask<T> finite(true);
  std::size_t k = 0;
  for (auto& part : increments_)
    for (T& entry : part) {
      entry = increment(k++, h);
      finite = finite & isfinite(entry);
    }
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
    if (!any(report.ok)) return report;
  }
  add_increment(report.ok, increments_[0], z.q, z.q_low);
  add_increment(report.ok, increments_[1], z.p, z.p_low);
  add_increment(report.ok, increments_[2], z.s, z.s_low);
  z.advance_time(h);
  remember(h, after);
  if (!all(report.ok)) forget(!report.ok, after);
  return report;
}

// The stages, and how their solves went.
template <class T>
void ImplicitRungeKutta<T>::remember(Number h, Memory<T>& after) const {
  after.numbers.resize(Z_.size() + 1);
  for (std::size_t i = 0; i < Z_.size(); ++i) after.numbers[i] = Z_[i];
  after.numbers.back().resize(blocks_.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    after.numbers.back()[k] = blocks_[k].solver ? blocks_[k].solver->damped() : T(0);
  after.depth = 1;
  after.h = h;
}

// Stages that are zero continue as zero.
template <class T>
void ImplicitRungeKutta<T>::forget(const Mask<T>& lanes, Memory<T>& memory) const {
  for (auto& each : memory.numbers)
    for (T& entry : each) entry = select(lanes, T(0), entry);
}

COTANGENT_INSTANTIATE(NUMBERS, ImplicitRungeKutta);

}  // namespace cotangent
