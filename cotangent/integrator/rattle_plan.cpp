#include "cotangent/integrator/rattle_plan.hpp"

#include <algorithm>
#include <array>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/fuse.hpp"
#include "cotangent/system/incidence.hpp"

namespace cotangent {
namespace {

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
    for (const Incidence& run : *energy_runs) plan.kick.kernels.push_back(kick(run));
    for (const Incidence& run : *constraint_runs) {
      plan.drift.kernels.push_back(drift(run));
      plan.project.kernels.push_back(project(run));
    }

    plan.position.kernels = rows(residual, false, true);
    plan.newton = {within(graph_, coupling_.newton.kernels), coupling_.newton.zero};
    plan.verify.kernels = rows(product, true, true);
    plan.momentum.kernels = joined(rows(product, true, false), within(graph_, coupling_.symmetric.kernels));
    plan.momentum.zero = coupling_.symmetric.zero;

    const bool reads_force =
        std::any_of(plan.drift.kernels.begin(), plan.drift.kernels.end(), [](const KernelSpec& spec) {
          return std::any_of(spec.loads.begin(), spec.loads.end(),
                             [](const auto& load) { return load.vector == RattlePlan::force; });
        });
    if (!reads_force) {
      for (KernelSpec& spec : plan.kick.kernels)
        std::erase_if(spec.stores, [](const auto& store) { return store.vector == RattlePlan::force_after; });
    }
    for (auto* stage :
         {&plan.drift, &plan.position, &plan.newton, &plan.kick, &plan.momentum, &plan.verify, &plan.project})
      stage->kernels = fuse(std::move(stage->kernels));
    for (auto* stage : {&plan.position, &plan.momentum, &plan.verify}) {
      if (assign_first(stage->kernels, RattlePlan::rows, elements_.m))
        stage->zero.push_back({RattlePlan::rows, elements_.m});
      if (stage != &plan.momentum && assign_first(stage->kernels, RattlePlan::norms, RattlePlan::kNorms))
        stage->zero.push_back({RattlePlan::norms, RattlePlan::kNorms});
    }
    plan.composed = compose_stages(plan);
    return plan;
  }

 private:
  static std::optional<RattlePlan::Composed> compose_stages(const RattlePlan& plan) {
    for (const auto* stage :
         {&plan.drift, &plan.position, &plan.newton, &plan.kick, &plan.momentum, &plan.verify, &plan.project})
      if (stage->kernels.size() != 1 || stage->kernels[0].count != 1) return std::nullopt;

    const auto composed = [](const RattlePlan::Stage& first, const RattlePlan::Stage& second, int moves) {
      Wiring wiring{.values = {{RattlePlan::moved, moves}}, .inputs = {{RattlePlan::masses, RattlePlan::W}}};
      if (moves == RattlePlan::q) wiring.inputs.push_back({RattlePlan::q_start, RattlePlan::q});
      if (moves == RattlePlan::p) wiring.inputs.push_back({RattlePlan::p_start, RattlePlan::p});
      return RattlePlan::Stage{{compose(first.kernels[0], second.kernels[0], wiring)}, second.zero};
    };
    const RattlePlan::Stage position_and_newton{fuse(joined(plan.position.kernels, plan.newton.kernels)), {}};
    if (position_and_newton.kernels.size() != 1) return std::nullopt;
    return RattlePlan::Composed{.drift_position = composed(plan.drift, plan.position, RattlePlan::q),
                                .drift_newton = composed(plan.drift, position_and_newton, RattlePlan::q),
                                .kick_momentum = composed(plan.kick, plan.momentum, RattlePlan::p),
                                .project_verify = composed(plan.project, plan.verify, RattlePlan::p)};
  }

  // The values that every stage on coordinates uses, for one run.
  struct Run {
    Run(const Incidence& incidence, const Planner& planner)
        : graph(planner.graph_),
          places(graph, incidence.count),
          at(IndexMap::affine(incidence.first, 1)),
          h(places.symbol(RattlePlan::scalars, IndexMap::fixed(RattlePlan::h))),
          half(places.symbol(RattlePlan::scalars, IndexMap::fixed(RattlePlan::half_h))) {
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

  Expr mass(Run& run) const { return uniform_mass_ ? run.graph.constant(*uniform_mass_) : run.read(RattlePlan::W); }

  KernelSpec drift(const Incidence& incidence) const {
    Run run(incidence, *this);
    const Expr q = run.read(RattlePlan::q), p = run.read(RattlePlan::p);
    Expr kick = -(run.half * force(run, incidence));
    if (const Expr Gl = gathered_gradient(incidence, builder_, run.places, true); Gl.valid()) kick = kick - Gl;
    const Expr velocity = mass(run) * (p + kick);
    const Expr change = run.h * velocity + run.read(RattlePlan::q_low);
    run.store(q + change, RattlePlan::moved);
    run.store(sum_error(q, change), RattlePlan::moved_low);
    run.store(kick, RattlePlan::kick_after);
    return run.take();
  }

  // H_q in a run, where it is the same number throughout (gravity); otherwise what the kick stage left in memory.
  Expr force(Run& run, const Incidence& incidence) const {
    std::optional<Expr> constant;
    for (const auto& [other, F] : forces_) {
      if (other.first + other.count <= incidence.first || incidence.first + incidence.count <= other.first) continue;
      if (!F.is_constant() || (constant && !(*constant == F))) return run.read(RattlePlan::force);
      constant = F;
    }
    return *constant;
  }

  KernelSpec kick(const Incidence& incidence) {
    Run run(incidence, *this);
    Expr F = gathered_gradient(incidence, builder_, run.places, false);
    if (!F.valid()) F = run.graph.constant(0);
    forces_.emplace_back(incidence, F);
    const Expr kick = run.read(RattlePlan::kick_before) - run.half * F;
    run.store(F, RattlePlan::force_after);
    run.store(kick, RattlePlan::kick_after);
    run.store(run.read(RattlePlan::p) + kick, RattlePlan::moved);
    return run.take();
  }

  KernelSpec project(const Incidence& incidence) const {
    Run run(incidence, *this);
    Expr kick = run.read(RattlePlan::kick_before);
    if (const Expr Gm = gathered_gradient(incidence, builder_, run.places, true); Gm.valid()) kick = kick - Gm;
    const Expr p = run.read(RattlePlan::p), change = kick + run.read(RattlePlan::p_low);
    run.store(p + change, RattlePlan::moved);
    run.store(sum_error(p, change), RattlePlan::moved_low);
    run.store(kick, RattlePlan::kick_after);
    return run.take();
  }

  // The rows g, or psi = G a with a = W p, from the kernels that have them with their scales; with norms if asked for.
  std::vector<KernelSpec> rows(const ContractionPlan& plan, bool of_momentum, bool with_norms) const {
    std::vector<KernelSpec> specs;
    for (const KernelSpec& given : plan.kernels) {
      Places places(graph_, given.count);
      const auto mass_at = [&](const IndexMap& at) {
        return uniform_mass_ ? graph_.constant(*uniform_mass_) : places.symbol(RattlePlan::masses, at);
      };
      // At the end of the step, and with what moves (q for g, p for psi) at its beginning.
      Replacement at_end, at_start;
      for (const auto& load : given.loads) {
        if (of_momentum && load.vector == in::a_q) {
          const Expr W = mass_at(load.at);
          at_end.emplace(load.symbol.id(), W * places.symbol(RattlePlan::p, load.at));
          at_start.emplace(load.symbol.id(), W * places.symbol(RattlePlan::p_start, load.at));
        } else {
          const Expr end = places.symbol(load.vector, load.at);
          const bool moves = !of_momentum && load.vector == in::q;
          at_end.emplace(load.symbol.id(), end);
          at_start.emplace(load.symbol.id(), moves ? places.symbol(RattlePlan::q_start, load.at) : end);
        }
      }
      const auto scalar = [&](int which) { return places.symbol(RattlePlan::scalars, IndexMap::fixed(which)); };

      KernelSpec spec;
      spec.count = given.count;
      Expr size, scale;
      for (const auto& store : given.stores) {
        if (store.vector == out::result) {
          spec.stores.push_back({substitute(store.value, at_end), RattlePlan::rows, store.at});
        } else if (store.at(0) == 0) {
          size = substitute(store.value, at_end);
        } else {
          scale = substitute(store.value, at_end) + substitute(store.value, at_start);
        }
      }
      if (with_norms && size.valid()) {
        if (!scale.valid()) scale = graph_.constant(0);
        const auto norm = [&](Expr value, int which) {
          spec.stores.push_back({value, RattlePlan::norms, IndexMap::fixed(which), KernelSpec::Mode::max});
        };
        norm(size, RattlePlan::residual);
        norm(size - scalar(RattlePlan::level) * scale, RattlePlan::excess);
      }
      spec.loads = places.loads();
      drop_unused(spec);
      if (!spec.stores.empty()) specs.push_back(std::move(spec));
    }
    return specs;
  }

  static std::vector<KernelSpec> joined(std::vector<KernelSpec> a, const std::vector<KernelSpec>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  const Elements& elements_;
  ContractionBuilder builder_;
  Graph& graph_;
  const CouplingPlan& coupling_;
  std::optional<Quad> uniform_mass_;
  std::vector<std::pair<Incidence, Expr>> forces_;  // H_q, by run
};

}  // namespace

std::optional<RattlePlan> plan_rattle(const Elements& elements, const CouplingPlan& coupling,
                                      std::optional<Quad> uniform_mass) {
  return Planner(elements, coupling, uniform_mass).plan();
}

}  // namespace cotangent
