#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "cotangent/kernel/jet_plan.hpp"
#include "cotangent/kernel/llvm_series_function.hpp"

namespace cotangent {

/// What an instance of a kernel computes: coefficient 0 by its program, coefficient k > 0 from sums over those before
/// it. See JetPlan for the order of summation.
class SeriesValues : public SeriesFunction {
 protected:
  using V = JetProgram::Value;

  using SeriesFunction::SeriesFunction;

  /// An instance, or a vector of neighbours, whose values are being computed.
  struct Instance {
    Value* memory;                               ///< of its block, from its first number on
    Value* scratch;                              ///< the same
    std::function<Value*(std::size_t)> load;     ///< what load l has at the order
    std::function<Value*(std::size_t)> counter;  ///< what counter c has
    std::map<V, Value*> newest = {}, sums = {};  ///< values at the order, and S
    std::map<V, Value*> base = {};               ///< coefficients 0
  };

  Value* address(const JetPlan& plan, const Instance& instance, V v, const Order& k);

  // Coefficient 0: what the program computes, and what later orders read of it.
  void begin(const JetPlan& plan, Instance& instance, int width);

  // Sums over 0 < j < k of products, for several instances at once.
  void find_sums(const JetPlan& plan, const std::vector<Instance*>& instances, const Order& k, int width);

  // Coefficient k > 0, from S.
  void go_on(const JetPlan& plan, Instance& instance, const Order& k, bool again, int width,
             const std::vector<bool>& is_written);

 private:
  /// A sum over 0 < j < k.
  struct Sum {
    Value *a, *b;      // coefficients 0; the same: a square
    bool is_weighted;  // by j
    std::size_t row;
    Value* result;
  };

  // Even and odd j apart, as the interpreter does.
  struct Halves {
    Value *odd, *even;
  };

  // One term at j rows from a and k - j from b, given in numbers.
  Value* term(const Sum& sum, Value* from_a, Value* from_b, Value* weight, Value* to, int width);

  // Terms j = 1, 2, ... below `end`, in pairs, then one that may be left.
  void add_terms(std::vector<Sum>& all, const Order& k, Value* end, std::optional<int> known_end, int width,
                 const std::function<void(Sum&, Halves)>& finish);

  void add_up(std::vector<Sum>& sums, const Order& k, int width);

  void add_up_squares(std::vector<Sum>& sums, const Order& k, int width);
};

}  // namespace cotangent
