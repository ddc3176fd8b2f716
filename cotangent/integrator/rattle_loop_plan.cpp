#include "cotangent/integrator/rattle_loop_plan.hpp"

#include <map>
#include <utility>
#include <vector>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/fuse.hpp"
#include "cotangent/system/places.hpp"

namespace cotangent {
namespace {

// Kernels larger than this would take long to compile.
constexpr std::size_t kMaxNodes = 1500;

using Vector = std::vector<Expr>;

// The values of a stage, by output vector and index.
class StageValues {
 public:
  void set(int vector, std::int64_t index, Expr value) { values_[{vector, index}] = value; }

  bool has(int vector) const { return values_.contains({vector, 0}); }

  Expr at(int vector, std::int64_t index) const {
    const auto found = values_.find({vector, index});
    COTANGENT_CHECK(found != values_.end());
    return found->second;
  }
  Vector all(int vector, std::int64_t count) const {
    Vector result;
    for (std::int64_t k = 0; k < count; ++k) result.push_back(at(vector, k));
    return result;
  }

 private:
  std::map<std::pair<int, std::int64_t>, Expr> values_;
};

class LoopPlanner {
 public:
  LoopPlanner(const Elements& elements, const RattlePlan& stages, const std::vector<std::pair<int, int>>& off_diagonal)
      : n_(elements.n),
        m_(elements.m),
        graph_(*elements.graph),
        stages_(stages),
        off_diagonal_(off_diagonal),
        free_(elements.free_coordinates()),
        places_(graph_, 1) {}

  RattleLoopPlan plan() {
    using L = RattleLoopPlan;
    const Vector q = read(L::q, n_), p = read(L::p, n_), q_low = read(L::q_low, n_), p_low = read(L::p_low, n_);
    const Vector f = read(L::f, n_), m = read(L::m, m_), w = read(L::w, m_), w_before = read(L::w_before, m_);
    const Vector scalar = read(L::scalars, L::kScalars);

    // Prediction and one correction of l.
    Vector l;
    for (std::size_t r = 0; r < m.size(); ++r) l.push_back(m[r] + (2 * w[r] - w_before[r]));
    Inputs drift{{RattlePlan::q, q},         {RattlePlan::p, p},     {RattlePlan::q_low, q_low},
                 {RattlePlan::p_low, p_low}, {RattlePlan::force, f}, {RattlePlan::multipliers, l}};
    const StageValues predicted = run(stages_.composed->drift_newton, drift);
    const Vector x = solve(predicted, true);
    for (std::size_t r = 0; r < m.size(); ++r) l[r] = l[r] + x[r] * scalar[L::per_h];
    drift[RattlePlan::multipliers] = l;
    const StageValues drifted = run(stages_.drift, drift);
    const Vector Q = drifted.all(RattlePlan::moved, n_), Q_low = drifted.all(RattlePlan::moved_low, n_);

    // The second kick and its projection.
    Inputs kick{{RattlePlan::q, Q},
                {RattlePlan::p, p},
                {RattlePlan::p_low, p_low},
                {RattlePlan::kick_before, drifted.all(RattlePlan::kick_after, n_)}};
    const StageValues kicked = run(stages_.composed->kick_momentum, kick);
    const Vector next_m = solve(kicked, false);
    kick[RattlePlan::kick_before] = kicked.all(RattlePlan::kick_after, n_);
    kick[RattlePlan::multipliers] = next_m;
    const StageValues projected = run(stages_.composed->project_verify, kick);

    // Whether both solves are at their rounding level. That of g is taken at Q alone, which is a little stricter than
    // in Rattle; where G vanishes it is zero, and the step does not count: R is not singular where it does. With one
    // constraint m' is a quotient, and leaves nothing of psi but its rounding.
    const StageValues position = run(stages_.position, {{RattlePlan::q, Q}, {RattlePlan::q_start, Q}});
    const Expr zero = graph_.constant(0), largest = graph_.constant(0x1p1000);
    Expr accepted = graph_.apply(Op::lt, position.at(RattlePlan::norms, RattlePlan::excess), zero);
    if (m_ > 1) {
      Expr reaction;  // as ConstraintMatrix::diagonal_scale
      for (std::size_t r = 0; r < m.size(); ++r) {
        const Expr term = kicked.at(CouplingPlan::diagonal, static_cast<std::int64_t>(r)) * abs(next_m[r]);
        reaction = reaction.valid() ? max(reaction, term) : term;
      }
      accepted = accepted *
                 graph_.apply(Op::lt, projected.at(RattlePlan::norms, RattlePlan::excess), scalar[L::level] * reaction);
    }

    for (const std::int64_t j : free_) {
      const auto k = static_cast<std::size_t>(j);
      accepted = accepted * graph_.apply(Op::lt, abs(Q[k]), largest) *
                 graph_.apply(Op::lt, abs(projected.at(RattlePlan::moved, j)), largest);
    }

    Vector next_w;
    for (std::size_t r = 0; r < m.size(); ++r) next_w.push_back(l[r] - m[r]);
    const auto write = [&](int vector, const Vector& values) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const IndexMap at = IndexMap::fixed(static_cast<std::int64_t>(k));
        spec_.stores.push_back({values[k], vector, at, KernelSpec::Mode::assign});
      }
    };
    write(L::q, Q);
    write(L::p, projected.all(RattlePlan::moved, n_));
    write(L::q_low, Q_low);
    write(L::p_low, projected.all(RattlePlan::moved_low, n_));
    if (kicked.has(RattlePlan::force_after)) write(L::f, kicked.all(RattlePlan::force_after, n_));
    write(L::m, next_m);
    write(L::w, next_w);
    write(L::w_before, w);

    write(L::accepted, {accepted});

    // Both kernels are the same but for the guard, so that they give the same bits.
    spec_.count = 1;
    spec_.loads = places_.loads();
    spec_.repeat = {.feedback = {}, .guard = accepted, .passes = L::wanted, .done = L::done};
    drop_unused(spec_);
    for (std::size_t s = 0; s < spec_.stores.size(); ++s) {
      for (std::size_t k = 0; k < spec_.loads.size(); ++k) {
        const auto& store = spec_.stores[s];
        const auto& load = spec_.loads[k];
        if (store.vector == load.vector && store.at(0) == load.at(0))
          spec_.repeat->feedback.push_back({static_cast<int>(s), static_cast<int>(k)});
      }
    }
    RattleLoopPlan result{spec_, spec_};
    result.once.repeat->guard = graph_.constant(1);
    return result;
  }

 private:
  using Inputs = std::map<int, Vector>;

  Vector read(int vector, std::int64_t count) {
    Vector symbols;
    for (std::int64_t k = 0; k < count; ++k) symbols.push_back(places_.symbol(vector, IndexMap::fixed(k)));
    return symbols;
  }

  // The stage with these inputs; scalars, masses and columns are read where they are.
  StageValues run(const RattlePlan::Stage& stage, const Inputs& inputs) {
    const KernelSpec& spec = stage.kernels.at(0);
    Replacement to_value;
    for (const auto& load : spec.loads) {
      const auto given = inputs.find(load.vector);
      to_value.emplace(load.symbol.id(), given == inputs.end()
                                             ? places_.symbol(load.vector, load.at)
                                             : given->second.at(static_cast<std::size_t>(load.at(0))));
    }
    StageValues values;
    for (const auto& store : spec.stores) values.set(store.vector, store.at(0), substitute(store.value, to_value));
    return values;
  }

  // A^{-1} rows for the matrix and the rows that a stage left: elimination without pivoting, A = L D U.
  Vector solve(const StageValues& values, bool newton) {
    const auto size = static_cast<std::size_t>(m_);
    std::vector<Vector> a(size, Vector(size));
    std::size_t e = 0;
    for (std::size_t i = 0; i < size; ++i) a[i][i] = values.at(CouplingPlan::diagonal, static_cast<std::int64_t>(i));
    for (const auto& [i, j] : off_diagonal_) {
      a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          values.at(CouplingPlan::lower, static_cast<std::int64_t>(e));
      a[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] =
          values.at(newton ? CouplingPlan::upper : CouplingPlan::lower, static_cast<std::int64_t>(e));
      ++e;
    }
    const Expr zero = graph_.constant(0);
    for (auto& row : a)
      for (auto& entry : row)
        if (!entry.valid()) entry = zero;

    Vector x = values.all(RattlePlan::rows, m_);
    Vector inverse(size);
    for (std::size_t k = 0; k < size; ++k) {
      inverse[k] = 1 / a[k][k];
      for (std::size_t i = k + 1; i < size; ++i) {
        const Expr factor = a[i][k] * inverse[k];
        for (std::size_t j = k + 1; j < size; ++j) a[i][j] = a[i][j] - factor * a[k][j];
        x[i] = x[i] - factor * x[k];
      }
    }
    for (std::size_t k = size; k-- > 0;) {
      for (std::size_t j = k + 1; j < size; ++j) x[k] = x[k] - a[k][j] * x[j];
      x[k] = x[k] * inverse[k];
    }
    return x;
  }

  std::int64_t n_, m_;
  Graph& graph_;
  const RattlePlan& stages_;
  const std::vector<std::pair<int, int>>& off_diagonal_;
  std::vector<std::int64_t> free_;  // coordinates that no constraint uses: their overflow no residual would tell
  Places places_;
  KernelSpec spec_;
};

}  // namespace

std::optional<RattleLoopPlan> plan_rattle_loop(const Elements& elements, const RattlePlan& stages,
                                               const CouplingPlan& coupling) {
  if (!stages.composed || elements.m < 1 || elements.m > RattleLoopPlan::kMaxRows) return std::nullopt;
  RattleLoopPlan plan = LoopPlanner(elements, stages, coupling.off_diagonal).plan();
  std::vector<Expr> values;
  for (const auto& store : plan.loop.stores) values.push_back(store.value);
  if (reachable(values).size() > kMaxNodes) return std::nullopt;
  return plan;
}

}  // namespace cotangent
