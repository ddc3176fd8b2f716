// ./dev bench equations: Lorenz 96 with rk4, from a model file and by hand (hand_written/lorenz96.hpp), in the same
// run. Times are the shortest of many, taken in turn.

#include "benchmarks/equations_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "benchmarks/clock.hpp"
#include "benchmarks/hand_written/lorenz96.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

template <class Work>
double seconds(const Work& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

}  // namespace

void bench_equations() {
  constexpr double h = 0.01;
  fmt::print("\nLorenz 96 with rk4, ns per state and step\n");
  fmt::print("  {:>9}{:>12}{:>12}{:>14}\n", "N", "cotangent", "by hand", "ratio by hand");
  for (const long n : {40L, 1000L, 100'000L, 1'000'000L}) {
    const Model model = read_model(COTANGENT_SOURCE_DIR "/models/lorenz96.toml", {fmt::format("N={}", n)});
    System<double> system(std::make_shared<const Elements>(extract_elements(model)),
                          has_jit() ? Backend::jit : Backend::interpreter);
    Manifold<double> manifold(system);
    const auto rk4 = find_method<double>("rk4").make(manifold);
    Point<double> z = make_initial_data(model, manifold).z;
    hand_written::Lorenz96 hand(static_cast<std::size_t>(n));
    const long steps = std::clamp(1'000'000 / n, 2L, 1000L);
    double mine = INFINITY, by_hand = INFINITY;
    for (int turn = 0; turn < 15; ++turn) {
      mine = std::min(mine, seconds([&] {
                        std::int64_t done = 0;
                        if (rk4->advance(z, h, steps, done).status != StepStatus::ok)
                          throw std::runtime_error("a step of Lorenz 96 failed");
                      }));
      by_hand = std::min(by_hand, seconds([&] { hand.advance(h, steps); }));
    }
    const double per = 1e9 / static_cast<double>(steps) / static_cast<double>(n);
    fmt::print("  {:>9}{:>12.2f}{:>12.2f}{:>14.2f}\n", n, mine * per, by_hand * per, mine / by_hand);
    std::fflush(stdout);
  }
}

}  // namespace cotangent
