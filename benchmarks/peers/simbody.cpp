// Simbody on chains and on the arm.

#include "benchmarks/peers/peers.hpp"
#include "benchmarks/peers/simbody_chain.hpp"

namespace cotangent::peers {
namespace {

Vector solve(const Pendulum& problem, SimbodyMethod method, double tolerance) {
  return solve_by_simbody(1, problem.task.start[3], problem.task.end, method, tolerance).points;
}
Vector solve(const Chain& problem, SimbodyMethod method, double tolerance) {
  return solve_by_simbody(problem.N, 0, problem.task.end, method, tolerance).points;
}
Vector solve(const Arm& problem, SimbodyMethod method, double tolerance) {
  return problem.momenta(solve_by_simbody(problem.N, 0, problem.task.end, method, tolerance).angles);
}

}  // namespace

template <class P>
void add_simbody(const P& problem, Candidates& candidates) {
  if constexpr (requires { solve(problem, SimbodyMethod::merson, 0.0); }) {
    for (const double tolerance : kTolerances) {
      const auto add = [&](const char* name, SimbodyMethod method) {
        candidates.push_back(
            {name, tolerance, [&problem, method, tolerance] { return solve(problem, method, tolerance); }});
      };
      add("Simbody Merson", SimbodyMethod::merson);
      add("Simbody Fehlberg", SimbodyMethod::fehlberg);
    }
  }
}

COTANGENT_FOR_PROBLEMS(add_simbody)

}  // namespace cotangent::peers
