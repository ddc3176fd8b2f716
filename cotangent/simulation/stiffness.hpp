#pragma once

#include <optional>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/simulation/adaptive_options.hpp"

namespace cotangent {

/// Whether a run from `start` is better made by a method for stiff systems. The first steps are rehearsed with the
/// explicit method. Where stability limits them, and not accuracy, a step of the other method that is kLonger times as
/// long is within the tolerance, too, and the explicit one needs many for the same way.
///
/// A method for stiff systems pays by then: a step of radau-iia:3 costs as much as twenty of dop853.
///
/// A start in a layer where fast motion dies out is one that accuracy limits: there is a second look after more steps.
/// @return the length of the step that was good enough, if there was one.
template <class T>
std::optional<double> stiff_step(Integrator<T>& explicit_method, Integrator<T>& stiff_method, Manifold<T>& manifold,
                                 AdaptiveOptions options, const PhasePoint<T>& start);

}  // namespace cotangent
