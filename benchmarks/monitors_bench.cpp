// ./dev bench monitors: what a step costs with the wedge product carried beside it, relative to the step alone in the
// same run. Times are the shortest of many, taken in turn.

#include "benchmarks/monitors_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/clock.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/tangent/tangent_flow.hpp"

namespace cotangent {
namespace {

struct Case {
  std::string model;
  long links;  // 0: not a chain
  std::string method, formulation;
  double h;
  Projection projection = Projection::none;
};

template <class T>
StepMap<T> make_map(const std::shared_ptr<const Elements>& elements, const Case& which) {
  StepMap<T> map;
  map.system = std::make_unique<System<T>>(elements, has_jit() ? Backend::jit : Backend::interpreter);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = with_projection(find_method<T>(which.method).make(*map.manifold, which.formulation, {}, {}),
                                   *map.manifold, ProjectionPolicy{.projection = which.projection});
  return map;
}

// The same run twice: alone, and with tangents.
class Subject {
 public:
  explicit Subject(const Case& which)
      : h_(which.h),
        model_(
            read_model(COTANGENT_SOURCE_DIR "/models/" + which.model + ".toml",
                       which.links > 0 ? std::vector{fmt::format("N={}", which.links)} : std::vector<std::string>{})),
        elements_(std::make_shared<const Elements>(extract_elements(model_))),
        alone_(make_map<double>(elements_, which)),
        watched_(make_map<double>(elements_, which)),
        z_(make_initial_data(model_, *alone_.manifold).z),
        begin_(z_),
        end_(z_),
        flow_(*watched_.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(elements_, which)),
              TangentFlow<double>::Extent::one_pair) {
    alone_.integrator->begin(z_);
    watched_.integrator->begin(end_);
    flow_.start(end_, h_);
  }

  // Seconds for a number of steps.
  double alone(long steps) {
    const double begin = cpu_seconds();
    for (std::int64_t done = 0, left = steps; left > 0; left -= done)
      expect(alone_.integrator->advance(z_, h_, left, done).status);
    return cpu_seconds() - begin;
  }
  double watched(long steps) {
    const double begin = cpu_seconds();
    for (long k = 0; k < steps; ++k) {
      swap(begin_, end_);
      expect(watched_.integrator->step(begin_, h_, end_).status);
      flow_.follow({.begin = begin_, .end = end_, .length = h_});
    }
    if (flow_.loss()) throw std::runtime_error(flow_.loss()->why);
    return cpu_seconds() - begin;
  }

 private:
  static void expect(StepStatus status) {
    if (status != StepStatus::ok) throw std::runtime_error(std::string("a step failed: ") + describe(status));
  }

  double h_;
  Model model_;
  std::shared_ptr<const Elements> elements_;
  StepMap<double> alone_, watched_;
  Point<double> z_, begin_, end_;
  TangentFlow<double> flow_;
};

constexpr int kRounds = 20;
constexpr long kWarmUp = 20;
constexpr double kRound = 5e-3;  // seconds

}  // namespace

void bench_monitors() {
  fmt::print("\nA step alone and with the wedge product carried beside it, ns\n");
  fmt::print("  {:<34}{:>12}{:>12}{:>8}\n", "", "alone", "with wedge", "ratio");
  for (const Case& which : std::vector<Case>{{"pendulum", 0, "rattle", "direct", 0.01},
                                             {"pendulum", 0, "gauss:2", "state-space", 0.01},
                                             {"double_pendulum", 0, "rattle", "direct", 0.01},
                                             {"double_pendulum", 0, "rk4", "standard", 0.01},
                                             {"chain", 10, "rattle", "direct", 0.001},
                                             {"chain", 100, "rattle", "direct", 0.001},
                                             {"chain", 1000, "rattle", "direct", 0.001},
                                             {"chain", 10'000, "rattle", "direct", 0.001},
                                             {"chain", 1000, "rk4", "standard", 0.001},
                                             {"chain", 100, "rk4", "standard", 0.001, Projection::joint},
                                             {"chain", 100, "gauss:2", "standard", 0.001},
                                             {"chain", 100, "lobatto:3", "direct", 0.001}}) {
    Subject subject(which);
    // The first steps are for the caches.
    subject.watched(kWarmUp);
    const long steps = std::max(1L, static_cast<long>(kRound / subject.watched(kWarmUp) * kWarmUp));
    double alone = 1e9, watched = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      alone = std::min(alone, subject.alone(steps));
      watched = std::min(watched, subject.watched(steps));
    }
    const double per_step = 1e9 / static_cast<double>(steps);
    const std::string size = which.links > 0 ? fmt::format(", {} links", which.links) : "";
    const char* joint = which.projection == Projection::joint ? ", joint" : "";
    fmt::print("  {:<34}{:>12.0f}{:>12.0f}{:>8.1f}\n",
               fmt::format("{}{}, {}{}", which.model, size, which.method, joint), alone * per_step, watched * per_step,
               watched / alone);
    std::fflush(stdout);
  }
}

}  // namespace cotangent
