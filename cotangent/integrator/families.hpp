#pragma once

#include <vector>

#include "cotangent/integrator/registry/method_family.hpp"

namespace cotangent {

/// Methods on the constrained equations themselves, and such as return to the manifold within a step.
template <class T>
std::vector<MethodFamily<T>> direct_families();

/// Explicit Runge-Kutta methods, and extrapolation.
template <class T>
std::vector<MethodFamily<T>> explicit_families();

/// Implicit methods on formulations.
template <class T>
std::vector<MethodFamily<T>> implicit_families();

/// projected-midpoint: see implicit_families.cpp.
template <class T>
std::vector<MethodFamily<T>> projected_midpoint_family();

/// Explicit symplectic methods for H = T(p) + V(q, t) without constraints.
template <class T>
std::vector<MethodFamily<T>> splitting_families();

/// reich(METHOD): see reich.hpp. Higher orders of it are compositions: compose:6(reich(stormer-verlet)).
template <class T>
std::vector<MethodFamily<T>> reich_family();

/// Methods made of steps of another one: compose:ORDER(METHOD), compose:ORDER:TABLE(METHOD), triple-jump(METHOD).
template <class T>
std::vector<MethodFamily<T>> composition_families();

/// project:KIND(METHOD), with a metric, every=K, above=EPS and invariants as further arguments:
/// project:joint:euclidean(rk4), project:both:every=10(rk4), project:none:energy(rk4). See projected.hpp.
template <class T>
std::vector<MethodFamily<T>> projected_family();

/// The methods of [liu06]: gps, hamiltonian-mgps, and the projection by scaling after gps and rk4: mgps and mrk4.
template <class T>
std::vector<MethodFamily<T>> group_preserving_families();

/// taylor:ORDER, see taylor.hpp.
template <class T>
std::vector<MethodFamily<T>> taylor_family();

}  // namespace cotangent
