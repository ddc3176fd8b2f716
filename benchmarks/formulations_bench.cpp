// ./dev bench: what a right-hand side of each formulation costs, on a hanging chain (quadratic constraints, constant
// masses), per link and relative to `standard` in the same run.

#include "benchmarks/formulations_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

using Clock = std::chrono::steady_clock;

struct Chain {
  explicit Chain(long N)
      : model(read_model(COTANGENT_SOURCE_DIR "/models/chain.toml", {fmt::format("N={}", N)})),
        system(std::make_shared<const Elements>(extract_elements(model)),
               has_jit() ? Backend::jit : Backend::interpreter),
        manifold(system),
        z(make_initial_data(model, manifold).z) {}

  Model model;
  System<double> system;
  Manifold<double> manifold;
  PhasePoint<double> z;
};

// The best of several, so long that together they take a tenth of a second; nothing if the formulation does not apply.
double seconds_per_field(Chain& chain, const FormulationEntry<double>& entry) {
  std::unique_ptr<Formulation<double>> formulation;
  try {
    formulation = entry.make(chain.manifold);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  OwnVariables<double> own;
  own.q = chain.z.q;
  own.p = chain.z.p;
  formulation->begin_step(chain.z);
  if (!formulation->is_physical() && !formulation->enter(chain.z, own)) return 0;
  std::vector<double> x(own.q.size()), y(x), s(1);
  const auto evaluate = [&] {
    if (!formulation->field({own.q.data(), own.p.data(), chain.z.s.data(), 0}, x.data(), y.data(), s.data()))
      throw std::runtime_error(entry.facts.name + ": no field");
  };
  evaluate();
  double best = 1e9;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    evaluate();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < 0.1);
  return best;
}

}  // namespace

void bench_formulations() {
  const std::vector<long> sizes{100, 1000, 10000, 100000};
  fmt::print("\nRight-hand side of a hanging chain, ns per link (times `standard`)\n  {:<22}", "links");
  for (const long N : sizes) fmt::print("{:>18}", N);
  fmt::print("\n");
  std::vector<std::unique_ptr<Chain>> chains;
  for (const long N : sizes) chains.push_back(std::make_unique<Chain>(N));
  std::vector<double> standard(sizes.size(), 0);
  for (const auto& entry : formulations<double>()) {
    fmt::print("  {:<22}", entry.facts.name);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const double time = seconds_per_field(*chains[k], entry);
      if (entry.facts.name == "standard") standard[k] = time;
      if (time > 0) {
        fmt::print("{:>10.1f} ({:4.1f})", time / static_cast<double>(sizes[k]) * 1e9, time / standard[k]);
      } else {
        fmt::print("{:>17}", "-");
      }
    }
    fmt::print("\n");
  }
}

}  // namespace cotangent
