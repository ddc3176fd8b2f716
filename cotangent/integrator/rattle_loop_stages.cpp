#include "cotangent/integrator/rattle_loop_stages.hpp"

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {

Expr RattleLoopStages::Values::at(int vector, std::int64_t index) const {
  const auto found = values_.find({vector, index});
  COTANGENT_CHECK(found != values_.end());
  return found->second;
}

RattleLoopStages::Vector RattleLoopStages::Values::all(int vector, std::int64_t count) const {
  Vector result;
  for (std::int64_t k = 0; k < count; ++k) result.push_back(at(vector, k));
  return result;
}

RattleLoopStages::Vector RattleLoopStages::read(int vector, std::int64_t count) {
  Vector symbols;
  for (std::int64_t k = 0; k < count; ++k) symbols.push_back(places_.symbol(vector, IndexMap::fixed(k)));
  return symbols;
}

RattleLoopStages::Values RattleLoopStages::run(const RattlePlan::Stage& stage, const Inputs& inputs) {
  const KernelSpec& spec = stage.kernels.at(0);
  Replacement to_value;
  for (const auto& load : spec.loads) {
    const auto given = inputs.find(load.vector);
    to_value.emplace(load.symbol.id(), given == inputs.end() ? places_.symbol(load.vector, load.at)
                                                             : given->second.at(static_cast<std::size_t>(load.at(0))));
  }
  Values values;
  for (const auto& store : spec.stores) values.set(store.vector, store.at(0), substitute(store.value, to_value));
  return values;
}

RattleLoopStages::Factors RattleLoopStages::factor(const Values& values, int upper) const {
  const auto size = static_cast<std::size_t>(rows_);
  std::vector<Vector> a(size, Vector(size, graph_.constant(0)));
  for (std::size_t i = 0; i < size; ++i) a[i][i] = values.at(CouplingPlan::diagonal, static_cast<std::int64_t>(i));
  for (std::size_t e = 0; e < off_diagonal_.size(); ++e) {
    const auto i = static_cast<std::size_t>(off_diagonal_[e].first);
    const auto j = static_cast<std::size_t>(off_diagonal_[e].second);
    a[i][j] = values.at(CouplingPlan::lower, static_cast<std::int64_t>(e));
    a[j][i] = values.at(upper, static_cast<std::int64_t>(e));
  }
  return Factors(std::move(a));
}

RattleLoopStages::Factors::Factors(std::vector<Vector> a) : a_(std::move(a)) {
  for (std::size_t k = 0; k < a_.size(); ++k) {
    inverse_.push_back(1 / a_[k][k]);
    for (std::size_t i = k + 1; i < a_.size(); ++i) {
      a_[i][k] = a_[i][k] * inverse_[k];
      for (std::size_t j = k + 1; j < a_.size(); ++j) a_[i][j] = a_[i][j] - a_[i][k] * a_[k][j];
    }
  }
}

RattleLoopStages::Vector RattleLoopStages::Factors::solve(Vector x) const {
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t i = k + 1; i < x.size(); ++i) x[i] = x[i] - a_[i][k] * x[k];
  for (std::size_t k = x.size(); k-- > 0;) {
    for (std::size_t j = k + 1; j < x.size(); ++j) x[k] = x[k] - a_[k][j] * x[j];
    x[k] = x[k] * inverse_[k];
  }
  return x;
}

}  // namespace cotangent
