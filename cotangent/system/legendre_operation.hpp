#pragma once

#include <array>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/legendre.hpp"
#include "cotangent/system/operation.hpp"

namespace cotangent {

/// H of a Lagrangian and its derivatives along up to three directions (x, y, c) for (q, p, t), c being 0 or 1.
///
/// H is the stationary value over v of p'v - L(q, v, t). Let v_1 be the derivative of v(q, p, t) along direction 1,
/// v_12 along 1 and 2, ..., and a_i = (x_i, v_i, c_i) what happens to the arguments of L along direction i.
/// Differentiating L_v = p, with M = L_vv,
///
///   M v_1   = y_1 - L_v'[(x_1, 0, c_1)]
///   M v_12  = -L_v''[a_1, a_2]
///   M v_123 = -L_v'''[a_1, a_2, a_3] - sum L_v''[a_i, (0, v_jk, 0)]                      over i = 1, 2, 3, {j, k} the
///   others
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
  LegendreOperation(Legendre<T>& legendre, const Contraction& contraction);

  void operator()(const Frame<T>& frame) const override;

 private:
  /// A set of directions, bit d for direction d.
  using Set = unsigned;

  /// A contraction of L with one direction for each block.
  struct Term {
    struct Block {
      Set directions;
      bool moves_v;  // (x_i, v_i, c_i), not (x_i, 0, c_i)
    };
    std::vector<Block> blocks;
    const Operation<T>* operation;
  };
  using Terms = std::vector<Term>;

  Term term(std::vector<typename Term::Block> blocks, Contraction::Result result) const;
  void add_partitions(Set rest, std::vector<typename Term::Block>& blocks, Contraction::Result result,
                      Terms& terms) const;
  Terms derivative_of_L(Set set, Contraction::Result result) const;
  Terms derivative_at_fixed_v(Set set, Contraction::Result result) const;

  void evaluate(const Terms& terms, const Frame<T>& frame, T* sum, std::size_t size) const;
  void find_velocities(const Frame<T>& frame) const;
  T value(const Frame<T>& frame) const;
  T inner(const T* y, const std::vector<T>& v) const;

  Legendre<T>& legendre_;
  Contraction::Result result_;
  std::vector<Contraction::Direction> directions_;
  Set all_;
  Terms terms_;                                                             // of L or L_q
  std::array<Terms, 1 << Contraction::kMaxDirections> L_v_;                 // by set: the right-hand side of M v_set
  std::vector<Set> needed_;                                                 // whose v_set are to be found
  mutable std::array<std::vector<T>, 1 << Contraction::kMaxDirections> v_;  // v_set
  mutable std::vector<T> part_;
  mutable Frame<T> frame_;
};

COTANGENT_DECLARE(NUMBERS, LegendreOperation);

}  // namespace cotangent
