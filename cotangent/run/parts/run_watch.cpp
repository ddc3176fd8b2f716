#include "cotangent/run/parts/run_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/simulation/certificate/changing_invariants.hpp"
#include "cotangent/simulation/certificate/run_signals.hpp"

namespace cotangent {

namespace {

// Nothing where none is declared, the system is large, or its motion is not one in q and p.
template <class T>
std::shared_ptr<InvariantWatch<T>> watch_invariants(const RunParts& parts) {
  if (parts.elements->invariant_rows.empty() || parts.elements->n > kLimits.full) return nullptr;
  try {
    return std::make_shared<InvariantWatch<T>>(std::make_unique<System<T>>(parts.compiled));
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

// The first jump of a kind.
std::optional<double> first_jump(const std::vector<Jump>& jumps, bool Jump::*kind) {
  const auto found = std::ranges::find(jumps, true, kind);
  return found == jumps.end() ? std::nullopt : std::optional(found->time);
}

// What monitors are made of, with the names of the numbers of p* where steps carry it.
template <class T>
MonitorSources<T> sources_of(const RunMachine<T>& machine) {
  MonitorSources<T> sources = monitor_sources<T>(machine.parts);
  if (!machine.map.integrator->facts().has_impetus) return sources;
  sources.impetuses.resize(static_cast<std::size_t>(machine.parts.elements->n));
  for (const VariableColumn& column : variable_columns(machine.parts.model))
    if (column.part == VariableColumn::q) sources.impetuses[static_cast<std::size_t>(column.place)] = column.name;
  return sources;
}

}  // namespace

template <class T>
RunWatch<T>::RunWatch(const RunMachine<T>& machine, Notes& notes)
    : machine_(machine), plan_(machine.parts.plan), monitors_(*plan_.monitor, machine.manifold(), sources_of(machine)) {
  const RunParts& parts = machine.parts;
  if (plan_.growth && monitors_.list().empty()) notes.emplace_back("`growth` changes nothing: nothing is watched");
  jumps_ = JumpWatch<T>::make(parts.model, *parts.elements, plan_.chosen_backend());
  if (jumps_) monitors_.add(jumps_);
  invariants_ = watch_invariants<T>(parts);
  if (invariants_) monitors_.add(invariants_);
  if (!plan_.section.empty()) {
    const Expr f = read_option_expression(parts.words, parts.model, "section", plan_.section);
    if (f.is_constant())
      notes.push_back(fmt::format("{} changes nothing: '{}' is constant, and never passes zero",
                                  parts.words.name("section"), plan_.section));
    const auto take = [this](const PhasePoint<T>& z) {
      if (on_crossing) on_crossing(z);
    };
    section_ = std::make_shared<Section<T>>(make_step_map<T>(parts),
                                            std::make_unique<Expressions<T>>(parts.model, f, plan_.chosen_backend()),
                                            plan_.section_direction, take);
    monitors_.add(section_);
  }
  if (plan_.certify || plan_.growth) {
    probe_ = std::make_shared<MapProbe<T>>(make_step_map<T>(parts), make_step_map<Quad>(parts),
                                           plan_.initial == InitialPolicy::as_given);
    monitors_.add(probe_);
  }
}

template <class T>
void RunWatch<T>::follow(Simulation<T>& simulation) {
  if (probe_) simulation.series = &series_;
  if (plan_.certify)
    simulation.begins_after_step = [this](const Monitor<T>& monitor) { return begins_after_step(monitor); };
}

// Returning to what changes by itself leads away from the motion.
template <class T>
void RunWatch<T>::warn(const Point<T>& z, Summary& summary) {
  if (jumps_) {
    auto& failure = summary.failure;
    if (failure && failure->during != Phase::recording) jumps_->look_ahead(z, LaneOf<T>(failure->length));
    // A method that begins another series there has no error of first order.
    const bool ends_at_pieces = machine_.map.integrator->unprojected().has_series();
    for (const Jump& jump : jumps_->jumps())
      if (!ends_at_pieces || !jump.is_of_gradient) summary.warnings.push_back({jump.time, "jump", jump.text});
    if (failure) failure->has_jumps = !jumps_->jumps().empty();
    // The energy that a jump takes is not that of a bad step, and short steps across it do not come near a collision.
    const auto jump = first_jump(jumps_->jumps(), &Jump::is_of_energy);
    for (Warning& warning : summary.warnings) {
      if (warning.kind == "energy-lost" && jump && *jump <= warning.time)
        warning.text = fmt::format(
            "from t = {:g} on the run is no motion of the model: its energy is not that of the start, since {} has "
            "jumped before",
            warning.time, energy_name(machine_.parts.model));
      if (warning.kind == "short-steps" && !jumps_->jumps().empty())
        warning.text += "; the model jumps in this run, and steps become short across a jump, too";
    }
  }
  if (!invariants_ || invariants_->found().empty()) return;
  const AccurateLook look =
      look_accurately(machine_.parts.model, machine_.parts.elements, invariants_->found().back().time);
  for (const ChangingInvariant& invariant : invariants_->found()) {
    const auto& by_method = machine_.map.integrator->facts().keeps_invariants;
    const bool is_returned_to =
        std::ranges::find(plan_.project_invariants, invariant.name) != plan_.project_invariants.end() ||
        std::ranges::find(by_method, invariant.name) != by_method.end();
    const bool changes = std::ranges::find(look.found, invariant.name, &ChangingInvariant::name) != look.found.end();
    std::string text = describe(invariant);
    if (changes) {
      changing_.push_back(invariant.name);
      if (is_returned_to) text += "; returning to its first value leads away from the motion";
    } else if (look.is_whole) {
      text = fmt::format(
          "the equations keep the invariant '{}' on its own level only, and errors of steps have led away from that: "
          "d{}/dt "
          "= {:.3g} at t = {:.3g}; shorter steps stay nearer",
          invariant.name, invariant.row, invariant.rate, invariant.time);
    } else {
      in_doubt_.push_back(invariant.name);
      text += ", unless errors of steps have led away from a level on which they do";
    }
    summary.warnings.push_back({invariant.time, "changing-invariant", std::move(text)});
  }
}

template <class T>
void RunWatch<T>::fit_growth(Summary& summary) const {
  if (!plan_.growth) return;
  for (std::size_t k = 0; k < series_.size(); ++k)
    summary.monitors[k].growth =
        cotangent::fit_growth(series_[k], growth_options(*monitors_.list()[k], *probe_, summary.steps));
}

template <class T>
std::optional<SectionReport> RunWatch<T>::section(Summary& summary) const {
  if (!section_) return std::nullopt;
  if (section_->lost() > 0)
    summary.warnings.push_back({summary.time, "section-lost",
                                fmt::format("no step could be made to {} of the section, which {} not in its file",
                                            plural(static_cast<std::size_t>(section_->lost()), "crossing"),
                                            section_->lost() == 1 ? "is" : "are")});
  if (auto remark = section_->remark(); !remark.empty() && summary.steps > 0)
    summary.warnings.push_back({summary.time, "section-empty", std::move(remark)});
  return SectionReport{section_->count(), plan_.section_out.empty() ? std::nullopt : std::optional(plan_.section_out)};
}

// Residuals of constraints that steps return to are claimed after steps only, where the initial data need not meet
// them.
template <class T>
bool RunWatch<T>::begins_after_step(const Monitor<T>& monitor) const {
  if (plan_.initial != InitialPolicy::as_given) return false;
  if (monitor.name() == "position") return machine_.returns_to_position();
  return monitor.name() == "momentum" && machine_.returns_to_momentum();
}

template <class T>
void RunWatch<T>::describe_error(RunEvidence::Error& error) const {
  const auto K = plan_.refinement();
  error.is_shared = K.has_value();
  if (!K) {
    error.by = plan_.reference == "exact" ? "the exact solution" : "the record " + plan_.reference;
    return;
  }
  error.by = K == "2" ? "two steps in the place of one" : "steps " + *K + " times as short";
  error.factor = 1 / (1 - monitors_.reference()->error_left(machine_.facts().order));
}

template <class T>
std::optional<Certificate> RunWatch<T>::certificate(const Summary& summary) const {
  if (!plan_.certify) return std::nullopt;
  const Elements& elements = *machine_.parts.elements;
  RunEvidence run = measured_evidence(monitors_, series_, *probe_);
  run.facts = machine_.facts();
  run.policy = plan_.policy();
  run.is_ended = summary.outcome == Outcome::done;
  run.steps = summary.steps;
  run.span = {plan_.start, *plan_.end};
  run.has_constraints = elements.m > 0;
  run.is_autonomous = elements.is_autonomous();
  run.is_hamiltonian = elements.n > 0 && !elements.has_forces() && elements.states == 0;
  run.is_adaptive = plan_.is_adaptive();
  run.has_even_steps = !run.is_adaptive || (summary.choice && summary.choice->is_reversible);
  run.charts = summary.counts.charts;
  run.energy_lost_at = summary.energy_lost_at;
  run.changing = changing_;
  run.in_doubt = in_doubt_;
  if (jumps_) {
    run.energy_jump = first_jump(jumps_->jumps(), &Jump::is_of_energy);
    run.gradient_jump = first_jump(jumps_->jumps(), &Jump::is_of_gradient);
  }
  if (run.error) describe_error(*run.error);
  return certify(run);
}

COTANGENT_INSTANTIATE(PRECISIONS, RunWatch);

}  // namespace cotangent
