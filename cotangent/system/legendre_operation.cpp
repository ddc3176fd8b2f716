#include "cotangent/system/legendre_operation.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

using Result = Contraction::Result;

template <class T>
LegendreOperation<T>::LegendreOperation(Legendre<T>& legendre, const Contraction& contraction)
    : legendre_(legendre),
      result_(contraction.result),
      directions_(contraction.directions),
      all_((1U << contraction.directions.size()) - 1),
      part_(static_cast<std::size_t>(legendre.system().n())),
      frame_(legendre.system().frame()) {
  if (directions_.size() > Contraction::kMaxDirections)
    throw std::invalid_argument("a contraction has at most three directions");
  if (result_ == Result::gradient_v) throw std::invalid_argument("H does not depend on velocities");

  // The values need the velocities along single directions, and those not for H' either.
  const int most = result_ != Result::value ? std::popcount(all_) : std::popcount(all_) > 1 ? 1 : 0;
  for (Set set = 1; set <= all_; ++set) {
    if (std::popcount(set) > most) continue;
    needed_.push_back(set);  // after its subsets, which are smaller numbers
    v_[set] = part_;
    L_v_[set] = derivative_at_fixed_v(set, Result::gradient_v);
  }
  if (result_ == Result::gradient_q) terms_ = derivative_of_L(all_, result_);
  if (result_ == Result::value) {
    std::vector<typename Term::Block> blocks;
    for (std::size_t d = 0; d < directions_.size(); ++d) blocks.push_back({1U << d, directions_.size() > 1});
    terms_ = {term(std::move(blocks), result_)};
  }
}

template <class T>
typename LegendreOperation<T>::Term LegendreOperation<T>::term(std::vector<typename Term::Block> blocks,
                                                               Result result) const {
  Contraction contraction{.of = Contraction::Of::L, .result = result};
  for (const auto& block : blocks) {
    Contraction::Direction along{.q = false, .v = block.moves_v};
    if (std::has_single_bit(block.directions)) {
      const auto& direction = directions_[static_cast<std::size_t>(std::countr_zero(block.directions))];
      along.q = direction.q;
      along.t = direction.t;
    }
    contraction.directions.push_back(along);
  }
  return {std::move(blocks), &legendre_.system().operation(contraction)};
}

// Every partition of the rest: the block of its first direction, with each subset of the others.
template <class T>
void LegendreOperation<T>::add_partitions(Set rest, std::vector<typename Term::Block>& blocks, Result result,
                                          Terms& terms) const {
  if (rest == 0) {
    terms.push_back(term(blocks, result));
    return;
  }
  const Set first = rest & (~rest + 1), others = rest & ~first;
  for (Set with = others;; with = (with - 1) & others) {
    blocks.push_back({first | with, true});
    add_partitions(others & ~with, blocks, result, terms);
    blocks.pop_back();
    if (with == 0) break;
  }
}

// The derivative of L_x(q, v(q, p, t), t) along the directions of a set.
template <class T>
typename LegendreOperation<T>::Terms LegendreOperation<T>::derivative_of_L(Set set, Result result) const {
  Terms terms;
  std::vector<typename Term::Block> blocks;
  add_partitions(set, blocks, result, terms);
  return terms;
}

// The same without L_xv v_set.
template <class T>
typename LegendreOperation<T>::Terms LegendreOperation<T>::derivative_at_fixed_v(Set set, Result result) const {
  if (std::has_single_bit(set)) return {term({{set, false}}, result)};
  Terms terms = derivative_of_L(set, result);
  std::erase_if(terms, [](const Term& each) { return each.blocks.size() == 1; });
  return terms;
}

template <class T>
void LegendreOperation<T>::evaluate(const Terms& terms, const Frame<T>& frame, T* sum, std::size_t size) const {
  std::fill_n(sum, size, T(0));
  frame_.out[out::result] = part_.data();
  for (const Term& each : terms) {
    for (std::size_t d = 0; d < each.blocks.size(); ++d) {
      const Set set = each.blocks[d].directions;
      const auto given = static_cast<std::size_t>(std::countr_zero(set));
      frame_.in[static_cast<std::size_t>(in::argument(Space::q, d))] =
          frame.in[static_cast<std::size_t>(in::argument(Space::q, given))];
      frame_.in[static_cast<std::size_t>(in::argument(Space::v, d))] = v_[set].data();
    }
    (*each.operation)(frame_);
    for (std::size_t j = 0; j < size; ++j) sum[j] += part_[j];
  }
}

template <class T>
void LegendreOperation<T>::find_velocities(const Frame<T>& frame) const {
  for (const Set set : needed_) {
    std::vector<T>& v = v_[set];
    evaluate(L_v_[set], frame, v.data(), v.size());
    const auto d = static_cast<std::size_t>(std::countr_zero(set));
    const bool moves_p = std::has_single_bit(set) && directions_[d].p;
    const T* y = frame.in[static_cast<std::size_t>(in::argument(Space::p, d))];
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = (moves_p ? y[j] : T(0)) - v[j];
    legendre_.solve_mass(frame.in[in::q], frame.in[in::p], *frame.in[in::t], v.data());
  }
}

template <class T>
T LegendreOperation<T>::inner(const T* y, const std::vector<T>& v) const {
  T sum(0);
  for (std::size_t j = 0; j < v.size(); ++j) sum += y[j] * v[j];
  return sum;
}

template <class T>
T LegendreOperation<T>::value(const Frame<T>& frame) const {
  T L(0), pv(0);
  evaluate(terms_, frame, &L, 1);
  const std::vector<T>& v = legendre_.velocity(frame.in[in::q], frame.in[in::p], *frame.in[in::t]);
  switch (directions_.size()) {
    case 0:
      pv = inner(frame.in[in::p], v);
      break;
    case 1:
      if (directions_[0].p) pv = inner(frame.in[in::a_p], v);
      break;
    case 2:
      if (directions_[0].p) pv += inner(frame.in[in::a_p], v_[2]);
      if (directions_[1].p) pv += inner(frame.in[in::b_p], v_[1]);
      break;
  }
  return pv - L;
}

template <class T>
void LegendreOperation<T>::operator()(const Frame<T>& frame) const {
  const T *q = frame.in[in::q], *p = frame.in[in::p];
  T* out = frame.out[out::result];
  frame_.in[in::q] = q;
  frame_.in[in::t] = frame.in[in::t];
  // -V_q of L = T(v) - V(q) is had without v, which is not read.
  const bool needs_v = all_ != 0 || result_ != Result::gradient_q || legendre_.force_needs_velocity();
  frame_.in[in::v] = needs_v ? legendre_.velocity(q, p, *frame.in[in::t]).data() : p;
  find_velocities(frame);
  const std::size_t n = part_.size();
  switch (result_) {
    case Result::value:
      out[0] = value(frame);
      break;
    case Result::gradient_q:
      evaluate(terms_, frame, out, n);
      for (std::size_t j = 0; j < n; ++j) out[j] = -out[j];
      break;
    default:
      std::copy_n(all_ == 0 ? frame_.in[in::v] : v_[all_].data(), n, out);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, LegendreOperation);

}  // namespace cotangent
