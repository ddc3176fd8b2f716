#pragma once

#include <array>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "benchmarks/peers/problems.hpp"

namespace cotangent::peers {

/// A method with a setting on a problem.
struct Candidate {
  std::string method;             ///< with the name of its program before it: "odeint rkf78"
  double setting = 0;             ///< a tolerance or a step
  std::function<Vector()> solve;  ///< from the start to the end; (q, p) there
};

using Candidates = std::vector<Candidate>;

/// What tolerances are tried.
inline const std::vector<double> kTolerances{1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13};

/// (q, v) of a problem, of a fixed size where that is small.
template <class P>
using State = std::conditional_t<std::is_same_v<P, Pendulum>, std::array<double, 4>,
                                 std::conditional_t<std::is_same_v<P, FourBar>, std::array<double, 6>, Vector>>;

template <class P>
State<P> start_of(const P& problem) {
  State<P> z{};
  if constexpr (std::is_same_v<State<P>, Vector>) z.resize(problem.task.start.size());
  std::copy(problem.task.start.begin(), problem.task.start.end(), z.begin());
  return z;
}

template <class P>
Vector end_of(const P& problem, const State<P>& z) {
  return problem.momenta(Vector(z.begin(), z.end()));
}

/// The number of equal steps that lead to the end.
inline long step_count(const Task& task, double h) { return std::lround(task.end / h); }

}  // namespace cotangent::peers
