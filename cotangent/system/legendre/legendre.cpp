#include "cotangent/system/legendre/legendre.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace cotangent {
namespace {

using Result = Contraction::Result;

/// H of a Lagrangian and its derivatives along up to three directions (x, y, c) for (q, p, t), c being 0 or 1.
///
/// H is the stationary value over v of p'v - L(q, v, t). Let v_1 be the derivative of v(q, p, t) along direction 1,
/// v_12 along 1 and 2, ..., and a_i = (x_i, v_i, c_i) what happens to the arguments of L along direction i.
/// Differentiating L_v = p, with M = L_vv,
///
///   M v_1   = y_1 - L_v'[(x_1, 0, c_1)]
///   M v_12  = -L_v''[a_1, a_2]
///   M v_123 = -L_v'''[a_1, a_2, a_3] - sum L_v''[a_i, (0, v_jk, 0)]      over i = 1, 2, 3, {j, k} the others
///
/// and with H_p = v, H_q = -L_q the gradients are
///
///   H_p'   = v_1                H_q'   = -L_q'[a_1]
///   H_p''  = v_12               H_q''  = -L_q''[a_1, a_2] - L_qv v_12
///   H_p''' = v_123              H_q''' = -L_q'''[a_1, a_2, a_3] - sum L_q''[a_i, (0, v_jk, 0)] - L_qv v_123
///
/// All of these are one formula: a term L^(k)[B_1, ..., B_k] for every partition of the set of directions into blocks,
/// where the block {i} stands for a_i and a larger block B for (0, v_B, 0). Of the values a stationary one needs less:
///
///   H' = y_1'v - L'[(x_1, 0, c_1)]      H'' = y_1'v_2 + y_2'v_1 - L''[a_1, a_2]      H''' = -L'''[a_1, a_2, a_3]
template <class T>
class LegendreOperation final : public Operation<T> {
 public:
  /// @param contraction of H. @param legendre must outlive this.
  /// @throws std::invalid_argument if there are more directions, or the gradient is by v.
  LegendreOperation(Legendre<T>& legendre, const Contraction& contraction)
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
      L_v_[set] = derivative_at_fixed_v(set);
    }
    if (result_ == Result::gradient_q) add_partitions(all_, {}, result_, terms_);
    if (result_ == Result::value) {
      Blocks blocks;
      for (std::size_t d = 0; d < directions_.size(); ++d) blocks.push_back({1U << d, directions_.size() > 1});
      terms_ = {term(std::move(blocks), result_)};
    }
  }

  void operator()(const Frame<T>& frame) const override {
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

 private:
  /// A set of directions, bit d for direction d.
  using Set = unsigned;
  struct Block {
    Set directions;
    bool moves_v;  // (x_i, v_i, c_i), not (x_i, 0, c_i)
  };
  using Blocks = std::vector<Block>;

  /// A contraction of L with one direction for each block.
  struct Term {
    Blocks blocks;
    const Operation<T>* operation;
  };
  using Terms = std::vector<Term>;

  Term term(Blocks blocks, Result result) const {
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

  // The derivative of L_x(q, v(q, p, t), t) along the directions of a set: every partition of the rest of it, the block
  // of its first direction with each subset of the others.
  void add_partitions(Set rest, const Blocks& blocks, Result result, Terms& terms) const {
    if (rest == 0) return terms.push_back(term(blocks, result));
    const Set first = rest & (~rest + 1), others = rest & ~first;
    for (Set with = others;; with = (with - 1) & others) {
      Blocks more = blocks;
      more.push_back({first | with, true});
      add_partitions(others & ~with, more, result, terms);
      if (with == 0) break;
    }
  }

  // The same of L_v, without L_vv v_set.
  Terms derivative_at_fixed_v(Set set) const {
    if (std::has_single_bit(set)) return {term({{set, false}}, Result::gradient_v)};
    Terms terms;
    add_partitions(set, {}, Result::gradient_v, terms);
    std::erase_if(terms, [](const Term& each) { return each.blocks.size() == 1; });
    return terms;
  }

  void evaluate(const Terms& terms, const Frame<T>& frame, T* sum, std::size_t size) const {
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

  void find_velocities(const Frame<T>& frame) const {
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

  T value(const Frame<T>& frame) const {
    const auto inner = [](const T* y, const std::vector<T>& v) {
      T sum(0);
      for (std::size_t j = 0; j < v.size(); ++j) sum += y[j] * v[j];
      return sum;
    };
    T L(0), pv(0);
    evaluate(terms_, frame, &L, 1);
    const std::vector<T>& v = legendre_.velocity(frame.in[in::q], frame.in[in::p], *frame.in[in::t]);
    if (directions_.empty()) pv = inner(frame.in[in::p], v);
    for (std::size_t d = 0; d < directions_.size() && directions_.size() < 3; ++d) {
      const Set others = all_ & ~(1U << d);
      if (directions_[d].p)
        pv += inner(frame.in[static_cast<std::size_t>(in::argument(Space::p, d))], others == 0 ? v : v_[others]);
    }
    return pv - L;
  }

  Legendre<T>& legendre_;
  Result result_;
  std::vector<Contraction::Direction> directions_;
  Set all_;
  Terms terms_;                                       // of L or L_q
  std::array<Terms, in::kMasks> L_v_;                 // by set: the right-hand side of M v_set
  std::vector<Set> needed_;                           // whose v_set are to be found
  mutable std::array<std::vector<T>, in::kMasks> v_;  // v_set
  mutable std::vector<T> part_;
  mutable Frame<T> frame_;
};

}  // namespace

template <class T>
std::unique_ptr<Operation<T>> Legendre<T>::make(const Contraction& contraction) {
  if (contraction.of != Contraction::Of::H) return nullptr;
  return std::make_unique<LegendreOperation<T>>(*this, contraction);
}

COTANGENT_INSTANTIATE(NUMBERS, Legendre);

}  // namespace cotangent
