#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cotangent/integrator/rattle_plan.hpp"
#include "cotangent/system/fuse.hpp"

namespace cotangent {

/// Stages of a RattlePlan as expressions, to be put one into the other in a kernel: see RattleLoopPlan.
class RattleLoopStages {
 public:
  using Vector = std::vector<Expr>;
  /// What a stage reads, by input vector; scalars, masses and columns are read where they are.
  using Inputs = std::map<int, Vector>;

  /// What a stage gives, by output vector and index.
  class Values {
   public:
    void set(int vector, std::int64_t index, Expr value) { values_[{vector, index}] = value; }
    bool has(int vector) const { return values_.contains({vector, 0}); }
    Expr at(int vector, std::int64_t index) const;
    Vector all(int vector, std::int64_t count) const;

   private:
    std::map<std::pair<int, std::int64_t>, Expr> values_;
  };

  RattleLoopStages(Graph& graph, std::int64_t rows, const std::vector<std::pair<int, int>>& off_diagonal)
      : graph_(graph), rows_(rows), off_diagonal_(off_diagonal), places_(graph, 1) {}

  Graph& graph() const { return graph_; }

  /// Symbols for the entries of a vector that the kernel reads.
  Vector read(int vector, std::int64_t count);
  const std::vector<KernelSpec::Load>& loads() const { return places_.loads(); }

  /// @pre the stage is a single kernel of a single instance.
  Values run(const RattlePlan::Stage& stage, const Inputs& inputs);

  /// A matrix by its factors, A = L D U, without pivoting.
  class Factors {
   public:
    explicit Factors(std::vector<Vector> a);
    Vector solve(Vector x) const;

   private:
    std::vector<Vector> a_;  // D U in the upper part, and L below it
    Vector inverse_;         // of the pivots
  };

  /// K, or R, as a stage left it.
  Factors factor_newton(const Values& values) const { return factor(values, CouplingPlan::upper); }
  Factors factor(const Values& values) const { return factor(values, CouplingPlan::lower); }

 private:
  Factors factor(const Values& values, int upper) const;

  Graph& graph_;
  std::int64_t rows_;
  const std::vector<std::pair<int, int>>& off_diagonal_;
  Places places_;
};

}  // namespace cotangent
