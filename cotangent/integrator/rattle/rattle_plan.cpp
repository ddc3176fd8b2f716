#include "cotangent/integrator/rattle/rattle_plan.hpp"

#include <algorithm>
#include <iterator>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/operation/fuse.hpp"
#include "cotangent/system/operation/incidence.hpp"

namespace cotangent {
namespace {

using P = RattlePlan;

class Planner {
 public:
  Planner(const Elements& elements, const CouplingPlan& coupling, std::optional<Quad> uniform_mass)
      : elements_(elements),
        builder_(elements, *coupling.graph),
        graph_(*builder_.graph()),
        coupling_(coupling),
        uniform_mass_(uniform_mass) {}

  std::optional<RattlePlan> plan() {
    const auto constraint_runs = incidences(elements_.constraints, elements_.n);
    const auto energy_runs = incidences(elements_.energy, elements_.n);
    if (!constraint_runs || !energy_runs) return std::nullopt;

    const auto residual = builder_.build({.of = Contraction::Of::g, .norms = true}, false);
    const auto product = builder_.build({.of = Contraction::Of::g, .directions = {{}}, .norms = true}, false);
    if (!residual.rows_from_one_family) return std::nullopt;  // rows are then compared in a pass of their own

    RattlePlan plan;
    plan.graph = builder_.graph();
    auto& stages = plan.stages;
    for (const Incidence& run : *energy_runs) stages[P::kick].kernels.push_back(kick(run));
    for (const Incidence& run : *constraint_runs) {
      stages[P::drift].kernels.push_back(drift(run, Drift::whole));
      stages[P::project].kernels.push_back(project(run));
    }
    if (!reads_force_) {
      for (KernelSpec& spec : stages[P::kick].kernels)
        std::erase_if(spec.stores, [](const auto& store) { return store.vector == P::force_after; });
    }
    stages[P::position].kernels = rows(residual, false, true);
    stages[P::newton] = {within(graph_, coupling_.newton.kernels), coupling_.newton.zero};
    stages[P::verify].kernels = rows(product, true, true);
    stages[P::momentum] = {rows(product, true, false), coupling_.symmetric.zero};
    std::ranges::copy(within(graph_, coupling_.symmetric.kernels), std::back_inserter(stages[P::momentum].kernels));

    for (SpecSequence& stage : stages) stage.kernels = fuse(std::move(stage.kernels));
    const auto assign = [&](P::Stage stage, int vector, std::int64_t size) {
      if (assign_first(stages[stage].kernels, vector, size)) stages[stage].zero.push_back({vector, size});
    };
    for (const auto stage : {P::position, P::momentum, P::verify}) assign(stage, P::rows, elements_.m);
    for (const auto stage : {P::position, P::verify}) assign(stage, P::norms, P::kNorms);
    compose_stages(stages);
    if (!plan.is_composed()) divide_drift(*constraint_runs, stages);
    return plan;
  }

 private:
  // Drifts that write no more than they must.
  void divide_drift(const std::vector<Incidence>& runs, std::array<SpecSequence, P::kStages>& stages) {
    const auto drifts = [&](Drift what) {
      std::vector<KernelSpec> specs;
      for (const Incidence& run : runs) specs.push_back(drift(run, what));
      return fuse(std::move(specs));
    };
    stages[P::try_drift].kernels = drifts(Drift::trial);
    if (reads_force_) return;
    stages[P::drift].kernels = drifts(Drift::with_kick);
    stages[P::kick] = {};
  }

  static void compose_stages(std::array<SpecSequence, P::kStages>& stages) {
    const auto is_single = [](const SpecSequence& stage) {
      return stage.kernels.size() == 1 && stage.kernels[0].count == 1;
    };
    if (!std::all_of(stages.begin(), stages.begin() + P::try_drift, is_single)) return;
    const SpecSequence position_newton{fuse({stages[P::position].kernels[0], stages[P::newton].kernels[0]}), {}};
    if (!is_single(position_newton)) return;
    const auto composed = [&](P::Stage first, const SpecSequence& second, int moves, int start) -> SpecSequence {
      const Wiring wiring{.values = {{P::moved, moves}}, .inputs = {{P::masses, P::W}, {start, moves}}};
      return {{compose(stages[first].kernels[0], second.kernels[0], wiring)}, second.zero};
    };
    stages[P::drift_position] = composed(P::drift, stages[P::position], P::q, P::q_start);
    stages[P::drift_newton] = composed(P::drift, position_newton, P::q, P::q_start);
    stages[P::kick_momentum] = composed(P::kick, stages[P::momentum], P::p, P::p_start);
    stages[P::project_verify] = composed(P::project, stages[P::verify], P::p, P::p_start);
  }

  // The values that every stage on coordinates uses, for one run.
  struct Run {
    Run(const Incidence& incidence, const Planner& planner)
        : graph(planner.graph_),
          places(graph, incidence.count),
          at(IndexMap::affine(incidence.first, 1)),
          h(places.symbol(P::scalars, IndexMap::fixed(P::h))),
          half(places.symbol(P::scalars, IndexMap::fixed(P::half_h))) {
      spec.count = incidence.count;
    }

    Expr read(int vector) { return places.symbol(vector, at); }
    void store(Expr value, int vector) { spec.stores.push_back({value, vector, at, KernelSpec::Mode::assign}); }
    KernelSpec take() {
      spec.loads = places.loads();
      drop_unused(spec);
      return std::move(spec);
    }

    Graph& graph;
    Places places;
    IndexMap at;
    Expr h, half;
    KernelSpec spec;
  };

  Expr mass(Run& run) const { return uniform_mass_ ? run.graph.constant(*uniform_mass_) : run.read(P::W); }

  enum class Drift : std::uint8_t { whole, trial, with_kick };

  KernelSpec drift(const Incidence& incidence, Drift what) {
    Run run(incidence, *this);
    const Expr q = run.read(P::q), p = run.read(P::p), F = force(run, incidence);
    Expr kick = -(run.half * F);
    if (const Expr Gl = gathered_gradient(incidence, builder_, run.places, true); Gl.valid()) kick = kick - Gl;
    const Expr velocity = mass(run) * (p + kick);
    const Expr change = run.h * velocity + run.read(P::q_low);
    run.store(q + change, P::moved);
    if (what != Drift::trial) run.store(sum_error(q, change), P::moved_low);
    if (what == Drift::whole) run.store(kick, P::kick_after);
    if (what == Drift::with_kick) {
      const Expr whole_kick = kick - run.half * F;
      run.store(whole_kick, P::kick_after);
      run.store(p + whole_kick, P::kicked);
    }
    return run.take();
  }

  // H_q in a run, where it is the same number throughout (gravity); otherwise what the kick stage left in memory.
  Expr force(Run& run, const Incidence& incidence) {
    std::optional<Expr> constant;
    for (const auto& [other, F] : forces_) {
      if (other.first + other.count <= incidence.first || incidence.first + incidence.count <= other.first) continue;
      if (!F.is_constant() || (constant && !(*constant == F))) {
        reads_force_ = true;
        return run.read(P::force);
      }
      constant = F;
    }
    return *constant;
  }

  KernelSpec kick(const Incidence& incidence) {
    Run run(incidence, *this);
    Expr F = gathered_gradient(incidence, builder_, run.places, false);
    if (!F.valid()) F = run.graph.constant(0);
    forces_.emplace_back(incidence, F);
    const Expr kick = run.read(P::kick_before) - run.half * F;
    run.store(F, P::force_after);
    run.store(kick, P::kick_after);
    run.store(run.read(P::p) + kick, P::moved);
    return run.take();
  }

  KernelSpec project(const Incidence& incidence) const {
    Run run(incidence, *this);
    Expr kick = run.read(P::kick_before);
    if (const Expr Gm = gathered_gradient(incidence, builder_, run.places, true); Gm.valid()) kick = kick - Gm;
    const Expr p = run.read(P::p), change = kick + run.read(P::p_low);
    run.store(p + change, P::moved);
    run.store(sum_error(p, change), P::moved_low);
    run.store(kick, P::kick_after);
    return run.take();
  }

  // The rows g, or psi = G a with a = W p, from the kernels that have them with their scales; with norms if asked for.
  std::vector<KernelSpec> rows(const ContractionPlan& plan, bool of_momentum, bool with_norms) const {
    std::vector<KernelSpec> specs;
    for (const KernelSpec& given : plan.kernels) {
      Places places(graph_, given.count);
      // At the end of the step, and with what moves (q for g, p for psi) at its beginning.
      Replacement at_end, at_start;
      for (const auto& load : given.loads) {
        const auto read = [&](int vector) { return places.symbol(vector, load.at, load.constant); };
        if (of_momentum && load.vector == in::a_q) {
          const Expr W = uniform_mass_ ? graph_.constant(*uniform_mass_) : read(P::masses);
          at_end.emplace(load.symbol.id(), W * read(P::p));
          at_start.emplace(load.symbol.id(), W * read(P::p_start));
        } else {
          const bool moves = !of_momentum && load.vector == in::q;
          at_end.emplace(load.symbol.id(), read(load.vector));
          at_start.emplace(load.symbol.id(), read(moves ? static_cast<int>(P::q_start) : load.vector));
        }
      }

      KernelSpec spec;
      spec.count = given.count;
      Expr size, scale;
      for (const auto& store : given.stores) {
        if (store.vector == out::result) {
          spec.stores.push_back({substitute(store.value, at_end), P::rows, store.at});
        } else if (store.at(0) == 0) {
          size = substitute(store.value, at_end);
        } else {
          scale = substitute(store.value, at_end) + substitute(store.value, at_start);
        }
      }
      if (with_norms && size.valid()) {
        if (!scale.valid()) scale = graph_.constant(0);
        const auto norm = [&](Expr value, int which) {
          spec.stores.push_back({value, P::norms, IndexMap::fixed(which), KernelSpec::Mode::max});
        };
        norm(size, P::residual);
        norm(size - places.symbol(P::scalars, IndexMap::fixed(P::level)) * scale, P::excess);
      }
      spec.loads = places.loads();
      drop_unused(spec);
      if (!spec.stores.empty()) specs.push_back(std::move(spec));
    }
    return specs;
  }

  const Elements& elements_;
  ContractionBuilder builder_;
  Graph& graph_;
  const CouplingPlan& coupling_;
  std::optional<Quad> uniform_mass_;
  std::vector<std::pair<Incidence, Expr>> forces_;  // H_q, by run
  bool reads_force_ = false;
};

}  // namespace

std::optional<RattlePlan> plan_rattle(const Elements& elements, const CouplingPlan& coupling,
                                      std::optional<Quad> uniform_mass) {
  return Planner(elements, coupling, uniform_mass).plan();
}

}  // namespace cotangent
