#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/monitor/level_watch.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/reversal_probe.hpp"
#include "cotangent/simulation/certificate.hpp"
#include "cotangent/simulation/run_signals.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "tests/support/instance.hpp"

// How large rounding errors are in what certificates judge, in units of the levels that they are compared with: for
// methods that keep a structure exactly they are well below, and what is ten times as large as the level is seen.

namespace cotangent {
namespace {

/// Small changes after every step: p becomes (1 + p) p, and q is moved by q.
struct Defect {
  double p = 0, q = 0;
};

template <class T>
class Planted final : public Integrator<T> {
 public:
  Planted(std::unique_ptr<Integrator<T>> inner, const Defect& defect)
      : Integrator<T>(inner->facts()), inner_(std::move(inner)), defect_(defect) {}
  StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override {
    const StepReport<T> report = inner_->step(z, h);
    if (!all(report.ok)) return report;
    for (T& p : z.p) p += T(defect_.p) * p;
    for (T& q : z.q) q += T(defect_.q);
    z.touch();
    return report;
  }

 private:
  std::unique_ptr<Integrator<T>> inner_;
  Defect defect_;
};

struct Choice {
  std::string problem, method, formulation;
  ProjectionPolicy policy = {};
  Defect defect = {};
};

template <class T>
StepMap<T> make_map(const Choice& choice) {
  StepMap<T> map;
  const auto elements = std::make_shared<const Elements>(extract_elements(test::read(test::problem(choice.problem))));
  map.system = std::make_unique<System<T>>(elements, Backend::interpreter);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = find_method<T>(choice.method).make(*map.manifold, choice.formulation);
  if (choice.defect.p != 0 || choice.defect.q != 0)
    map.integrator = std::make_unique<Planted<T>>(std::move(map.integrator), choice.defect);
  map.projector = std::make_unique<Projector<T>>(*map.manifold, choice.policy);
  return map;
}

constexpr int kSteps = 250;

Certificate certified(const Choice& choice) {
  StepMap<double> map = make_map<double>(choice);
  PhasePoint<double> z = test::start<double>(test::problem(choice.problem));
  MonitorSources<double> sources;
  sources.tangents = [&] { return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)); };
  MonitorSet<double> monitors({"energy", "position", "momentum", "wedge"}, *map.manifold, sources);
  const auto levels = std::make_shared<LevelWatch<double>>(*map.manifold);
  const auto reversal = std::make_shared<ReversalProbe<double>>(make_map<double>(choice));
  monitors.add(levels);
  monitors.add(reversal);
  const double h = test::problem(choice.problem).long_step / 3;
  std::vector<Series> series;
  Simulation<double> simulation{*map.integrator, *map.projector, monitors, *map.manifold};
  simulation.series = &series;
  const Summary summary = simulate(simulation, TimeGrid<double>({.step = h, .end = kSteps * h}), z);
  EXPECT_EQ(summary.outcome, Outcome::done);

  RunEvidence run;
  run.facts = map.integrator->facts();
  run.policy = choice.policy;
  run.has_constraints = map.system->m() > 0;
  run.charts = summary.counts.charts;
  run.unit = epsilon<double>();
  run.signals = watched_signals(monitors, series, *levels);
  run.reversal = reversal_of(*reversal);
  return certify(run);
}

const Finding& find(const Certificate& certificate, const std::string& structure) {
  for (const auto& finding : certificate.findings)
    if (finding.structure == structure) return finding;
  throw std::out_of_range(structure);
}

// Whether rounding errors are all that a claim permits.
bool is_exact(const Finding& finding) {
  const bool is_claimed = finding.verdict == Verdict::kept || finding.verdict == Verdict::broken;
  return is_claimed && (finding.structure != "energy" || finding.claim.starts_with("kept to rounding"));
}

TEST(RoundingLevels, HoldWithAMargin) {
  const ProjectionPolicy both{.projection = Projection::both}, energy{.invariants = {"energy"}};
  std::vector<Choice> choices;
  for (const char* problem : {"pendulum", "double_pendulum", "relativistic", "torus", "coupled_momenta", "free"}) {
    for (const char* method : {"rattle", "compose:6(rattle)", "lobatto:3", "stormer-verlet", "gonzalez", "gauss:3"})
      choices.push_back({problem, method, ""});
    choices.push_back({problem, "gauss:2", "dirac"});
    choices.push_back({problem, "symmetric(gauss:2)", ""});
    choices.push_back({problem, "rk4", "", both});
    choices.push_back({problem, "dopri5", "", energy});
  }
  std::map<std::string, int> judged;
  int runs = 0;
  for (const Choice& choice : choices) {
    try {
      const Certificate certificate = certified(choice);
      ++runs;
      for (const Finding& finding : certificate.findings) {
        if (!is_exact(finding)) continue;
        const double ratio = finding.figure / finding.level;
        EXPECT_LT(ratio, 0.3) << choice.problem << " " << choice.method << " " << finding.structure << ": "
                              << finding.evidence;
        ++judged[finding.structure];
      }
    } catch (const std::invalid_argument&) {
      continue;  // not a method for such a system
    }
  }
  EXPECT_GT(runs, 30);
  for (const char* structure : {"position", "momentum", "energy", "symplecticity", "reversibility"})
    EXPECT_GE(judged[structure], 5) << structure;
}

TEST(RoundingLevels, AreExceededByPlantedDefects) {
  struct Case {
    const char *problem, *method, *structure;
    bool in_p, adds_up;
    double by = 10;
  };
  for (const auto& [problem, method, structure, in_p, adds_up, by] :
       {Case{"double_pendulum", "rattle", "reversibility", true, false},
        Case{"double_pendulum", "rattle", "symplecticity", true, true},
        Case{"double_pendulum", "rattle", "position", false, false},
        Case{"free", "gonzalez", "energy", true, true, 100},  // of which the kinetic energy is a small part
        Case{"free", "stormer-verlet", "symplecticity", true, true},
        Case{"free", "stormer-verlet", "reversibility", true, false}}) {
    Choice choice{problem, method, ""};
    const Finding kept = find(certified(choice), structure);
    EXPECT_EQ(kept.verdict, Verdict::kept) << structure;
    const double size = by * kept.level / (adds_up ? kSteps : 1);
    (in_p ? choice.defect.p : choice.defect.q) = size;
    const Finding broken = find(certified(choice), structure);
    EXPECT_EQ(broken.verdict, Verdict::broken) << problem << " " << method << " " << structure << " " << broken.figure
                                               << " of " << broken.level << " for a defect of " << size;
  }
}

}  // namespace
}  // namespace cotangent
