#include "cotangent/integrator/rattle_loop_plan.hpp"

#include <fmt/format.h>

#include <vector>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/integrator/rattle_loop_stages.hpp"
#include "cotangent/system/fuse.hpp"

namespace cotangent {
namespace {

// Kernels larger than this would take long to compile.
constexpr std::size_t kMaxNodes = 1500;

using L = RattleLoopPlan;
using Vector = RattleLoopStages::Vector;
using Inputs = RattleLoopStages::Inputs;
using Values = RattleLoopStages::Values;

class LoopPlanner {
 public:
  LoopPlanner(const Elements& elements, const RattlePlan& plan, const std::vector<std::pair<int, int>>& off_diagonal)
      : n_(elements.n),
        m_(elements.m),
        plan_(plan),
        free_(elements.free_coordinates()),
        stages_(*plan.graph, elements.m, off_diagonal),
        q_(stages_.read(L::q, n_)),
        p_(stages_.read(L::p, n_)),
        q_low_(stages_.read(L::q_low, n_)),
        p_low_(stages_.read(L::p_low, n_)),
        f_(stages_.read(L::f, n_)),
        m_before_(stages_.read(L::m, m_)),
        w_(stages_.read(L::w, m_)),
        w_before_(stages_.read(L::w_before, m_)),
        scalar_(stages_.read(L::scalars, L::kScalars)) {}

  RattleLoopPlan plan() {
    step();
    drop_unused(spec_);
    return {repeated(), spec_};
  }

  RattleLoopPlan plan(int tangents, int place_size) {
    step();
    place_size_ = place_size;
    for (auto& store : spec_.stores) store.at = number(store.at, 0);
    for (auto& load : spec_.loads) load.at = number(load.at, 0);
    differentiate(tangents);
    drop_unused(spec_);
    return {{}, spec_};
  }

 private:
  // Loads and stores of the values; the guard.
  void step() {
    // Prediction and one correction of l.
    for (std::size_t r = 0; r < rows(); ++r) l_.push_back(m_before_[r] + (2 * w_[r] - w_before_[r]));
    const Values predicted = stages_.run(plan_.composed->drift_newton, drift(l_));
    const Vector x = stages_.factor_newton(predicted).solve(predicted.all(RattlePlan::rows, m_));
    for (std::size_t r = 0; r < rows(); ++r) l_[r] = l_[r] + x[r] * scalar_[L::per_h];
    const Values drifted = stages_.run(plan_.drift, drift(l_));
    const Vector Q = drifted.all(RattlePlan::moved, n_);

    // The second kick and its projection.
    const Values kicked = stages_.run(plan_.composed->kick_momentum, kick(drifted));
    next_m_ = stages_.factor(kicked).solve(kicked.all(RattlePlan::rows, m_));
    const Values projected = stages_.run(plan_.composed->project_verify, projection(drifted, kicked, next_m_));

    write(L::q, Q);
    write(L::p, projected.all(RattlePlan::moved, n_));
    write(L::q_low, drifted.all(RattlePlan::moved_low, n_));
    write(L::p_low, projected.all(RattlePlan::moved_low, n_));
    if (kicked.has(RattlePlan::force_after)) write(L::f, kicked.all(RattlePlan::force_after, n_));
    write(L::m, next_m_);
    write(L::w, difference(l_, m_before_));
    write(L::w_before, w_);

    guard_ = accepted(Q, kicked, projected);
    write(L::accepted, {guard_});
    spec_.loads = stages_.loads();
    spec_.count = 1;
  }

  Inputs drift(const Vector& l) const {
    return {{RattlePlan::q, q_},         {RattlePlan::p, p_},     {RattlePlan::q_low, q_low_},
            {RattlePlan::p_low, p_low_}, {RattlePlan::force, f_}, {RattlePlan::multipliers, l}};
  }
  Inputs kick(const Values& drifted) const {
    return {{RattlePlan::q, drifted.all(RattlePlan::moved, n_)},
            {RattlePlan::p, p_},
            {RattlePlan::p_low, p_low_},
            {RattlePlan::kick_before, drifted.all(RattlePlan::kick_after, n_)}};
  }
  Inputs projection(const Values& drifted, const Values& kicked, const Vector& m) const {
    Inputs inputs = kick(drifted);
    inputs[RattlePlan::kick_before] = kicked.all(RattlePlan::kick_after, n_);
    inputs[RattlePlan::multipliers] = m;
    return inputs;
  }

  // Whether both solves are at their rounding level. That of g is taken at Q alone, which is a little stricter than
  // in Rattle; where G vanishes it is zero, and the step does not count: R is not singular where it does. With one
  // constraint m' is a quotient, and leaves nothing of psi but its rounding.
  Expr accepted(const Vector& Q, const Values& kicked, const Values& projected) {
    const Values position = stages_.run(plan_.position, {{RattlePlan::q, Q}, {RattlePlan::q_start, Q}});
    Graph& graph = stages_.graph();
    const Expr zero = graph.constant(0), largest = graph.constant(0x1p1000);
    Expr result = graph.apply(Op::lt, position.at(RattlePlan::norms, RattlePlan::excess), zero);
    if (m_ > 1) {
      Expr reaction;  // as ConstraintMatrix::diagonal_scale
      for (std::size_t r = 0; r < rows(); ++r) {
        const Expr term = kicked.at(CouplingPlan::diagonal, static_cast<std::int64_t>(r)) * abs(next_m_[r]);
        reaction = reaction.valid() ? max(reaction, term) : term;
      }
      result = result *
               graph.apply(Op::lt, projected.at(RattlePlan::norms, RattlePlan::excess), scalar_[L::level] * reaction);
    }
    for (const std::int64_t j : free_)
      result = result * graph.apply(Op::lt, abs(Q[static_cast<std::size_t>(j)]), largest) *
               graph.apply(Op::lt, abs(projected.at(RattlePlan::moved, j)), largest);
    return result;
  }

  // Loads and stores of derivatives. The multipliers are symbols at first, so that they can be held.
  void differentiate(int tangents) {
    const Vector l = unknowns("l"), m = unknowns("m");
    const Values drifted = stages_.run(plan_.composed->drift_newton, drift(l));
    const Values kicked = stages_.run(plan_.composed->kick_momentum, kick(drifted));
    const Values projected = stages_.run(plan_.composed->project_verify, projection(drifted, kicked, m));
    const auto K = stages_.factor_newton(drifted), R = stages_.factor(kicked);
    Replacement found;
    for (std::size_t r = 0; r < rows(); ++r) {
      found.emplace(l[r].id(), l_[r]);
      found.emplace(m[r].id(), next_m_[r]);
    }
    Substitution at_solution(found);

    for (int k = 1; k <= tangents; ++k) {
      Rates rates;
      const auto read = [&](int vector, const Vector& values) {
        Vector result;
        for (std::size_t j = 0; j < values.size(); ++j) {
          const Expr dx = stages_.graph().new_symbol(fmt::format("d{}", k), SymbolKind::local);
          spec_.loads.push_back({dx, vector, number(IndexMap::fixed(static_cast<std::int64_t>(j)), k)});
          rates[values[j].id()] = dx;
          result.push_back(dx);
        }
        return result;
      };
      const auto along = [&](Vector values) {
        for (Expr& value : values) value = derivative(value, rates);
        return values;
      };
      read(L::q, q_);
      read(L::p, p_);
      read(L::q_low, q_low_);
      read(L::p_low, p_low_);
      read(L::f, f_);
      Vector dl = K.solve(along(drifted.all(RattlePlan::rows, m_)));
      for (std::size_t r = 0; r < rows(); ++r) {
        dl[r] = dl[r] * scalar_[L::per_h];
        rates[l[r].id()] = dl[r];
      }
      const Vector dm = R.solve(along(projected.all(RattlePlan::rows, m_)));
      for (std::size_t r = 0; r < rows(); ++r) rates[m[r].id()] = dm[r];

      const auto store = [&](int vector, Vector values) {
        for (Expr& value : values) value = at_solution(value);
        write(vector, values, k);
      };
      store(L::q, along(drifted.all(RattlePlan::moved, n_)));
      store(L::p, along(projected.all(RattlePlan::moved, n_)));
      store(L::q_low, along(drifted.all(RattlePlan::moved_low, n_)));
      store(L::p_low, along(projected.all(RattlePlan::moved_low, n_)));
      if (kicked.has(RattlePlan::force_after)) store(L::f, along(kicked.all(RattlePlan::force_after, n_)));
      store(L::m, dm);
      store(L::w, difference(dl, read(L::m, m_before_)));
      store(L::w_before, read(L::w, w_));
    }
  }

  // The step repeated; the same but for the guard, so that it gives the same bits.
  KernelSpec repeated() const {
    KernelSpec loop = spec_;
    loop.repeat = {.feedback = {}, .guard = guard_, .passes = L::wanted, .done = L::done};
    for (std::size_t s = 0; s < loop.stores.size(); ++s) {
      for (std::size_t k = 0; k < loop.loads.size(); ++k) {
        const auto& store = loop.stores[s];
        const auto& load = loop.loads[k];
        if (store.vector == load.vector && store.at(0) == load.at(0))
          loop.repeat->feedback.push_back({static_cast<int>(s), static_cast<int>(k)});
      }
    }
    return loop;
  }

  std::size_t rows() const { return static_cast<std::size_t>(m_); }

  static Vector difference(Vector a, const Vector& b) {
    for (std::size_t r = 0; r < a.size(); ++r) a[r] = a[r] - b[r];
    return a;
  }

  Vector unknowns(const char* name) {
    Vector symbols;
    for (std::size_t r = 0; r < rows(); ++r) symbols.push_back(stages_.graph().new_symbol(name, SymbolKind::local));
    return symbols;
  }

  // Where part k of an entry is.
  IndexMap number(const IndexMap& at, int part) const { return IndexMap::fixed(place_size_ * at(0) + part); }

  void write(int vector, const Vector& values, int part = 0) {
    for (std::size_t k = 0; k < values.size(); ++k)
      spec_.stores.push_back(
          {values[k], vector, number(IndexMap::fixed(static_cast<std::int64_t>(k)), part), KernelSpec::Mode::assign});
  }

  std::int64_t n_, m_;
  const RattlePlan& plan_;
  std::vector<std::int64_t> free_;  // coordinates that no constraint uses: their overflow no residual would tell
  RattleLoopStages stages_;
  Vector q_, p_, q_low_, p_low_, f_, m_before_, w_, w_before_, scalar_;
  Vector l_, next_m_;
  Expr guard_;
  int place_size_ = 1;
  KernelSpec spec_;
};

bool is_small(const RattleLoopPlan& plan, std::size_t most) {
  std::vector<Expr> values;
  for (const auto& store : plan.once.stores) values.push_back(store.value);
  return reachable(values).size() <= most;
}

bool applies(const Elements& elements, const RattlePlan& stages) {
  return stages.composed && elements.m >= 1 && elements.m <= RattleLoopPlan::kMaxRows;
}

}  // namespace

std::optional<RattleLoopPlan> plan_rattle_loop(const Elements& elements, const RattlePlan& stages,
                                               const CouplingPlan& coupling) {
  if (!applies(elements, stages)) return std::nullopt;
  RattleLoopPlan plan = LoopPlanner(elements, stages, coupling.off_diagonal).plan();
  if (!is_small(plan, kMaxNodes)) return std::nullopt;
  return plan;
}

std::optional<RattleLoopPlan> plan_rattle_tangents(const Elements& elements, const RattlePlan& stages,
                                                   const CouplingPlan& coupling, int tangents, int place_size) {
  if (!plan_rattle_loop(elements, stages, coupling)) return std::nullopt;
  RattleLoopPlan plan = LoopPlanner(elements, stages, coupling.off_diagonal).plan(tangents, place_size);
  if (!is_small(plan, (static_cast<std::size_t>(tangents) + 1) * kMaxNodes)) return std::nullopt;
  return plan;
}

}  // namespace cotangent
