#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/equations.hpp"
#include "cotangent/formulation/field/standard.hpp"

namespace cotangent {

template <class T>
const std::vector<FormulationEntry<T>>& formulations() {
  static const std::vector<FormulationEntry<T>> list = {
      {Standard<T>::sheet(), make<Standard, T>},
      total<T>(),
      dirac<T>(),
      dirac_weak<T>(),
      hamilton_dirac<T>(),
      impetus<T>(),
      state_space<T>(),
      state_space_velocity<T>(),
      lagrange_2<T>(),
      linear_hamiltonian<T>(),
      baumgarte<T>(),
      ggl<T>(),
      lagrange_1<T>(),
      {Equations<T>::sheet(), make<Equations, T>},
  };
  return list;
}

template <class T>
std::unique_ptr<Formulation<T>> FormulationEntry<T>::make(Manifold<T>& manifold,
                                                          const FormulationOptions& options) const {
  const bool is_ode = manifold.system().elements().dynamics == Dynamics::equations;
  const bool is_for_ode = facts.name == Equations<T>::sheet().name;
  if (is_ode && !is_for_ode)
    throw std::invalid_argument(fmt::format(
        "the formulation '{}' is one of mechanics, and the system has no coordinates: use 'equations'", facts.name));
  if (!is_ode && is_for_ode)
    throw std::invalid_argument(
        "the formulation 'equations' is for ordinary differential equations, and the system has coordinates: use "
        "'standard'");
  // Third derivatives of H and g are there unless these are functions of the user's.
  if (needs_third_derivatives && manifold.system().source() && !manifold.system().legendre())
    throw std::invalid_argument(fmt::format(
        "the formulation '{}' needs third derivatives, which a black box does not give: use 'dirac-weak'", facts.name));
  auto made = factory(manifold, options);
  if (!options.stage_projection || (manifold.system().m() == 0 && options.stage_invariants.empty())) return made;
  if (!made->is_physical())
    throw std::invalid_argument(
        fmt::format("stages under the formulation '{}' are not q and p, so that none can be projected: use 'standard', "
                    "or another one in q and p",
                    facts.name));
  return at_projected_stages(manifold, *options.stage_projection, options.stage_invariants, std::move(made));
}

template <class T>
const FormulationEntry<T>& find_formulation(std::string_view name) {
  for (const auto& entry : formulations<T>())
    if (entry.facts.name == name) return entry;
  throw std::invalid_argument(fmt::format("there is no formulation '{}' as a vector field", name));
}

template <class T>
std::unique_ptr<Formulation<T>> underlying_field(Manifold<T>& manifold) {
  const bool is_ode = manifold.system().elements().dynamics == Dynamics::equations;
  return is_ode ? make<Equations, T>(manifold, {}) : make<Standard, T>(manifold, {});
}

std::vector<std::string> field_formulations(std::string_view first) {
  std::vector<std::string> names{std::string(first)};
  for (const auto& entry : formulations<double>())
    if (entry.facts.name != first) names.push_back(entry.facts.name);
  return names;
}

FormulationFacts direct_facts() {
  return {.name = "direct",
          .description = "the constrained equations themselves, on the manifold only",
          .variables = "q, p on the manifold",
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_position = true,
          .on_momentum = true,
          .residuals = "not defined off the manifold",
          .derivatives = "G, H_pp",
          .moving = "g(q, t) = 0 and G v + g_t = 0; f is part of p'",
          .reference = "hlw06"};
}

COTANGENT_INSTANTIATE(NUMBERS, FormulationEntry);
#define COTANGENT_FUNCTIONS(T)                                            \
  template const FormulationEntry<T>& find_formulation(std::string_view); \
  template const std::vector<FormulationEntry<T>>& formulations();        \
  template std::unique_ptr<Formulation<T>> underlying_field(Manifold<T>&);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
