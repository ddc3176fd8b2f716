#include "run_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "choose_method.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/lagrange_2.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "formulation_choice.hpp"
#include "projection_choice.hpp"

using namespace cotangent;

namespace {

template <class T>
std::unique_ptr<Integrator<T>> choose_method_for(const Model& model, Manifold<T>& manifold, const RunOptions& options,
                                                 InitialPolicy initial, std::vector<std::string>& notes) {
  try {
    return choose_method<T>(manifold, options, notes, [&] { return make_initial_data(model, manifold, initial).z; });
  } catch (const MinimalError& error) {
    throw refusal(model, model.minimal->where, error.what());
  }
}

// Minimal coordinates have full matrices.
void note_cost(const std::string& formulation, const Elements& elements, std::vector<std::string>& notes) {
  constexpr std::int64_t kMany = 100;
  if (formulation != lagrange_2_facts().name || elements.minimal->size < kMany) return;
  notes.push_back(
      fmt::format("'{}' with {} minimal coordinates takes time that grows with the third power of their number; "
                  "'state-space' does not",
                  formulation, elements.minimal->size));
}

}  // namespace

template <class T>
RunMachine<T>::RunMachine(const Model& model, const RunOptions& options, const RunChoices& choices,
                          std::vector<std::string>& notes)
    : parts{model, regular_elements(model, notes), options, choices, {}, {}, {}, {}} {
  // Tangents are compiled whatever the precision of the run is.
  const bool compiles = has_jit() && options.backend.value_or("jit") == "jit";
  parts.compiled =
      std::make_shared<const CompiledModel>(parts.elements, compiles ? Backend::jit : Backend::interpreter);
  map.system = std::make_unique<System<T>>(parts.compiled);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = choose_method_for(model, *map.manifold, options, choices.initial, notes);
  parts.method = facts().name;
  parts.formulation = options.formulation.value_or(facts().formulations.front());
  expect_resolved_rates(options, parts.formulation, choices.adaptive ? choices.adaptive->end : choices.grid.step,
                        static_cast<double>(epsilon<T>()));
  const std::int64_t m = map.system->m();
  parts.policy = choose_projection(options, facts(), m);
  const auto add = [&notes](std::vector<std::string> more) {
    for (auto& note : more) notes.push_back(std::move(note));
  };
  add(idle_projection_options(options, facts(), parts.policy, m));
  add(idle_options(options, facts(), m));
  add(idle_formulation_options(options, parts.formulation, parts.policy, m));
  note_cost(parts.formulation, *parts.elements, notes);
  map.projector = options.places.blame("project-invariants",
                                       [&] { return std::make_unique<Projector<T>>(*map.manifold, parts.policy); });
}

COTANGENT_INSTANTIATE(PRECISIONS, RunMachine);
