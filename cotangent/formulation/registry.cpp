#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/formulation/standard.hpp"

namespace cotangent {
namespace {

template <class F, class T>
std::unique_ptr<Formulation<T>> make(Manifold<T>& manifold) {
  return std::make_unique<F>(manifold);
}

}  // namespace

template <class T>
const std::vector<FormulationEntry<T>>& formulations() {
  static const std::vector<FormulationEntry<T>> list = {
      {Standard<T>::sheet(), make<Standard<T>, T>},
  };
  return list;
}

template <class T>
const FormulationEntry<T>& find_formulation(std::string_view name) {
  for (const auto& entry : formulations<T>())
    if (entry.facts.name == name) return entry;
  throw std::invalid_argument(fmt::format("there is no formulation '{}' as a vector field", name));
}

FormulationFacts direct_facts() {
  return {.name = "direct",
          .description = "the constrained equations themselves, on the manifold only",
          .hamiltonian = false,
          .invariants = "g, psi and H on the manifold; not defined off it",
          .reference = "hlw06"};
}

template const FormulationEntry<double>& find_formulation(std::string_view);
template const FormulationEntry<long double>& find_formulation(std::string_view);
template const FormulationEntry<Quad>& find_formulation(std::string_view);
template const FormulationEntry<Lanes>& find_formulation(std::string_view);
template const std::vector<FormulationEntry<double>>& formulations();
template const std::vector<FormulationEntry<long double>>& formulations();
template const std::vector<FormulationEntry<Quad>>& formulations();
template const std::vector<FormulationEntry<Lanes>>& formulations();

}  // namespace cotangent
