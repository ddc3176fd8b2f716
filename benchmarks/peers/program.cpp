// The program, on the models of the same problems.

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "benchmarks/peers/peers.hpp"
#include "benchmarks/peers/program_run.hpp"
#include "cotangent/integrator/registry/registry.hpp"

namespace cotangent::peers {
namespace {

bool is_known(const std::string& method) {
  try {
    static_cast<void>(find_method<double>(method));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

void add(const Task& task, const std::string& method, const char* option, double setting, Candidates& candidates) {
  const PlanWords options{{"method", method}, {option, fmt::format("{:g}", setting)}, {"monitor", "none"}};
  const auto run = std::make_shared<std::unique_ptr<ProgramRun>>();  // made when it is needed first
  candidates.push_back({"cotangent " + method, setting, [&task, options, run] {
                          if (!*run) *run = std::make_unique<ProgramRun>(task, options);
                          (**run)();
                          return (**run).end();
                        }});
}

}  // namespace

template <class P>
void add_program(const P& problem, Candidates& candidates) {
  for (const char* method : {"taylor", "dop853", "rkf78", "vern9", "dopri5", "odex:6"})
    if (is_known(method))
      for (const double tolerance : kTolerances) add(problem.task, method, "tolerance", tolerance, candidates);
  for (const double h : {0.2, 0.1, 0.05}) add(problem.task, "gauss:4", "step", h * problem.task.unit, candidates);
  if constexpr (!std::is_same_v<P, Arm>)
    for (const double h : {0.05, 0.02, 0.01, 0.005, 0.002})
      add(problem.task, "rattle", "step", h * problem.task.unit, candidates);
}

template <class P>
void add_program_steps(const P& problem, double h, Candidates& candidates) {
  for (const char* method : {"rk4", "dopri5", "rkf78"}) add(problem.task, method, "step", h, candidates);
}

COTANGENT_FOR_PROBLEMS(add_program)
template void add_program(const Droplet&, Candidates&);
template void add_program_steps(const Pendulum&, double, Candidates&);
template void add_program_steps(const Chain&, double, Candidates&);

}  // namespace cotangent::peers
