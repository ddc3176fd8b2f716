// ./dev bench
//
// RATTLE from a model file against RATTLE written by hand, in one run and at the same accuracy: every step solved to
// rounding error.
//
//   by hand   the algorithm of the library for one problem: raw arrays, Newton with tridiagonal elimination
//             (benchmarks/hand_written)
//   tuned     what can be had with algebra that holds for this problem only, and with the chain cut into pieces for the
//             lanes of a SIMD register (benchmarks/tuned)
//
// Times are minima over repetitions; ratios are cotangent / peer, so that less than 1 means faster than the peer.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/equations_bench.hpp"
#include "benchmarks/formulations_bench.hpp"
#include "benchmarks/hand_written/chain.hpp"
#include "benchmarks/hand_written/pendulum.hpp"
#include "benchmarks/monitors_bench.hpp"
#include "benchmarks/tuned/chain.hpp"
#include "benchmarks/tuned/pendulum.hpp"
#include "benchmarks/tuned/pendulum_simd.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double best_of(int repetitions, const std::function<void()>& work) {
  double best = seconds(work);
  for (int k = 1; k < repetitions; ++k) best = std::min(best, seconds(work));
  return best;
}

[[noreturn]] void stop(const std::string& what) { throw std::runtime_error(what); }

// A model file, ready to be integrated with RATTLE.
template <class T>
struct Run {
  explicit Run(const std::string& model_name, const std::vector<std::string>& overrides = {})
      : model(read_model(std::string(COTANGENT_SOURCE_DIR "/models/") + model_name, overrides)),
        system(std::make_shared<const Elements>(extract_elements(model)),
               has_jit() ? Backend::jit : Backend::interpreter),
        manifold(system),
        integrator(find_method<T>("rattle").make(manifold)),
        z(system.n()) {}

  void advance(double h, std::int64_t steps) {
    std::int64_t done = 0;
    const auto report = integrator->advance(z, h, steps, done);
    if (report.status != StepStatus::ok) stop(fmt::format("step {} failed: {}", done, describe(report.status)));
  }

  Model model;
  System<T> system;
  Manifold<T> manifold;
  std::unique_ptr<Integrator<T>> integrator;
  Point<T> z;
};

void pendulum() {
  constexpr double h = 0.01;
  constexpr long steps = 200'000;
  constexpr int repetitions = 15;
  const volatile double one = 1;  // parameters are known at run time only

  Run<double> run("pendulum.toml");
  run.z.change().q = {1, 0};
  run.z.change().p = {0, -2};
  hand_written::PendulumState<double> hand{1, 0, 0, -2};
  const hand_written::Pendulum system{one, one, one};
  tuned::PendulumState tuned_state{1, 0, 0, -2};
  const tuned::Pendulum tuned_system{one, one, one};

  const double t = best_of(repetitions, [&] { run.advance(h, steps); }) / steps * 1e9;
  const double single = best_of(repetitions,
                                [&] {
                                  for (long k = 0; k < steps; ++k)
                                    if (run.integrator->step(run.z, h).status != StepStatus::ok) stop("pendulum");
                                }) /
                        steps * 1e9;
  const double by_hand = best_of(repetitions,
                                 [&] {
                                   if (!hand_written::advance(system, hand, h, steps)) stop("pendulum by hand");
                                 }) /
                         steps * 1e9;
  const double tuned_time = best_of(repetitions,
                                    [&] {
                                      if (!tuned::advance(tuned_system, tuned_state, h, steps).converged)
                                        stop("tuned pendulum");
                                    }) /
                            steps * 1e9;

  fmt::print("\nPendulum, one trajectory, ns per step\n");
  fmt::print("  {:<34}{:>10.1f}\n", "cotangent", t);
  fmt::print("  {:<34}{:>10.1f}\n", "cotangent, one call per step", single);
  fmt::print("  {:<34}{:>10.1f}   ratio {:.2f}\n", "by hand", by_hand, t / by_hand);
  fmt::print("  {:<34}{:>10.1f}   ratio {:.2f}\n", "tuned", tuned_time, t / tuned_time);
}

void pendulum_batch() {
  constexpr double h = 0.01;
  constexpr long steps = 20'000;
  constexpr int repetitions = 15;
  const volatile double one = 1;

  Run<Lanes> run("pendulum.toml");
  hand_written::PendulumState<Lanes> hand{Lanes(1), Lanes(0), Lanes(0), Lanes(-2)};
  std::vector<double> x(kLanes), y(kLanes), px(kLanes), py(kLanes), zero(kLanes);
  for (int i = 0; i < kLanes; ++i) {
    const double momentum = -2 - 0.01 * i;  // each trajectory its own
    run.z.change().q[0][i] = 1;
    run.z.change().p[1][i] = momentum;
    hand.py[i] = momentum;
    x[static_cast<std::size_t>(i)] = 1;
    py[static_cast<std::size_t>(i)] = momentum;
  }
  auto omega0 = zero, omega1 = zero, omega2 = zero;
  const hand_written::Pendulum system{one, one, one};
  const tuned::Pendulum tuned_system{one, one, one};
  const tuned::PendulumEnsemble ensemble{kLanes,    x.data(),  y.data(),
                                         px.data(), py.data(), {omega0.data(), omega1.data(), omega2.data()}};
  const double per = 1e9 / steps / kLanes;
  const double t = best_of(repetitions, [&] { run.advance(h, steps); }) * per;
  const double by_hand = best_of(repetitions,
                                 [&] {
                                   if (!hand_written::advance(system, hand, h, steps)) stop("batch by hand");
                                 }) *
                         per;
  const double tuned_time = best_of(repetitions, [&] { tuned::advance(tuned_system, ensemble, h, steps); }) * per;

  fmt::print("\nPendulum, a batch of {} trajectories, ns per trajectory and step\n", kLanes);
  fmt::print("  {:<34}{:>10.2f}\n", "cotangent", t);
  fmt::print("  {:<34}{:>10.2f}   ratio {:.2f}\n", "by hand, SIMD", by_hand, t / by_hand);
  fmt::print("  {:<34}{:>10.2f}   ratio {:.2f}\n", "tuned, SIMD", tuned_time, t / tuned_time);
}

void chain() {
  constexpr double h = 0.01;
  fmt::print("\nChain of N links falling from the horizontal, ns per link and step\n");
  fmt::print("  {:>9}{:>12}{:>12}{:>12}{:>14}{:>12}{:>14}\n", "N", "cotangent", "by hand", "tuned", "ratio by hand",
             "ratio tuned", "set-up ms");
  for (const long n : {10L, 100L, 1000L, 10'000L, 100'000L, 1'000'000L}) {
    // The same stretch of the same motion for all: up to t = 20 for short chains, a few steps of the long ones.
    const long steps = std::clamp(10'000'000 / n, 10L, 400L);
    const int repetitions = n < 100'000 ? 5 : 2;
    const double per = 1e9 / static_cast<double>(steps) / static_cast<double>(n);

    std::unique_ptr<Run<double>> run;
    const double set_up = seconds([&] {
      run = std::make_unique<Run<double>>("chain.toml", std::vector{fmt::format("N={}", n)});
      for (long i = 0; i < n; ++i) run->z.change().q[static_cast<std::size_t>(i)] = static_cast<double>(i + 1);
      run->advance(h, 1);
    });
    const double t = best_of(repetitions, [&] { run->advance(h, steps); }) * per;
    run.reset();
    hand_written::Chain hand(static_cast<std::size_t>(n));
    hand.advance(h, 1);
    const double by_hand = best_of(repetitions,
                                   [&] {
                                     if (!hand.advance(h, steps)) stop("chain by hand");
                                   }) *
                           per;
    std::vector<double> q(2 * static_cast<std::size_t>(n), 0.0), p(q);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) q[2 * i] = static_cast<double>(i + 1);
    tuned::Chain tuned_chain(n);
    tuned_chain.set(q.data(), p.data());
    tuned_chain.advance(h, 1);
    const double tuned_time = best_of(repetitions,
                                      [&] {
                                        if (!tuned_chain.advance(h, steps).converged) stop("tuned chain");
                                      }) *
                              per;
    fmt::print("  {:>9}{:>12.2f}{:>12.2f}{:>12.2f}{:>14.2f}{:>12.2f}{:>14.1f}\n", n, t, by_hand, tuned_time,
               t / by_hand, t / tuned_time, set_up * 1e3);
    std::fflush(stdout);
  }
  fmt::print(
      "  A step passes about twenty times over vectors of the chain, 270 bytes per link: 10^3 links are in the cache "
      "of the\n"
      "  core, 10^5 at the edge of the cache of the processor, and 10^6 live in memory, whose bandwidth is then the "
      "limit.\n");
}

// The same with the mass spread along the rods: L_vv couples neighbours, R is full and the saddle matrix takes its
// place.
void heavy_chain() {
  constexpr double h = 0.01;
  fmt::print("\nChain of N heavy rods falling from the horizontal, ns per link and step\n");
  fmt::print("  {:>9}{:>12}\n", "N", "cotangent");
  for (const long n : {100L, 1000L, 10'000L}) {
    const long steps = std::clamp(1'000'000 / n, 10L, 400L);
    Run<double> run("heavy_chain.toml", {fmt::format("N={}", n)});
    for (long i = 0; i < n; ++i) run.z.change().q[static_cast<std::size_t>(i)] = static_cast<double>(i + 1);
    run.advance(h, 1);
    const double t = best_of(3, [&] { run.advance(h, steps); });
    fmt::print("  {:>9}{:>12.1f}\n", n, t * 1e9 / static_cast<double>(steps) / static_cast<double>(n));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace cotangent

int main(int argc, char** argv) {
  // A word chooses a part.
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "pendulum") {
    cotangent::pendulum();
    cotangent::pendulum_batch();
    return 0;
  }
  if (part == "chain") {
    cotangent::chain();
    return 0;
  }
  if (part == "heavy_chain") {
    cotangent::heavy_chain();
    return 0;
  }
  if (part == "equations") {
    cotangent::bench_equations();
    return 0;
  }
  if (part == "formulations") {
    cotangent::bench_formulations();
    return 0;
  }
  if (part == "monitors") {
    cotangent::bench_monitors();
    return 0;
  }
  fmt::print("RATTLE, cotangent against hand-written code; ratios below 1 are in favour of cotangent.\n");
  cotangent::pendulum();
  cotangent::pendulum_batch();
  cotangent::chain();
  cotangent::heavy_chain();
  cotangent::bench_equations();
  cotangent::bench_formulations();
  cotangent::bench_monitors();
}
