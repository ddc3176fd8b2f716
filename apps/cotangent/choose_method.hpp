#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/method_family.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "run_options.hpp"

/// What options say about the solves of implicit methods. @throws cotangent::ModelError
cotangent::MethodOptions choose_method_options(const RunOptions& options);

/// The method that was asked for, as lists call it; "auto" without a wish. @throws cotangent::ModelError if there is
/// none.
std::string named_method(const RunOptions& options);

/// "auto" is as good as no wish, but for the method that the model names.
void settle_free_method(RunOptions& options);

/// The method that was asked for or, without a wish, the one that suits the system: the first that can
/// take it, with methods that keep more of the structure first or, where a tolerance is given, explicit methods of high
/// order that estimate their errors; or radau-iia:3 where such a method turns out to make short steps for no other
/// reason than that the system is stiff. A choice is noted.
/// @param start gives the first point of the run.
/// @throws cotangent::ModelError or UsageError if the method does not exist or cannot take the system, and
/// cotangent::MinimalError if [minimal] of the model is to blame.
template <class T>
std::unique_ptr<cotangent::Integrator<T>> choose_method(cotangent::Manifold<T>& manifold, const RunOptions& options,
                                                        std::vector<std::string>& notes,
                                                        const std::function<cotangent::PhasePoint<T>()>& start);
