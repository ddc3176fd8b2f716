#pragma once

#include <memory>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/scheme/writer.hpp"
#include "cotangent/solve/iteration/fixed_point_solver.hpp"

namespace cotangent {

/// A method that states its step as a scheme, with the field of a formulation (Writer::field) in the variables of the
/// formulation. The manifold must outlive it.
template <class T>
std::unique_ptr<Integrator<T>> make_field_scheme(MethodFacts facts, scheme::WriteStep write, Manifold<T>& manifold,
                                                 std::unique_ptr<Formulation<T>> formulation, FixedPointSolver solver);

}  // namespace cotangent
