#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cotangent/elements/family_maker.hpp"

namespace cotangent {

/// Splits functions into families: sums and their multiples are distributed over their terms, and sums inside nonlinear
/// functions become group variables, or are written out where they are short.
///
/// Sums that differ in their ends only, such as angle_i = sum(j in 1..i, q_j) for all i, are partial sums of one list,
/// and are found together by doubling [hillis-steele86]: with s_k = q_k in the beginning, s_k += s_(k-d) for all k at
/// once, for d = 1, 2, 4, ... That takes N log N additions instead of N^2, in loops that have no order, and sums inside
/// sums multiply no further.
class SumSplitter {
 public:
  /// @param symbols must outlive this.
  explicit SumSplitter(const ModelSymbols& symbols) : symbols_(symbols), graph_(symbols.graph), maker_(symbols) {}

  /// Adds the families of e, summed into one row for each instance of the outer loops.
  /// @pre parameters that are numbers have been replaced, and the loops have the indices of index_symbol().
  void add(Expr e, const std::vector<Loop>& outer, const IndexMap& rows, std::vector<Family>& families);

  SymbolId index_symbol(std::size_t depth) { return maker_.index_symbol(depth); }

  /// From now on short sums outside of loops are written out too: for rows, which then are one instance each.
  void unroll_outermost() { unrolls_outermost_ = true; }

  /// The families of group variables so far, and the number of these; forgets them.
  struct Groups {
    std::vector<Family> families;
    std::int64_t count = 0;
  };
  Groups take_groups();

 private:
  /// Terms that are summed over the same loops.
  struct Nest {
    std::vector<Loop> loops;
    std::vector<Expr> terms;
  };

  std::vector<std::pair<Expr, Expr>> terms_of(Expr e) const;
  void split(Expr e, Expr coefficient, const std::vector<Loop>& loops, std::vector<Nest>& nests);
  static void collect(Expr term, const std::vector<Loop>& loops, std::vector<Nest>& nests);
  Expr with_groups(Expr e, const std::vector<Loop>& loops);
  Expr unrolled(Expr s);
  Expr group_variable(Expr s, const std::vector<Loop>& loops);
  static bool is_partial_sum(Expr s, const std::vector<Loop>& loops);
  Expr partial_sum(Expr s, const std::vector<Loop>& loops);
  void add_families(const Nest& nest, const LoopNest& instances, const IndexMap& row, std::vector<Family>& families);

  /// Partial sums of terms from `lo` on, for all ends from `low` to `high`; the first of their group variables.
  struct PartialSums {
    Expr terms, lo;
    std::int64_t low, high, first;
    std::unordered_map<NodeId, Expr> symbols = {};  ///< by the expression of the end
  };
  PartialSums& partial_sums(Expr s, std::int64_t low, std::int64_t high);

  const ModelSymbols& symbols_;
  Graph& graph_;
  FamilyMaker maker_;
  Groups groups_;
  std::unordered_map<NodeId, std::vector<std::pair<std::vector<Loop>, Expr>>> known_groups_;
  std::vector<PartialSums> known_partial_sums_;
  bool unrolls_outermost_ = false;
};

}  // namespace cotangent
