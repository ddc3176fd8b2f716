#pragma once

#include <functional>
#include <memory>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/run/plan_run.hpp"

namespace cotangent {

/// The method that was asked for or, without a wish, the one that suits the system: the first that can
/// take it, with methods that keep more of the structure first or, where a tolerance is given, explicit methods of high
/// order that estimate their errors; or radau-iia:3 where such a method turns out to make short steps for no other
/// reason than that the system is stiff. A choice is noted.
/// @param start gives the first point of the run.
/// @throws ModelError or OptionError if the method cannot take the system, and MinimalError if [minimal] of the model
/// is to blame.
template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const RunPlan& plan, const RunWords& words,
                                             Notes& notes, const std::function<PhasePoint<T>()>& start);

}  // namespace cotangent
