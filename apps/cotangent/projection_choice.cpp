#include "projection_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/default_projection.hpp"
#include "cotangent/integrator/registry.hpp"
#include "option_words.hpp"
#include "run_choices.hpp"

using namespace cotangent;

namespace {

constexpr const char* kSymmetricMethod = "gauss:2";
constexpr const char* kStagedMethod = "implicit-midpoint";

bool is(const RunOptions& options, Projection projection) {
  return options.projection && *options.projection == name_of(projection);
}

// The first formulation in q and p that a method takes: 'standard', mostly.
std::optional<std::string> formulation_of_stages(const std::string& method) {
  const std::vector<std::string> taken = find_method<double>(method).facts.formulations;
  for (const auto& entry : formulations<double>())
    if (entry.facts.variables == "q, p" && std::find(taken.begin(), taken.end(), entry.facts.name) != taken.end())
      return entry.facts.name;
  return std::nullopt;
}

void settle_stages(RunOptions& options, std::vector<std::string>& notes) {
  if (options.method) options.places.blame("method", [&] { static_cast<void>(find_method<double>(*options.method)); });
  if (options.method && !formulation_of_stages(*options.method)) {
    const std::string message =
        fmt::format("the method '{}' has no stages in q and p that could be projected", *options.method);
    if (options.places.is_on_command_line("method") || !options.places.is_on_command_line("projection"))
      options.places.refuse("projection", message, fmt::format("use --method {} or rk4, say", kStagedMethod));
    notes.push_back(fmt::format("{}: '{}' is used", message, kStagedMethod));
    options.method.reset();
  }
  if (!options.method) options.method = kStagedMethod;
  if (!options.formulation) options.formulation = formulation_of_stages(*options.method);
}

void settle_symmetric(RunOptions& options, std::vector<std::string>& notes) {
  const std::string method = options.method.value_or(kSymmetricMethod);
  if (method.starts_with("symmetric(")) return;
  options.method = fmt::format("symmetric({})", method);
  const auto refusal = [&]() -> std::optional<std::string> {
    try {
      static_cast<void>(find_method<double>(*options.method));
      return std::nullopt;
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }();
  if (!refusal) return;
  if (options.places.is_on_command_line("method") || !options.places.is_on_command_line("projection"))
    options.places.refuse("projection", *refusal);
  options.method = fmt::format("symmetric({})", kSymmetricMethod);
  notes.push_back(fmt::format("{}; '{}' is used", *refusal, *options.method));
}

}  // namespace

Metric choose_metric(const RunOptions& options) { return find_metric(word_of(options, "metric")); }

std::int64_t choose_project_every(const RunOptions& options) {
  return options.project_every.value_or(ProjectionPolicy().every);
}

void check_projection_options(const RunOptions& options) {
  const auto& places = options.places;
  if (options.projection) places.blame("projection", [&] { static_cast<void>(find_projection(*options.projection)); });
  if (options.project_invariants && (is(options, Projection::stage) || is(options, Projection::symmetric)))
    places.refuse("project-invariants",
                  fmt::format("the projection '{}' is part of a step, and invariants alone would lead away from the "
                              "constraints after it",
                              *options.projection),
                  "use --projection both or --projection joint");
  static_cast<void>(choose_metric(options));
  if (options.project_invariants && split_at_commas(*options.project_invariants).empty())
    places.refuse("project-invariants", "names no invariant", "use energy, or names from [invariants] of the model");
  if (options.project_every && *options.project_every < 1)
    places.refuse("project-every", fmt::format("must be at least 1, not {}", *options.project_every));
  if (options.project_above && !(*options.project_above >= 0))
    places.refuse("project-above", fmt::format("must not be negative, but is {}", *options.project_above));
}

void settle_method_for_projection(RunOptions& options, const Model& model, std::vector<std::string>& notes) {
  if (model.constraints.empty()) return;
  if (is(options, Projection::stage)) settle_stages(options, notes);
  if (is(options, Projection::symmetric)) settle_symmetric(options, notes);
}

ProjectionPolicy choose_projection(const RunOptions& options, const MethodFacts& facts, std::int64_t constraints) {
  ProjectionPolicy policy{
      .every = choose_project_every(options), .above = options.project_above, .metric = choose_metric(options)};
  if (options.project_invariants) policy.invariants = split_at_commas(*options.project_invariants);
  if (options.projection) {
    policy.projection = find_projection(*options.projection);
  } else if (!policy.invariants.empty() && constraints > 0) {
    policy.projection = Projection::both;
  } else {
    policy.projection = default_projection(facts, constraints);
  }
  return policy;
}

std::vector<std::string> idle_projection_options(const RunOptions& options, const MethodFacts& facts,
                                                 const ProjectionPolicy& policy, std::int64_t constraints) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& option, const std::string& why) {
    notes.push_back(fmt::format("{} changes nothing: {}", options.places.name(option), why));
  };
  const bool has_invariants = !policy.invariants.empty();
  // It says which numbers are moved to return to invariants.
  const bool holds_q = has_invariants && policy.projection == Projection::momentum;
  if (constraints == 0 && policy.projection != Projection::none && !holds_q)
    note("projection", "the model has no constraints");
  const bool is_in_step = policy.projection == Projection::stage || policy.projection == Projection::symmetric;
  const bool projects = constraints > 0 && policy.projection != Projection::none;
  const std::string why = constraints == 0     ? "the model has no constraints"
                          : options.projection ? "the projection is 'none'"
                                               : fmt::format(
                                                     "'{}' keeps the constraints and is not followed by a "
                                                     "projection unless --projection asks for one",
                                                     facts.name);
  for (const auto& [option, is_given] : {std::pair{"project-every", options.project_every.has_value()},
                                         {"project-above", options.project_above.has_value()}}) {
    if (!is_given || has_invariants) continue;
    if (!projects) note(option, why);
    if (projects && is_in_step)
      note(option, fmt::format("the projection '{}' is part of every step", name_of(policy.projection)));
  }
  if (options.metric && !has_invariants) {
    if (!projects) note("metric", why);
    if (projects && policy.projection == Projection::symmetric)
      note("metric", "the projection 'symmetric' shifts q and p along fixed directions");
  }
  return notes;
}
