#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Methods made of steps of another one: compose:ORDER(METHOD), compose:ORDER:TABLE(METHOD), triple-jump(METHOD).
template <class T>
std::vector<MethodFamily<T>> composition_families();

}  // namespace cotangent
