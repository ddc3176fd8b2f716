#include "choose_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/formulation/minimal_coordinates.hpp"
#include "cotangent/integrator/default_projection.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/projection/projection.hpp"
#include "cotangent/simulation/stiffness.hpp"
#include "errors.hpp"
#include "formulation_choice.hpp"
#include "option_words.hpp"

using namespace cotangent;

MethodOptions choose_method_options(const RunOptions& options) {
  MethodOptions result;
  const std::string solver = word_of(options, "solver");
  if (solver == "functional") result.solver = FixedPointSolver::functional;
  if (solver == "newton") result.solver = FixedPointSolver::newton;
  return result;
}

namespace {

constexpr int kUsualOrder = 4;
// In the place of a method: the choice is free, whatever the model names.
constexpr const char* kFree = "auto";
// Tolerances below this are for higher orders.
constexpr double kTightTolerance = 1e-8;

int structure_kept(const MethodFacts& facts) {
  return 4 * facts.symplectic + 2 * (facts.keeps_position && facts.keeps_momentum) + 1 * facts.symmetric;
}

std::string virtues(const MethodFacts& facts) {
  std::vector<std::string> words;
  if (facts.symplectic) words.emplace_back("symplectic");
  if (facts.symmetric) words.emplace_back("symmetric");
  words.push_back(fmt::format("order {}", facts.order));
  if (facts.keeps_position && facts.keeps_momentum) words.emplace_back("keeps the constraints");
  if (facts.error_order > 0) words.emplace_back("estimates its error");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> formulation_names() {
  std::vector<std::string> names{direct_facts().name};
  for (const auto& entry : formulations<double>()) names.push_back(entry.facts.name);
  return names;
}

// Whoever names a formulation is told what is wrong with it, otherwise the method is to blame.
const char* culprit(const RunOptions& options) { return options.formulation ? "formulation" : "method"; }

template <class T>
bool takes(const Method<T>& method, const std::string& formulation) {
  const auto& names = method.facts.formulations;
  return std::find(names.begin(), names.end(), formulation) != names.end();
}

template <class T>
std::string methods_for(const std::string& formulation) {
  std::vector<std::string> names;
  for (const auto& method : methods<T>())
    if (takes(method, formulation)) names.push_back(method.facts.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The method that was named is one.
template <class T>
void expect_method(const RunOptions& options) {
  options.places.blame("method", [&] {
    try {
      static_cast<void>(find_method<T>(*options.method));
    } catch (const MethodNameError& error) {
      options.places.refuse("method", error.what(), {}, {error.column(), error.length()});
    }
  });
}

// What has been wished for beside the method.
struct Wishes {
  FormulationOptions formulation;
  MethodOptions method;
};

template <class T>
std::unique_ptr<Integrator<T>> make_as_wished(Manifold<T>& manifold, const RunOptions& options, const Wishes& wishes) {
  const Method<T> method = find_method<T>(*options.method);
  if (options.formulation && !takes(method, *options.formulation))
    options.places.refuse(
        "formulation",
        fmt::format("the method '{}' does not take the formulation '{}'", *options.method, *options.formulation),
        fmt::format("use --formulation {}, or one of the methods that take '{}': {}", method.facts.formulations.front(),
                    *options.formulation, methods_for<T>(*options.formulation)));
  try {
    return method.make(manifold, options.formulation.value_or(""), wishes.formulation, wishes.method);
  } catch (const MinimalError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    options.places.refuse(culprit(options), error.what());
  }
}

void note_idle_solver(const RunOptions& options, const MethodFacts& facts, std::vector<std::string>& notes) {
  if (options.solver && !facts.has_solver)
    notes.push_back(fmt::format("{} changes nothing: '{}' has no stages that are found by iteration",
                                options.places.name("solver"), facts.name));
}

// With a tolerance, explicit methods that estimate their errors come first, those of higher order before others up to
// eight: what suits a run that is to be accurate. Otherwise what keeps most of the structure suits a run that is to be
// long, with an order that suits most purposes.
std::pair<int, int> rank(const MethodFacts& facts, const RunOptions& options) {
  const bool is_explicit = facts.kind.starts_with("explicit");
  if (options.tolerance) {
    constexpr int kHighest = 8;
    return {2 * is_explicit + (is_explicit && facts.error_order > 0), facts.order <= kHighest ? facts.order : 0};
  }
  return {structure_kept(facts), options.formulation ? -std::abs(facts.order - kUsualOrder) : 0};
}

const FormulationFacts& facts_of_formulation(const std::string& name) {
  static const FormulationFacts direct = direct_facts();
  return name == direct.name ? direct : find_formulation<double>(name).facts;
}

// What a method may claim at most under a formulation. Its sheet is that of its default formulation: constraints that
// this one keeps are not the method's merit.
MethodFacts at_most(MethodFacts facts, const FormulationFacts& formulation) {
  const bool is_direct = formulation.name == direct_facts().name;
  facts.symplectic = facts.symplectic && (is_direct || formulation.hamiltonian);
  facts.symmetric = facts.symmetric && formulation.reversible;
  const FormulationFacts& usual = facts_of_formulation(facts.formulations.front());
  facts.keeps_position = formulation.on_position || (facts.keeps_position && !usual.on_position);
  facts.keeps_momentum = formulation.on_momentum || (facts.keeps_momentum && !usual.on_momentum);
  return facts;
}

// Of those that can be made the best under the formulation. Making one takes its time: those that cannot be better are
// left out.
template <class T>
std::unique_ptr<Integrator<T>> best_for_formulation(Manifold<T>& manifold, const RunOptions& options,
                                                    const Wishes& wishes) {
  using Rank = std::pair<int, int>;
  std::vector<std::pair<Rank, const Method<T>*>> candidates;
  for (const auto& method : methods<T>())
    if (takes(method, *options.formulation))
      candidates.emplace_back(rank(at_most(method.facts, facts_of_formulation(*options.formulation)), options),
                              &method);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::unique_ptr<Integrator<T>> best;
  std::string refusal;
  for (const auto& [most, method] : candidates) {
    if (best && rank(best->facts(), options) >= most) break;
    try {
      auto made = method->make(manifold, *options.formulation, wishes.formulation, wishes.method);
      if (!best || rank(made->facts(), options) > rank(best->facts(), options)) best = std::move(made);
    } catch (const MinimalError&) {
      throw;
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
    }
  }
  if (!best) options.places.refuse("formulation", refusal);
  return best;
}

// For a stiff system, in the place of an explicit method that was chosen for its accuracy.
template <class T>
std::unique_ptr<Integrator<T>> stiff_method(Manifold<T>& manifold, const RunOptions& options, const Wishes& wishes,
                                            Integrator<T>& chosen, const std::function<PhasePoint<T>()>& start,
                                            std::string& why) {
  if (!options.tolerance || !options.end || !chosen.facts().kind.starts_with("explicit")) return nullptr;
  const Method<T> method = find_method<T>(*options.tolerance < kTightTolerance ? "radau-iia:5" : "radau-iia:3");
  if (options.formulation && !takes(method, *options.formulation)) return nullptr;
  try {
    auto made = method.make(manifold, options.formulation.value_or(""), wishes.formulation, wishes.method);
    const ProjectionPolicy policy{.projection = default_projection(chosen.facts(), manifold.system().m())};
    Projector<T> projector(manifold, policy);
    const AdaptiveOptions adaptive{
        .tolerance = {.relative = *options.tolerance, .absolute = options.absolute_tolerance.value_or(0)},
        .end = *options.end,
        .first_step = options.step};
    const auto step = stiff_step(chosen, *made, projector, manifold, adaptive, start());
    if (!step) return nullptr;
    why = fmt::format("the system is stiff: a step of {:.2g} is accurate enough, but '{}' needs shorter ones", *step,
                      chosen.facts().name);
    return made;
  } catch (const std::invalid_argument&) {
    // A start that is none is refused where it is used.
    return nullptr;
  }
}

}  // namespace

void settle_free_method(RunOptions& options) {
  if (options.method == kFree) options.method.reset();
}

std::string named_method(const RunOptions& options) {
  if (options.method.value_or(kFree) == kFree) return kFree;
  expect_method<double>(options);
  return find_method<double>(*options.method).facts.name;
}

template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const RunOptions& options,
                                             std::vector<std::string>& notes,
                                             const std::function<PhasePoint<T>()>& start) {
  const Wishes wishes{choose_formulation_options(options), choose_method_options(options)};
  if (options.formulation)
    options.places.blame("formulation", [&] { expect_name("formulation", *options.formulation, formulation_names()); });
  if (options.method) {
    expect_method<T>(options);
    // A formulation of the command line wins over the method of the model.
    const bool is_overruled = options.formulation && options.places.is_on_command_line("formulation") &&
                              !options.places.is_on_command_line("method") &&
                              !takes(find_method<T>(*options.method), *options.formulation);
    if (!is_overruled) {
      auto made = make_as_wished(manifold, options, wishes);
      note_idle_solver(options, made->facts(), notes);
      return made;
    }
    notes.push_back(fmt::format("the model's method '{}' does not take the formulation '{}'", *options.method,
                                *options.formulation));
  }
  const auto choose = [&](std::unique_ptr<Integrator<T>> chosen) {
    std::string why;
    if (auto stiff = stiff_method(manifold, options, wishes, *chosen, start, why)) chosen = std::move(stiff);
    notes.push_back(fmt::format("no method was given{}: '{}' was chosen ({}){}{}",
                                options.formulation ? fmt::format(" for '{}'", *options.formulation) : "",
                                chosen->facts().name, virtues(chosen->facts()), why.empty() ? "" : "; ", why));
    note_idle_solver(options, chosen->facts(), notes);
    return chosen;
  };
  if (options.formulation) return choose(best_for_formulation(manifold, options, wishes));
  std::vector<const Method<T>*> candidates;
  for (const auto& method : methods<T>()) candidates.push_back(&method);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const auto* a, const auto* b) { return rank(a->facts, options) > rank(b->facts, options); });
  std::string refusals;
  for (const auto* method : candidates) {
    try {
      return choose(method->make(manifold, "", wishes.formulation, wishes.method));
    } catch (const std::invalid_argument& refusal) {
      refusals += fmt::format("\n  {}", refusal.what());
    }
  }
  throw UsageError("no method can take this system:" + refusals);
}

#define COTANGENT_FUNCTIONS(T)                                                                                      \
  template std::unique_ptr<Integrator<T>> choose_method(Manifold<T>&, const RunOptions&, std::vector<std::string>&, \
                                                        const std::function<PhasePoint<T>()>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
