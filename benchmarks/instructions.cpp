// ./dev bench instructions
//
// Steps whose instructions are counted: tools/count_instructions.py runs this under callgrind, which counts what is
// executed inside measured_steps() and writes one file for each call. Every run has been made before, so that its code
// exists. Prints a line for each call: how many steps it makes, and what they are.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/peers/program_run.hpp"
#include "cotangent/solve/direct/linear_solver.hpp"

extern "C" [[gnu::noinline]] void measured_steps(const std::function<void()>& work) { work(); }

namespace cotangent {
namespace {

// Steps are compiled as a whole when thousands of them have been made, and other ways of a step after thousands more.
constexpr int kWarmUps = 4;

void count(const std::string& name, std::int64_t steps, const std::function<void()>& work) {
  for (int k = 0; k < kWarmUps; ++k) work();
  measured_steps(work);
  fmt::print("{} {}\n", steps, name);
}

void count_run(const std::string& method, const std::string& model, const std::vector<std::string>& set, double step,
               double end) {
  const peers::Task task{.name = model,
                         .title = model,
                         .model = fmt::format("models/{}.toml", model),
                         .set = set,
                         .end = end,
                         .wanted = 0,
                         .start = {}};
  peers::ProgramRun run(task, {{"method", method}, {"step", fmt::format("{:g}", step)}, {"monitor", "none"}});
  std::string name = fmt::format("{}, {}", method, model);
  for (const std::string& each : set) name += " " + each;
  name += fmt::format(", h = {:g}", step);
  count(name, run().steps, [&] { run(); });
}

// Factorisation and solution of a tridiagonal system.
void count_solver() {
  constexpr int kRows = 1000;
  constexpr std::int64_t kTimes = 10;
  OffDiagonal below;
  for (int i = 1; i < kRows; ++i) below.emplace_back(i, i - 1);
  LinearSolver<double> solver(kRows, below);
  const std::vector<double> diagonal(kRows, 2.5), lower(kRows - 1, -1.0);
  std::vector<double> x(kRows, 1.0);
  count("tridiagonal solver, 1000 rows", kTimes, [&] {
    for (std::int64_t k = 0; k < kTimes; ++k) {
      static_cast<void>(solver.factor(diagonal.data(), lower.data()));
      solver.solve(x.data());
    }
  });
}

}  // namespace
}  // namespace cotangent

int main() {
  using namespace cotangent;
  count_run("rattle", "pendulum", {}, 0.01, 100);
  count_run("rattle", "chain", {"N=100"}, 0.01, 1);
  count_run("rattle", "heavy_chain", {"N=100"}, 0.01, 0.2);
  count_run("rk4", "pendulum", {}, 0.01, 50);
  count_run("dop853", "pendulum", {}, 0.01, 50);
  count_run("dop853", "chain", {"N=100"}, 0.01, 1);
  count_run("gauss:2", "pendulum", {}, 0.05, 100);
  count_solver();
}
