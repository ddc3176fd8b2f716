#pragma once

#include <memory>
#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

template <template <class> class F, class T>
std::unique_ptr<Formulation<T>> make(Manifold<T>& manifold, const FormulationOptions& options) {
  return std::make_unique<F<T>>(manifold, options);
}

/// Charts and minimal coordinates belong to one trajectory: there are none in a batch.
template <template <class> class F, class T>
std::unique_ptr<Formulation<T>> make_for_one(Manifold<T>& manifold, const FormulationOptions& options) {
  if constexpr (lane_count<T> == 1) {
    return std::make_unique<F<T>>(manifold, options);
  } else {
    throw std::invalid_argument("this formulation takes one trajectory at a time");
  }
}

// The formulations, each in the file of its name.

template <class T>
FormulationEntry<T> baumgarte();
template <class T>
FormulationEntry<T> dirac();
template <class T>
FormulationEntry<T> dirac_weak();
template <class T>
FormulationEntry<T> ggl();
template <class T>
FormulationEntry<T> hamilton_dirac();
template <class T>
FormulationEntry<T> impetus();
template <class T>
FormulationEntry<T> lagrange_1();
template <class T>
FormulationEntry<T> lagrange_2();
template <class T>
FormulationEntry<T> linear_hamiltonian();
template <class T>
FormulationEntry<T> state_space();
template <class T>
FormulationEntry<T> state_space_velocity();
template <class T>
FormulationEntry<T> total();

FormulationFacts lagrange_2_facts();

/// Another one for the implicit midpoint rule, which then keeps these invariants: discrete_gradients.cpp.
/// @param manifold must outlive it. @throws std::invalid_argument for invariants that do not exist.
template <class T>
std::unique_ptr<Formulation<T>> with_discrete_gradients(Manifold<T>& manifold,
                                                        const std::vector<std::string>& invariants,
                                                        std::unique_ptr<Formulation<T>> field);

/// Another one in q and p, evaluated at projected stages: stage_projected.cpp. @param manifold must outlive it.
template <class T>
std::unique_ptr<Formulation<T>> at_projected_stages(Manifold<T>& manifold, Metric metric,
                                                    const std::vector<std::string>& invariants,
                                                    std::unique_ptr<Formulation<T>> field);

}  // namespace cotangent
