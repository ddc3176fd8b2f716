#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/certificate/run_signals.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "tests/support/chance.hpp"
#include "tests/support/instance.hpp"

// Certificates of runs whose truth is known: methods that keep a structure exactly, on problems and on random systems,
// and the same methods with something wrong in them.

namespace cotangent {
namespace {

/// What is wrong with a method: after every step p becomes (1 + p) p, and q becomes (1 + q) q. It may be a part of the
/// numbers themselves, or some of their units, as that of a solve which stops too early.
struct Defect {
  double p = 0, q = 0;
  bool in_units = false;
};

template <class T>
class Planted final : public Integrator<T> {
 public:
  Planted(std::unique_ptr<Integrator<T>> inner, const Defect& defect)
      : Integrator<T>(inner->facts()), inner_(std::move(inner)), defect_(defect) {
    if (defect.in_units) unit_ = T(epsilon<T>());
  }
  StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override {
    const StepReport<T> report = inner_->step(z, h, end);
    if (!all(report.ok)) return report;
    for (T& p : end.change().p) p += T(defect_.p) * unit_ * p;
    for (T& q : end.change().q) q += T(defect_.q) * unit_ * q;
    return report;
  }

 private:
  std::unique_ptr<Integrator<T>> inner_;
  Defect defect_;
  T unit_ = T(1);
};

struct Choice {
  Model model;
  double step = 0.1;
  std::string method;
  std::string formulation = {};
  ProjectionPolicy policy = {};
  Defect defect = {};
  bool is_projected = true;  ///< as the policy says; false: that was forgotten
  int steps = 60;
};

template <class T>
StepMap<T> make_map(const Choice& choice) {
  StepMap<T> map;
  const auto elements = std::make_shared<const Elements>(extract_elements(choice.model));
  map.system = std::make_unique<System<T>>(elements, Backend::interpreter);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = find_method<T>(choice.method).make(*map.manifold, choice.formulation);
  if (choice.defect.p != 0 || choice.defect.q != 0)
    map.integrator = std::make_unique<Planted<T>>(std::move(map.integrator), choice.defect);
  if (choice.is_projected) map.integrator = with_projection(std::move(map.integrator), *map.manifold, choice.policy);
  return map;
}

template <class T = double>
Certificate certified(const Choice& choice) {
  StepMap<T> map = make_map<T>(choice);
  Point<T> z = make_initial_data(choice.model, *map.manifold, InitialPolicy::project).z;
  MonitorSources<T> sources;
  sources.tangents = [&] { return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)); };
  MonitorSet<T> monitors({"energy", "position", "momentum", "wedge"}, *map.manifold, sources);
  const auto probe = std::make_shared<MapProbe<T>>(make_map<T>(choice), make_map<Quad>(choice));
  monitors.add(probe);
  std::vector<Series> series;
  Simulation<T> simulation{*map.integrator, monitors, *map.manifold};
  simulation.series = &series;
  const TimeGrid<T> grid({.step = choice.step, .end = choice.steps * choice.step});
  const Summary summary = simulate(simulation, grid, z);
  RunEvidence run = measured_evidence(monitors, series, *probe);
  run.is_ended = summary.outcome == Outcome::done;
  run.steps = summary.steps;
  run.facts = map.integrator->unprojected().facts();
  run.policy = choice.policy;
  run.has_constraints = map.system->m() > 0;
  run.charts = summary.counts.charts;
  return certify(run);
}

const Finding& find(const Certificate& certificate, const std::string& structure) {
  for (const auto& finding : certificate.findings)
    if (finding.structure == structure) return finding;
  throw std::out_of_range(structure);
}

Choice on(const std::string& problem, const std::string& method) {
  const test::Problem& one = test::problem(problem);
  return {.model = test::read(one), .step = one.long_step / 3, .method = method};
}

std::string describe(const Choice& choice, const Finding& finding) {
  return fmt::format("{}, {}: {} is {}, figure {:.2g}, rounding {:.2g}; {}", choice.model.title, choice.method,
                     finding.structure, describe(finding.verdict), finding.figure, finding.level, finding.evidence);
}

bool is_exact(const Finding& finding) {
  return finding.is_claimed && (finding.structure != "energy" || finding.claim.starts_with("kept to rounding"));
}

TEST(CertifiedRuns, KeepWhatMethodsClaim) {
  const ProjectionPolicy both{.projection = Projection::both}, energy{.invariants = {"energy"}};
  std::vector<Choice> choices;
  for (const char* problem : {"pendulum", "double_pendulum", "relativistic", "torus", "coupled_momenta", "free"}) {
    for (const char* method : {"rattle", "compose:6(rattle)", "lobatto:3", "stormer-verlet", "gonzalez", "gauss:3"})
      choices.push_back(on(problem, method));
    choices.push_back(on(problem, "gauss:2"));
    choices.back().formulation = "dirac";
    choices.push_back(on(problem, "symmetric(gauss:2)"));
    choices.push_back(on(problem, "rk4"));
    choices.back().policy = both;
    choices.push_back(on(problem, "dopri5"));
    choices.back().policy = energy;
  }
  std::map<std::string, int> judged;
  int runs = 0;
  for (const Choice& choice : choices) {
    try {
      const Certificate certificate = certified(choice);
      ++runs;
      EXPECT_GE(certificate.samples, 20);
      for (const Finding& finding : certificate.findings) {
        if (!is_exact(finding)) continue;
        EXPECT_EQ(finding.verdict, Verdict::kept) << describe(choice, finding);
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

TEST(CertifiedRuns, FindWhatIsWrong) {
  struct Case {
    const char *problem, *method, *structure;
    Defect defect;
  };
  for (const auto& [problem, method, structure, defect] :
       {Case{"double_pendulum", "rattle", "reversibility", {.p = 1e-12}},
        Case{"double_pendulum", "rattle", "symplecticity", {.p = 1e-12}},
        Case{"double_pendulum", "rattle", "position", {.q = 1e-12}}, Case{"free", "gonzalez", "energy", {.p = 1e-12}},
        Case{"free", "stormer-verlet", "symplecticity", {.p = 1e-12}},
        Case{"free", "stormer-verlet", "reversibility", {.p = 1e-12}},
        // What becomes smaller with the unit of the numbers is nothing in Quad.
        Case{"double_pendulum", "rattle", "position", {.q = 1e5, .in_units = true}},
        Case{"double_pendulum", "rattle", "reversibility", {.p = 1e5, .in_units = true}},
        Case{"free", "gonzalez", "energy", {.p = 1e5, .in_units = true}}}) {
    Choice choice = on(problem, method);
    choice.defect = defect;
    const Finding finding = find(certified(choice), structure);
    EXPECT_EQ(finding.verdict, Verdict::broken) << describe(choice, finding);
  }
}

TEST(CertifiedRuns, MissAProjectionThatWasForgotten) {
  Choice choice = on("double_pendulum", "rk4");
  choice.policy = {.projection = Projection::both, .invariants = {"energy"}};
  for (const char* structure : {"position", "momentum", "energy"})
    EXPECT_EQ(find(certified(choice), structure).verdict, Verdict::kept) << structure;
  choice.is_projected = false;
  for (const char* structure : {"position", "momentum", "energy"}) {
    const Finding finding = find(certified(choice), structure);
    EXPECT_EQ(finding.verdict, Verdict::broken) << describe(choice, finding);
    EXPECT_TRUE(finding.is_claimed);
  }
}

TEST(CertifiedRuns, InQuadAreMeasuredInItsUnits) {
  Choice choice = on("double_pendulum", "rattle");
  choice.steps = 60;
  for (const Finding& finding : certified<Quad>(choice).findings) {
    if (!is_exact(finding)) continue;
    EXPECT_EQ(finding.verdict, Verdict::kept) << describe(choice, finding);
    EXPECT_TRUE(finding.structure != "position" || finding.level < 1e-30);
  }
  choice.defect = {.q = 1e-26};
  EXPECT_EQ(find(certified<Quad>(choice), "position").verdict, Verdict::broken);
}

/// Systems with random masses, potentials, units and offsets; every other one on a sphere or an ellipsoid of that size.
Choice random_choice(Chance& chance) {
  const double L = chance.logarithmic(1e-6, 1e6),
               M = chance.logarithmic(1e-6, 1e6);  // units of length and mass; the time is 1
  const double offset = chance.uniform(0, 1) < 0.5 ? 0 : L * chance.logarithmic(1, 1e4), k4 = chance.uniform(0, 1);
  const bool is_constrained = chance.uniform(0, 1) < 0.5, is_at_rest = chance.uniform(0, 1) < 0.2;
  const char* names[] = {"x", "y", "z"};
  std::string T, V = "0", r2, initial;
  const double small = chance.uniform(0, 1) < 0.3 ? 1e-3 : 1;
  for (int j = 0; j < 3; ++j) {
    const double m = M * chance.logarithmic(0.1, 10);
    const std::string d = fmt::format("({} - {:.17g})", names[j], offset);
    T += fmt::format("{}p_{}^2/(2*{:.17g})", j ? " + " : "", names[j], m);
    V += fmt::format(" + {:.17g}*({:.17g}*{}^2/2 + {:.17g}*{}^4/4)", m, chance.uniform(0.2, 1), d, k4 / (L * L), d);
    r2 += fmt::format("{}{:.17g}*{}^2", j ? " + " : "", chance.uniform(0.8, 1.2), d);
    initial += fmt::format("{} = {:.17g}\np_{} = {:.17g}\n", names[j],
                           offset + (is_constrained ? 1 : small) * L * chance.uniform(0.3, 0.8), names[j],
                           is_at_rest ? 0.0 : small * m * L * chance.uniform(-1, 1));
  }
  std::string text = fmt::format("title = \"L = {:.1e}, M = {:.1e}, offset {:.1e}{}\"\n", L, M, offset,
                                 is_constrained ? ", constrained" : "");
  text += "[system]\ncoordinates = [\"x\", \"y\", \"z\"]\nhamiltonian = \"" + T + " + " + V + "\"\n";
  if (is_constrained) text += fmt::format("[constraints]\nc = \"{} = {:.17g}\"\n", r2, L * L);
  text += "[initial]\n" + initial;
  static const char* constrained[] = {"rattle", "lobatto:3", "compose:4(rattle)", "gauss:2"};
  static const char* free[] = {"stormer-verlet", "gauss:2", "implicit-midpoint", "forest-ruth", "gonzalez"};
  const std::string method = is_constrained ? constrained[chance.below(4)] : free[chance.below(5)];
  return {.model = read_model_text(text, "random"),
          .step = chance.logarithmic(0.003, 0.1),
          .method = method,
          .steps = static_cast<int>(chance.logarithmic(3, 2000))};
}

// Of 60 systems, and of the same with a defect: no verdict is wrong, and most are not undecided.
TEST(SlowCertifiedRuns, OfRandomSystemsAreNotMisjudged) {
  Chance chance(16);
  int claims = 0, undecided = 0, planted = 0, found = 0;
  for (int k = 0; k < 60; ++k) {
    Choice choice = random_choice(chance);
    for (const Finding& finding : certified(choice).findings) {
      if (!is_exact(finding)) continue;
      ++claims;
      undecided += finding.verdict == Verdict::undecided ? 1 : 0;
      EXPECT_NE(finding.verdict, Verdict::broken) << describe(choice, finding);
    }
    choice.defect = {.p = 1e-11, .q = 1e-11};
    for (const Finding& finding : certified(choice).findings) {
      if (!is_exact(finding) || finding.structure == "momentum") continue;
      ++planted;
      found += finding.verdict == Verdict::broken ? 1 : 0;
      EXPECT_NE(finding.verdict, Verdict::kept) << describe(choice, finding);
    }
  }
  EXPECT_GT(claims, 120);
  EXPECT_LE(undecided, claims / 20);
  EXPECT_GE(found, planted - planted / 20);
}

}  // namespace
}  // namespace cotangent
