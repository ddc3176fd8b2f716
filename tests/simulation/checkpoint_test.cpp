#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/probe/map_probe.hpp"
#include "cotangent/monitor/reference/finer_run.hpp"
#include "cotangent/monitor/section.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "tests/support/instance.hpp"

// A run that is resumed is the same, to the bit, as one that was never interrupted, and as one that never wrote a
// checkpoint but at its end. In that is everything that they remember: the texts are compared.

namespace cotangent {
namespace {

/// A run, as it can be asked for.
struct Choice {
  std::string method;
  std::string formulation = {};
  ProjectionPolicy policy = {};
  FormulationOptions options = {};
  std::vector<std::string> monitors = {"energy", "position", "momentum"};
  bool has_companions = false;  ///< whatever can go along with a run
  double step = 0.04;
  std::int64_t steps = 24, every = 8;
  std::optional<AdaptiveOptions> adaptive = {};
};

/// Makes runs of a choice from scratch, each with objects of its own.
template <class T>
class Bench {
 public:
  Bench(const Model& model, const PhasePoint<T>& start, Choice choice)
      : model_(model), start_(start), choice_(std::move(choice)) {}

  /// The checkpoints of a run, the last one at its end. @param from one to go on from. @param every 0: only at the end.
  std::vector<std::string> operator()(const std::string* from, std::int64_t every, double end = 0) {
    const auto elements = std::make_shared<const Elements>(extract_elements(model_));
    StepMap<T> map = make_map<T>(elements);
    MonitorSources<T> sources;
    sources.tangents = [&] { return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(elements)); };
    sources.reference = [&] { return std::make_unique<FinerRun<T>>(make_map<T>(elements), 2); };
    MonitorSet<T> monitors(choice_.monitors, *map.manifold, sources);
    if (choice_.has_companions) {
      monitors.add(std::make_shared<MapProbe<T>>(make_map<T>(elements), make_map<Quad>(elements)));
      auto f = std::make_unique<Expressions<T>>(model_, read_expression(model_, "x1"), Backend::interpreter);
      monitors.add(std::make_shared<Section<T>>(make_map<T>(elements), std::move(f), Section<T>::Direction::both,
                                                [](const PhasePoint<T>&) {}));
    }
    std::vector<std::string> kept;
    std::vector<Series> series;
    Simulation<T> simulation{*map.integrator, monitors, *map.manifold};
    simulation.series = &series;
    simulation.checkpoints.every = every;
    simulation.checkpoints.keep = [&](double /*time*/, const std::function<void(Archive&)>& state) {
      Archive archive;
      state(archive);
      kept.push_back(archive.text());
    };
    Archive archive(from ? *from : std::string());
    if (from) simulation.checkpoints.from = &archive;
    z = start_;
    if (choice_.adaptive) {
      AdaptiveOptions adaptive = *choice_.adaptive;
      if (end > 0) adaptive.end = end;
      summary = simulate(simulation, adaptive, z);
    } else {
      const double usual = choice_.step * static_cast<double>(choice_.steps);
      summary = simulate(simulation, TimeGrid<T>({.step = choice_.step, .end = end > 0 ? end : usual}), z);
    }
    return kept;
  }

  Point<T> z;
  Summary summary;

 private:
  template <class U>
  StepMap<U> make_map(const std::shared_ptr<const Elements>& elements) const {
    StepMap<U> map;
    map.system = std::make_unique<System<U>>(elements, Backend::interpreter);
    map.manifold = std::make_unique<Manifold<U>>(*map.system);
    auto method = find_method<U>(choice_.method).make(*map.manifold, choice_.formulation, choice_.options);
    if (choice_.adaptive && choice_.adaptive->controller == Controller::pi) method = with_estimate(std::move(method));
    map.integrator = with_projection(std::move(method), *map.manifold, choice_.policy);
    return map;
  }

  const Model& model_;
  const PhasePoint<T> start_;
  const Choice choice_;
};

/// The line in which two texts differ first.
std::string difference(const std::string& a, const std::string& b) {
  const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto line = [&](const std::string& text) {
    const auto begin = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
    return text.substr(begin, std::min<std::size_t>(text.find('\n', begin) - begin, 200));
  };
  return line(a) + "\n" + line(b);
}

/// From each checkpoint but the last a run leads to the same end, as it does without any.
template <class T>
void expect_same(const Model& model, const PhasePoint<T>& start, const Choice& choice) {
  SCOPED_TRACE(choice.method + " " + choice.formulation + " " + name_of(choice.policy.projection));
  Bench<T> whole(model, start, choice);
  const auto kept = whole(nullptr, choice.every);
  ASSERT_GT(kept.size(), 1U) << whole.summary.steps;
  Bench<T> without(model, start, choice);
  const auto last = without(nullptr, 0);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_TRUE(last[0] == kept.back()) << difference(last[0], kept.back());
  for (std::size_t k = 0; k + 1 < kept.size(); k += std::max<std::size_t>(1, kept.size() - 2)) {
    Bench<T> resumed(model, start, choice);
    const auto again = resumed(&kept[k], choice.every);
    ASSERT_FALSE(again.empty());
    EXPECT_TRUE(again.back() == kept.back()) << difference(again.back(), kept.back());
    EXPECT_EQ(resumed.summary.steps, whole.summary.steps);
    EXPECT_EQ(resumed.summary.outcome, whole.summary.outcome);
    EXPECT_EQ(resumed.summary.warnings.size(), whole.summary.warnings.size());
  }
}

void expect_same(const std::string& problem, const Choice& choice) {
  const Model model = test::read(test::problem(problem));
  expect_same(model, test::start<double>(test::problem(problem)).state(), choice);
}

bool takes(const Choice& choice, const std::string& problem) {
  try {
    test::Instance<double> instance(test::problem(problem));
    static_cast<void>(find_method<double>(choice.method).make(instance.manifold, choice.formulation, choice.options));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// The first of each kind of methods under all formulations that it takes, the others under the first of these.
TEST(Checkpoints, LeadToTheSameEndWithEveryMethodAndFormulation) {
  std::vector<MethodKind> kinds;
  int runs = 0;
  for (const auto& method : methods<double>()) {
    const MethodFacts& facts = method.facts;
    const bool is_first = std::find(kinds.begin(), kinds.end(), facts.kind) == kinds.end();
    if (is_first) kinds.push_back(facts.kind);
    const auto& names = facts.formulations;
    for (std::size_t k = 0; k < (is_first ? names.size() : 1); ++k)
      for (const char* problem : {"double_pendulum", "relativistic", "free", "toda"}) {
        const Choice choice{.method = facts.name, .formulation = names[k]};
        if (!takes(choice, problem)) continue;
        SCOPED_TRACE(problem);
        expect_same(problem, choice);
        ++runs;
      }
  }
  EXPECT_GT(runs, 100);
}

TEST(Checkpoints, KeepThePhaseOfProjectionsAndTheirTargets) {
  for (const char* method : {"rk4", "gauss:2", "rattle"})
    for (const auto projection : {Projection::position, Projection::momentum, Projection::both, Projection::joint})
      for (const std::int64_t every : {1, 3})
        for (const bool energy : {false, true}) {
          ProjectionPolicy policy{.projection = projection, .every = every};
          if (energy) policy.invariants = {"energy"};
          expect_same("double_pendulum", {.method = method, .formulation = "", .policy = policy});
        }
  for (const char* formulation : {"standard", "impetus", "state-space", "lagrange-1"})
    expect_same("double_pendulum", {.method = "rk4",
                                    .formulation = formulation,
                                    .policy = {.projection = Projection::both, .every = 5, .above = 1e-9}});
  expect_same(
      "double_pendulum",
      {.method = "implicit-midpoint", .formulation = "standard", .options = {.stage_projection = Metric::mass}});
}

TEST(Checkpoints, KeepChartsAndImpetuses) {
  for (const auto chart : {ChartKind::partition, ChartKind::qr, ChartKind::svd})
    for (const auto update : {ChartUpdate::midpoint, ChartUpdate::hysteresis, ChartUpdate::every_step})
      for (const char* method : {"gauss:2", "compose:4(implicit-midpoint)", "rk4"}) {
        const Choice choice{.method = method,
                            .formulation = "state-space",
                            .options = {.chart = chart, .chart_update = update},
                            .step = 0.1,
                            .steps = 60,
                            .every = 25};
        if (takes(choice, "double_pendulum")) expect_same("double_pendulum", choice);
      }
  for (const std::int64_t reset : {0, 5})
    expect_same("double_pendulum",
                {.method = "gauss:2", .formulation = "impetus", .options = {.impetus_reset = reset}});
}

TEST(Checkpoints, KeepWhatGoesAlong) {
  const std::vector<std::string> all{"energy",   "position", "momentum",  "wedge",      "symplectic",
                                     "lyapunov", "error",    "condition", "multipliers"};
  for (const auto& [method, formulation] : {std::pair{"rattle", ""},
                                            {"gauss:2", "state-space"},
                                            {"gauss:2", "impetus"},
                                            {"rk4", "standard"},
                                            {"compose:4(rattle)", ""}})
    for (const bool projects : {false, true}) {
      Choice choice{.method = method, .formulation = formulation, .monitors = all, .has_companions = true};
      if (projects) choice.policy = {.projection = Projection::both, .every = 3, .invariants = {"energy"}};
      expect_same("double_pendulum", choice);
    }
}

TEST(Checkpoints, KeepControllers) {
  AdaptiveOptions options{.tolerance = {.relative = 1e-7}, .end = 6};
  for (const auto controller : {Controller::pi, Controller::reversible})
    for (const auto& [method, formulation] : {std::pair{"rattle", ""},
                                              {"gauss:2", "state-space"},
                                              {"dopri5", "standard"},
                                              {"gauss:3", "hamilton-dirac"},
                                              {"lobatto:3", ""}}) {
      if (controller == Controller::reversible && std::string(method) == "dopri5") continue;
      options.controller = controller;
      Choice choice{.method = method, .formulation = formulation, .adaptive = options};
      choice.monitors.emplace_back("error");
      expect_same("double_pendulum", choice);
      choice.policy = {.projection = Projection::both, .every = 2};
      expect_same("double_pendulum", choice);
    }
}

TEST(Checkpoints, KeepEveryPrecision) {
  const auto& problem = test::problem("double_pendulum");
  const Model model = test::read(problem);
  for (const char* method : {"rattle", "gauss:2"}) {
    const Choice choice{
        .method = method, .monitors = {"energy", "position", "wedge", "error"}, .steps = 12, .every = 5};
    expect_same(model, test::start<Quad>(problem).state(), choice);
  }
}

constexpr const char* kDriven = R"toml(
[system]
coordinates = ["x", "y"]
states = ["heat"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y + x*sin(t)/5"
[equations]
heat = "0.1*v_x^2"
[forces]
x = "-0.1*v_x"
[constraints]
rod = "x^2 + y^2 = (1 + 0.1*sin(2*t))^2"
[initial]
x = 1
y = 0
v_x = 0.2
v_y = -1
heat = 0
)toml";

TEST(Checkpoints, KeepTimesStatesAndWork) {
  const Model model = read_model_text(kDriven, "driven.toml");
  test::Instance<double> instance(model);
  auto z = make_initial_data(model, instance.manifold, InitialPolicy::project).z;
  for (const auto& [method, formulation] : {std::pair{"rattle", ""},
                                            {"lobatto:3", ""},
                                            {"rk4", "standard"},
                                            {"gauss:2", "state-space"},
                                            {"gauss:2", "impetus"}})
    expect_same(model, z, Choice{.method = method, .formulation = formulation, .step = 0.03});
}

// The end of a run need not be a point of the grid: a later run goes on to the next one.
TEST(Checkpoints, GoOnFromAnEndBetweenTwoSteps) {
  const auto& problem = test::problem("double_pendulum");
  const Model model = test::read(problem);
  const auto start = test::start<double>(problem);
  const Choice choice{.method = "rattle", .step = 0.1};
  Bench<double> first(model, start, choice);
  const auto kept = first(nullptr, 0, 0.75);
  EXPECT_EQ(first.summary.steps, 8);
  Bench<double> second(model, start, choice);
  const auto more = second(&kept.back(), 0, 2);
  EXPECT_EQ(second.summary.steps, 21);
  EXPECT_EQ(second.z->t, 2);
  Bench<double> third(model, start, choice);
  static_cast<void>(third(&more.back(), 0, 2.5));
  EXPECT_EQ(third.summary.steps, 26);
  EXPECT_EQ(third.z->t, 2.5);
  Bench<double> whole(model, start, choice);
  static_cast<void>(whole(nullptr, 0, 2.5));
  for (std::size_t j = 0; j < start->q.size(); ++j) EXPECT_NEAR(third.z->q[j], whole.z->q[j], 1e-2);
  // To the same end nothing is left to do.
  Bench<double> again(model, start, choice);
  static_cast<void>(again(&kept.back(), 0, 0.75));
  EXPECT_EQ(again.summary.steps, 8);
  EXPECT_EQ(again.z->q, first.z->q);
}

TEST(Checkpoints, OfOtherRunsAreRefused) {
  const auto& problem = test::problem("double_pendulum");
  const Model model = test::read(problem);
  const auto start = test::start<double>(problem);
  const Choice choice{.method = "rattle"};
  Bench<double> first(model, start, choice);
  const auto kept = first(nullptr, 0);
  const auto expect_refusal = [&](const Choice& other, const std::string& text) {
    Bench<double> bench(model, start, other);
    EXPECT_THROW(static_cast<void>(bench(&text, 0)), ArchiveError);
  };
  expect_refusal({.method = "rattle", .monitors = {"energy"}}, kept.back());
  expect_refusal({.method = "rattle", .step = 0.02}, kept.back());
  expect_refusal({.method = "rattle", .adaptive = AdaptiveOptions{.tolerance = {.relative = 1e-6}, .end = 9}},
                 kept.back());
  expect_refusal(choice, kept.back().substr(0, kept.back().size() / 2));
  expect_refusal(choice, kept.back() + "more\n");
  expect_refusal(choice, "");
  const Model small = test::read(test::problem("pendulum"));
  Bench<double> bench(small, test::start<double>(test::problem("pendulum")), choice);
  EXPECT_THROW(static_cast<void>(bench(&kept.back(), 0)), ArchiveError);
}

}  // namespace
}  // namespace cotangent
