#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The numbers that [initial] of a model says.
template <class T>
struct InitialValues {
  std::vector<T> q, p, v, s;
  std::vector<char> by_velocity;  ///< whether v is given for an entry, not p
  T t = T(0);

  bool all_by_velocity() const { return std::find(by_velocity.begin(), by_velocity.end(), 0) == by_velocity.end(); }
};

/// @throws ModelError at the value of an entry that is not finite.
template <class T>
InitialValues<T> evaluate_initial(const Model& model);

/// Solves H_p(q, p) = v for the entries of p whose velocity is given, by Newton's method with step halving:
///
///   H_pp(q, p) d = v - H_p(q, p),  p <- p + s d,  s = 1, 1/2, 1/4, ... until the residual falls.
///
/// Where H_pp is a constant diagonal one iteration is exact. Otherwise d comes from minimal residuals
/// [paige-saunders75], which need products H_pp a only and no definiteness; a rough d is enough, the next
/// Newton iteration takes care of the rest. Of a Lagrangian with all velocities given, p = L_v.
///
/// Sets the entries of p whose velocity is given; the others are arguments.
/// @throws std::invalid_argument if no momenta have these velocities.
template <class T>
void solve_momenta(const Model& model, System<T>& system, const InitialValues<T>& given, const std::vector<T>& q,
                   std::vector<T>& p);

}  // namespace cotangent
