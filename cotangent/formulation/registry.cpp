#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/baumgarte.hpp"
#include "cotangent/formulation/dirac.hpp"
#include "cotangent/formulation/dirac_weak.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/formulation/ggl.hpp"
#include "cotangent/formulation/impetus.hpp"
#include "cotangent/formulation/lagrange_1.hpp"
#include "cotangent/formulation/lagrange_2.hpp"
#include "cotangent/formulation/linear_hamiltonian.hpp"
#include "cotangent/formulation/stage_projected.hpp"
#include "cotangent/formulation/standard.hpp"
#include "cotangent/formulation/state_space.hpp"
#include "cotangent/formulation/state_space_velocity.hpp"
#include "cotangent/formulation/total.hpp"

namespace cotangent {
namespace {

template <class F, class T>
std::unique_ptr<Formulation<T>> make(Manifold<T>& manifold, const FormulationOptions& options) {
  return std::make_unique<F>(manifold, options);
}

// Third derivatives of H and g are there unless these are functions of the user's.
template <class F, class T>
std::unique_ptr<Formulation<T>> make_with_third_derivatives(Manifold<T>& manifold, const FormulationOptions& options) {
  if (manifold.system().source() && !manifold.system().legendre())
    throw std::invalid_argument(
        fmt::format("the formulation '{}' needs third derivatives, which a black box does not give: use 'dirac-weak'",
                    F::sheet().name));
  return std::make_unique<F>(manifold, options);
}

// Charts and minimal coordinates belong to one trajectory: there are none in a batch.
template <template <class> class F, class T>
std::unique_ptr<Formulation<T>> make_for_one(Manifold<T>& manifold, const FormulationOptions& options) {
  if constexpr (lane_count<T> == 1) {
    return std::make_unique<F<T>>(manifold, options);
  } else {
    throw std::invalid_argument("this formulation takes one trajectory at a time");
  }
}

template <class T>
std::unique_ptr<Formulation<T>> make_dirac_weak(Manifold<T>& manifold, const FormulationOptions& options) {
  return std::make_unique<DiracWeak<T>>(DiracWeak<T>::sheet(), manifold, options.gauge);
}

template <class T>
std::unique_ptr<Formulation<T>> make_hamilton_dirac(Manifold<T>& manifold, const FormulationOptions& /*options*/) {
  return std::make_unique<DiracWeak<T>>(DiracWeak<T>::hamilton_dirac_sheet(), manifold);
}

}  // namespace

template <class T>
const std::vector<FormulationEntry<T>>& formulations() {
  static const std::vector<FormulationEntry<T>> list = {
      {Standard<T>::sheet(), make<Standard<T>, T>},
      {Total<T>::sheet(), make_with_third_derivatives<Total<T>, T>},
      {Dirac<T>::sheet(), make_with_third_derivatives<Dirac<T>, T>},
      {DiracWeak<T>::sheet(), make_dirac_weak<T>},
      {DiracWeak<T>::hamilton_dirac_sheet(), make_hamilton_dirac<T>},
      {Impetus<T>::sheet(), make<Impetus<T>, T>},
      {state_space_facts(), make_for_one<StateSpace, T>},
      {state_space_velocity_facts(), make_for_one<StateSpaceVelocity, T>},
      {lagrange_2_facts(), make_for_one<Lagrange2, T>},
      {LinearHamiltonian<T>::sheet(), make<LinearHamiltonian<T>, T>},
      {Baumgarte<T>::sheet(), make<Baumgarte<T>, T>},
      {Ggl<T>::sheet(), make<Ggl<T>, T>},
      {Lagrange1<T>::sheet(), make<Lagrange1<T>, T>},
  };
  return list;
}

template <class T>
std::unique_ptr<Formulation<T>> FormulationEntry<T>::make(Manifold<T>& manifold,
                                                          const FormulationOptions& options) const {
  auto made = factory(manifold, options);
  if (!options.stage_projection || manifold.system().m() == 0) return made;
  if (!made->is_physical())
    throw std::invalid_argument(
        fmt::format("stages under the formulation '{}' are not q and p, so that none can be projected: use 'standard', "
                    "or another one in q and p",
                    facts.name));
  return std::make_unique<StageProjected<T>>(manifold, *options.stage_projection, std::move(made));
}

template <class T>
const FormulationEntry<T>& find_formulation(std::string_view name) {
  for (const auto& entry : formulations<T>())
    if (entry.facts.name == name) return entry;
  throw std::invalid_argument(fmt::format("there is no formulation '{}' as a vector field", name));
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
          .hamiltonian = false,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_position = true,
          .on_momentum = true,
          .residuals = "not defined off the manifold",
          .derivatives = "G, H_pp",
          .moving = "g(q, t) = 0 and G v + g_t = 0; f is part of p'",
          .applies_to = "every system",
          .reference = "hlw06"};
}

COTANGENT_INSTANTIATE(NUMBERS, FormulationEntry);
#define COTANGENT_FUNCTIONS(T)                                            \
  template const FormulationEntry<T>& find_formulation(std::string_view); \
  template const std::vector<FormulationEntry<T>>& formulations();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
