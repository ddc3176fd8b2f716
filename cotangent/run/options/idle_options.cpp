#include <fmt/format.h>

#include <algorithm>

#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/parts/run_machine.hpp"

namespace cotangent {
namespace {

struct Situation {
  const RunPlan& plan;
  const RunWords& words;
  const MethodFacts& facts;
  std::int64_t constraints;

  bool has_invariants() const { return !plan.project_invariants.empty(); }
  bool projects() const { return constraints > 0 && plan.projection != Projection::none; }
};

/// Why an option changes nothing; empty where it matters.
using Why = std::string (*)(const Situation&);

const std::string kFree = "the model has no constraints";

std::string without_constraints(const Situation& at) { return at.constraints == 0 ? kFree : ""; }

std::string with_fixed_steps(const Situation& at) {
  return at.plan.is_adaptive() ? "" : fmt::format("steps are adaptive with {} only", at.words.spell("tolerance"));
}

std::string without_section(const Situation& at) {
  return at.plan.section.empty() ? fmt::format("there is no {}", at.words.spell("section")) : "";
}

// It may say how points return to invariants.
std::string projection(const Situation& at) {
  const auto projection = at.plan.projection;
  const bool says_how = at.has_invariants() && projection != Projection::position && projection != Projection::both;
  return at.constraints == 0 && projection != Projection::none && !says_how ? kFree : "";
}

std::string without_projection(const Situation& at) {
  if (at.has_invariants() || at.projects()) return "";
  if (at.constraints == 0) return kFree;
  if (at.words.is_given("projection")) return "the projection is 'none'";
  return fmt::format("'{}' keeps the constraints and is not followed by a projection unless {} asks for one",
                     at.facts.name, at.words.spell("projection"));
}

std::string when_projected(const Situation& at) {
  const Projection projection = *at.plan.projection;
  const bool is_in_step = projection == Projection::stage || projection == Projection::symmetric;
  if (!at.has_invariants() && at.projects() && is_in_step)
    return fmt::format("the projection '{}' is part of every step", name_of(projection));
  return without_projection(at);
}

std::string metric(const Situation& at) {
  if (!at.has_invariants() && at.projects() && at.plan.projection == Projection::symmetric)
    return "the projection 'symmetric' shifts q and p along fixed directions";
  return without_projection(at);
}

std::string for_formulations(const Situation& at, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), at.plan.formulation) == names.end())
    return fmt::format("it is for the formulation {}, not for '{}'", fmt::join(names, " or "), at.plan.formulation);
  return without_constraints(at);
}

std::string for_dirac(const Situation& at) { return for_formulations(at, {"dirac", "dirac-weak"}); }
std::string for_baumgarte(const Situation& at) { return for_formulations(at, {"baumgarte"}); }
std::string for_charts(const Situation& at) { return for_formulations(at, {"state-space", "state-space-velocity"}); }

std::string for_impetus(const Situation& at) {
  const ProjectionPolicy policy = at.plan.policy();
  const bool resets_always =
      at.constraints > 0 && (policy.to_position() || policy.to_momentum()) && policy.every == 1 && !policy.above;
  const std::string why = for_formulations(at, {"impetus"});
  if (why.empty() && resets_always)
    return fmt::format("the projection '{}' after every step resets p* already", name_of(policy.projection));
  return why;
}

constexpr std::pair<const char*, Why> kRows[]{
    {"solver",
     [](const Situation& at) {
       return at.facts.has_solver ? "" : fmt::format("'{}' has no stages that are found by iteration", at.facts.name);
     }},
    {"projection", projection},
    {"project-every", when_projected},
    {"project-above", when_projected},
    {"metric", metric},
    {"sets",
     [](const Situation& at) {
       const bool scales = at.facts.has_sets || at.plan.projection == Projection::scaling;
       return scales ? std::string()
                     : fmt::format("nothing is scaled without {}", at.words.spell("projection", "scaling"));
     }},
    {"initial", without_constraints},
    {"absolute-tolerance", with_fixed_steps},
    {"controller", with_fixed_steps},
    {"step-density",
     [](const Situation& at) {
       return at.plan.controller == Controller::pi ? std::string("the controller is 'pi'") : with_fixed_steps(at);
     }},
    {"every",
     [](const Situation& at) {
       return at.plan.out.empty() && at.plan.periodogram.empty() && !at.plan.is_shown()
                  ? fmt::format("nothing is recorded without {}", at.words.spell("out", "FILE.csv"))
                  : "";
     }},
    {"record",
     [](const Situation& at) {
       return at.plan.out.empty() ? fmt::format("nothing is recorded without {}", at.words.spell("out", "FILE.csv"))
                                  : "";
     }},
    {"compression",
     [](const Situation& at) {
       const auto is_packed = [](const std::string& file) {
         return !file.empty() && file != "-" && !file.ends_with(".csv");
       };
       return is_packed(at.plan.out) || is_packed(at.plan.section_out)
                  ? ""
                  : fmt::format("nothing is compressed without {}", at.words.spell("out", "FILE.h5"));
     }},
    {"checkpoint-every",
     [](const Situation& at) {
       return at.plan.checkpoint.empty() && !at.words.is_on_command_line("resume")
                  ? fmt::format("nothing is kept without {}", at.words.spell("checkpoint", "FILE"))
                  : "";
     }},
    {"section-direction", without_section},
    {"section-out", without_section},
    {"gauge", for_dirac},
    {"baumgarte", for_baumgarte},
    {"chart", for_charts},
    {"chart-update", for_charts},
    {"impetus-reset", for_impetus},
    {"impetus-reset-above", for_impetus},
};

}  // namespace

void note_idle_options(const RunPlan& plan, const RunWords& words, const MethodFacts& facts, const Model& model,
                       std::int64_t constraints, Notes& notes) {
  const Situation at{plan, words, facts, constraints};
  for (const auto& [option, why] : kRows)
    if (const std::string reason = words.is_given(option) ? why(at) : ""; !reason.empty())
      notes.push_back(fmt::format("{} changes nothing: {}", words.name(option), reason));
  if (words.is_given("monitor"))
    for (const std::string& name : *plan.monitor) {
      const MonitorFacts& monitor = find_monitor(name);
      std::string why = monitor.why_idle(model.dimension(), constraints);
      if (why.empty() && monitor.needs_impetus && !facts.has_impetus)
        why = "these steps carry no impetus; it belongs to the formulation 'impetus'";
      if (!why.empty()) notes.push_back(fmt::format("'{}' is not monitored: {}", name, why));
    }
  const std::string* given = words.text("precision");
  const auto in_model = model.run.find("precision");
  if (given ? *given == "long" : in_model != model.run.end() && in_model->second == RunValue("long"))
    notes.push_back(words.name("precision") + " long runs in quad precision");
}

}  // namespace cotangent
