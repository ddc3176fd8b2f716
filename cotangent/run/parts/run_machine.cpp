#include "cotangent/run/parts/run_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/chart/minimal_coordinates.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/routine.hpp"
#include "cotangent/kernel/machine_code.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/simulation/certificate/changing_invariants.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"

namespace cotangent {
namespace {

// Minimal coordinates have full matrices.
void note_cost(const std::string& formulation, const Elements& elements, Notes& notes) {
  if (formulation != lagrange_2_facts().name || elements.minimal->size <= kLimits.minimal) return;
  notes.push_back(
      fmt::format("'{}' with {} minimal coordinates takes time that grows with the third power of their number; "
                  "'state-space' does not",
                  formulation, elements.minimal->size));
}

// Where the gauge or the rates of Baumgarte's method are so large that the field is made of rounding errors, the
// iterations of implicit methods would take these for a solution. All but a millionth of a step must come from the
// motion: ALPHA eps h < 1e-6, BETA^2 eps h^2 < 1e-6.
void expect_resolved_rates(const RunPlan& plan, const RunWords& words, double epsilon) {
  constexpr double kPart = 1e-6;
  const double step = plan.is_adaptive() ? *plan.end : *plan.step;
  const auto expect = [&](const char* option, const char* letter, double rate, double most) {
    if (std::abs(rate) <= most) return;
    words.refuse(option,
                 fmt::format("{} = {:g} is too large for steps of {:g}: rounding errors of the constraints, multiplied "
                             "by it, would outweigh the motion",
                             letter, rate, step),
                 fmt::format("take one below {:.1g} in size", most));
  };
  const double most = kPart / (epsilon * step);
  if (plan.formulation == "dirac" || plan.formulation == "dirac-weak")
    expect("gauge", "ALPHA", plan.equations.gauge, most);
  if (plan.formulation == "baumgarte" && words.is_given("baumgarte")) {
    expect("baumgarte", "ALPHA", plan.equations.baumgarte_alpha, most);
    expect("baumgarte", "BETA", plan.equations.baumgarte_beta, std::sqrt(kPart / epsilon) / step);
  }
}

// A symmetric method keeps its long-time behaviour under variable steps only if these are reversible, too. Where there
// are forces or equations of another kind it has none to lose, and the usual density of steps, which knows H and g
// only, says nothing about them.
Controller default_controller(const RunPlan& plan, const MethodFacts& facts, const Elements& elements) {
  const bool is_of_energy = elements.dynamics != Dynamics::equations && !elements.has_forces();
  return facts.symmetric && (is_of_energy || !plan.step_density.empty()) ? Controller::reversible : Controller::pi;
}

Controller choose_controller(const RunPlan& plan, const RunWords& words, const MethodFacts& facts,
                             const Elements& elements) {
  if (!plan.controller) return default_controller(plan, facts, elements);
  if (plan.controller == Controller::reversible && !facts.symmetric)
    words.refuse("controller",
                 fmt::format("steps are reversible with symmetric methods only, and '{}' is none", facts.name),
                 fmt::format("use {}, or another method", words.spell("controller", "pi")));
  return *plan.controller;
}

// With invariants to return to, a system with constraints returns to these as well.
Projection choose_projection(const RunPlan& plan, const MethodFacts& facts, std::int64_t constraints) {
  if (plan.projection) return *plan.projection;
  return !plan.project_invariants.empty() && constraints > 0 ? Projection::both
                                                             : default_projection(facts, constraints);
}

// A run that leaves the method to the program, or asks for a projection, returns to all invariants that its equations
// declare.
void keep_declared_invariants(RunPlan& plan, const RunWords& words, const Elements& elements, Notes& notes) {
  const bool is_wanted = plan.projection ? plan.projection != Projection::none : plan.method.empty();
  if (!is_wanted || words.is_given("project-invariants") || elements.invariant_rows.empty()) return;
  plan.project_invariants = declared_invariants(elements);
  notes.push_back(fmt::format("points return to the declared invariants after every step: {}",
                              fmt::join(plan.project_invariants, ", ")));
}

// Projections to invariants and nothing else.
void settle_invariants(RunPlan& plan, const RunWords& words, const Elements& elements) {
  if (plan.project_invariants.empty()) plan.project_invariants = declared_invariants(elements);
  if (plan.project_invariants.empty())
    words.refuse("projection",
                 fmt::format("{} returns to invariants, and the model declares none", name_of(*plan.projection)),
                 elements.n > 0 ? "use " + words.spell("project-invariants", "energy")
                                : "declare in [invariants] what the equations keep");
}

// To enforce what the equations do not conserve is to integrate others.
void expect_conserved(const RunParts& parts, const MethodFacts& method, Notes& notes) {
  const auto expect = [&](const std::vector<std::string>& kept, const char* option) {
    if (kept.empty()) return;
    const auto is_kept = [&](const auto& found) {
      return std::find(kept.begin(), kept.end(), found.name) != kept.end();
    };
    for (const ChangingInvariant& changing : changing_invariants(parts.model, parts.elements)) {
      if (!is_kept(changing)) continue;
      if (parts.words.is_given(option) || option == std::string_view("method"))
        parts.words.refuse(option, describe(changing), "leave it out, or correct the invariant");
      const auto declared = std::ranges::find(parts.model.invariants, changing.name, &NamedValues::name);
      throw refusal(parts.model, declared->where, describe(changing),
                    fmt::format("points would return to it after every step: correct it, or only watch it, with {}",
                                parts.words.spell("projection", "none")));
    }
    const auto dependent_ones =
        parts.words.blame(option, [&] { return dependent_invariants(parts.model, parts.elements, kept); });
    for (const RedundantConstraint& dependent : dependent_ones)
      notes.push_back("invariants depend on each other at the initial data: " + describe(dependent));
  };
  expect(parts.plan.project_invariants, "project-invariants");
  expect(method.keeps_invariants, "method");
}

// About how many, where that is known.
std::int64_t expected_steps(const RunPlan& plan) {
  if (!plan.step || !plan.end || plan.is_adaptive()) return 0;
  const double steps = std::abs((*plan.end - plan.start) / *plan.step);
  constexpr double kMost = 1e18;
  return steps < kMost ? static_cast<std::int64_t>(steps) : 0;
}

// Of sets that are scaled there must be as many as of invariants, those that follow from others left aside.
void expect_sets(const RunParts& parts, const MethodFacts& method) {
  const RunPlan& plan = parts.plan;
  const std::vector<std::string>& kept =
      plan.projection == Projection::scaling ? plan.project_invariants : method.keeps_invariants;
  if (plan.solves.sets.empty() || kept.empty()) return;
  const Elements& elements = *parts.elements;
  std::size_t count = 0;
  for (const std::string& name : kept) {
    const auto rows = std::ranges::find(elements.invariant_rows, name, &NamedRows::name);
    count += rows == elements.invariant_rows.end() ? 1 : static_cast<std::size_t>(rows->count);
  }
  const auto find = [&] { return dependent_invariants(parts.model, parts.elements, kept); };
  const std::size_t dependent = parts.words.blame("project-invariants", find).size();
  if (plan.solves.sets.size() + dependent >= count) return;
  parts.words.refuse(
      "sets",
      fmt::format("there {} {} of variables for {}{}: each of these needs one of its own",
                  plan.solves.sets.size() == 1 ? "is" : "are", plural(plan.solves.sets.size(), "set"),
                  plural(count, "invariant"),
                  dependent > 0 ? fmt::format(", {} of which do not follow from the others", count - dependent) : ""),
      fmt::format("name as many of {} as there are sets with {}", fmt::join(kept, ", "),
                  parts.words.spell("project-invariants", "LIST")));
}

// What runs of one model have in common, if they begin at one time.
struct ReadyModel {
  std::shared_ptr<const Elements> elements;
  std::shared_ptr<const CompiledModel> compiled;
  Notes notes;
};

ReadyModel make_ready(const Model& model, Backend backend) {
  ReadyModel ready;
  ready.elements = regular_elements(model, ready.notes);
  ready.compiled = compiled_model(model, ready.elements, backend);
  return ready;
}

// The one of the last run, for the next one. A model that is read again, with other values, has another source.
class LastReady {
 public:
  ReadyModel of(const Model& model, Backend backend) {
    const Made wanted{model.source, model.functions, model.start, backend, {}};
    {
      const std::scoped_lock lock(mutex_);
      if (last_.source && wanted.is_like(last_)) return last_.ready;
    }
    Made made = wanted;
    made.ready = make_ready(model, backend);
    const std::scoped_lock lock(mutex_);
    last_ = made;
    return made.ready;
  }

 private:
  struct Made {
    std::shared_ptr<const SourceText> source;
    std::shared_ptr<const BlackBox> functions;
    Quad start = 0;
    Backend backend = Backend::jit;
    ReadyModel ready;

    bool is_like(const Made& other) const {
      return source == other.source && functions == other.functions && start == other.start && backend == other.backend;
    }
  };

  std::mutex mutex_;
  Made last_;
};

ReadyModel ready_model(const Model& model, const RunPlan& plan, Backend backend) {
  // These are no longer what the source says.
  if (plan.hamiltonian == WhichHamiltonian::alternative || plan.is_watched("symmetries"))
    return make_ready(model, backend);
  return model.shelf->find<std::shared_ptr<LastReady>>("", [] { return std::make_shared<LastReady>(); })
      ->of(model, backend);
}

}  // namespace

// Machine code is known by what it computes: runs share it whatever they are asked for.
std::shared_ptr<const CompiledModel> compiled_model(const Model& model, std::shared_ptr<const Elements> elements,
                                                    Backend backend) {
  const auto& code =
      model.shelf->find<std::shared_ptr<MachineCode>>("", [] { return std::make_shared<MachineCode>(); });
  return std::make_shared<const CompiledModel>(std::move(elements), backend, code);
}

template <class T>
RunMachine<T>::RunMachine(const Model& model, RunPlan given, const RunWords& words, Notes& notes)
    : parts{model, {}, words, std::move(given), {}} {
  RunPlan& plan = parts.plan;
  // Tangents are compiled whatever the precision of the run is.
  const bool compiles = has_jit() && plan.backend != Backend::interpreter;
  const ReadyModel ready = ready_model(model, plan, compiles ? Backend::jit : Backend::interpreter);
  parts.elements = ready.elements;
  parts.compiled = ready.compiled;
  notes.insert(notes.end(), ready.notes.begin(), ready.notes.end());
  map.system = std::make_unique<System<T>>(parts.compiled);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  plan.solves.sets = read_sets(words, model, plan.sets);
  const std::function<PhasePoint<T>()> start = [&] { return make_initial_data(model, *map.manifold, plan.initial).z; };
  std::unique_ptr<Integrator<T>> method;
  try {
    method = choose_method<T>(*map.manifold, plan, words, notes, start);
  } catch (const MinimalError& error) {
    throw refusal(model, model.minimal->where, error.what());
  }
  if (parts.elements->dynamics == Dynamics::equations) {
    keep_declared_invariants(plan, words, *parts.elements, notes);
    expect_conserved(parts, method->facts(), notes);
  }
  const bool is_for_invariants = plan.projection == Projection::relaxation || plan.projection == Projection::scaling;
  if (is_for_invariants) settle_invariants(plan, words, *parts.elements);
  facts_ = method->facts();
  if (is_for_invariants || facts_.has_sets) expect_sets(parts, facts_);
  const std::int64_t m = map.system->m();
  plan.method = facts_.name;
  if (plan.formulation.empty()) plan.formulation = default_formulation(facts_, *parts.elements);
  if (plan.is_adaptive()) plan.controller = choose_controller(plan, words, facts_, *parts.elements);
  method = estimated(std::move(method), plan);
  facts_ = method->facts();
  plan.projection = choose_projection(plan, facts_, m);
  expect_resolved_rates(plan, words, static_cast<double>(epsilon<T>()));
  note_idle_options(plan, words, facts_, model, m, notes);
  note_cost(plan.formulation, *parts.elements, notes);
  map.integrator = words.blame(is_for_invariants ? "projection" : "project-invariants",
                               [&] { return steps_of(std::move(method), *map.manifold, plan); });
  if (map.integrator->facts().moves_time && !plan.periodogram.empty() && !plan.sample)
    words.refuse("periodogram", "relaxed steps do not end at equal distances of time",
                 "add " + words.spell("sample", "DT"));
  if constexpr (std::is_same_v<T, double>) {
    // A series has code of its own.
    if (compiles && !map.integrator->is_compiled() && !map.integrator->unprojected().has_series())
      map.integrator = std::make_unique<Routine>(
          std::move(map.integrator), *map.manifold, [parts = parts] { return make_step_map<Traced>(parts); },
          expected_steps(plan));
  }
}

template <class T>
StepMap<T> make_step_map(const RunParts& parts) {
  const RunPlan& plan = parts.plan;
  StepMap<T> map;
  map.system = std::make_unique<System<T>>(parts.compiled);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = steps_of(make_under(plan, find_method<T>(plan.method), *map.manifold), *map.manifold, plan);
  return map;
}

template <class T>
std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts& parts) {
  const Expr expression = read_option_expression(parts.words, parts.model, "step-density", parts.plan.step_density);
  return std::make_unique<ExpressionDensity<T>>(parts.model, expression, parts.plan.chosen_backend());
}

template struct RunMachine<double>;
template struct RunMachine<Quad>;

#define COTANGENT_DENSITIES(T) template std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts&);
COTANGENT_FOR_PRECISIONS(COTANGENT_DENSITIES)

#define COTANGENT_MAPS(T) template StepMap<T> make_step_map(const RunParts&);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_MAPS)

}  // namespace cotangent
