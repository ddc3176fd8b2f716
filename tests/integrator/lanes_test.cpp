#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/mechanisms.hpp"

// A lane gives bit for bit what a run of its own gives, under every formulation that takes a batch: whatever the other
// lanes do, be it that they iterate longer, wear out their variables or fail.

namespace cotangent {
namespace {

using test::Mechanism;

// R depends on p, and the constraint does work.
const Mechanism kMovingLight{"moving_light", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "sqrt(1 + p_x^2 + p_y^2 + p_z^2) + 0.3*z"
[constraints]
sphere = "x^2 + y^2 + (z - 0.2*sin(t))^2 = 1"
[initial]
x = 0.6
y = 0
z = 0.8
p_x = 0.4
p_y = 0.5
p_z = -0.3
)toml"};

struct Way {
  std::string name, formulation;
  FormulationOptions options = {};
};

std::vector<Way> ways() {
  std::vector<Way> list;
  for (const auto& entry : formulations<Lanes>()) list.push_back({entry.facts.name, entry.facts.name});
  list.push_back({"dirac_gauge", "dirac", {.gauge = -2}});
  list.push_back({"dirac_weak_gauge", "dirac-weak", {.gauge = -2}});
  list.push_back({"baumgarte_5_3", "baumgarte", {.baumgarte_alpha = 5, .baumgarte_beta = 3}});
  list.push_back({"impetus_reset", "impetus", {.impetus_reset = 3}});
  list.push_back({"impetus_reset_above", "impetus", {.impetus_reset_above = 0.02}});
  list.push_back({"impetus_both_resets", "impetus", {.impetus_reset = 5, .impetus_reset_above = 0.02}});
  return list;
}

/// What lanes and single runs have in common.
struct Source {
  explicit Source(const Mechanism& mechanism)
      : model(read_model_text(mechanism.text, mechanism.name)), elements(regular_elements(model, notes)) {}

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
};

template <class T>
struct Stepper {
  Stepper(const Source& source, const std::string& method, const Way& way)
      : system(source.elements, Backend::interpreter),
        manifold(system),
        integrator(find_method<T>(method).make(manifold, way.formulation, way.options)) {}

  System<T> system;
  Manifold<T> manifold;
  std::unique_ptr<Integrator<T>> integrator;
};

constexpr int kKinds = 5;   // of starts, taken by the lanes in turn
constexpr int kStray = 13;  // a lane that may fail

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

using Case = std::tuple<std::string, Way, Mechanism>;  // method

class LanesUnder : public testing::TestWithParam<Case> {
 protected:
  const std::string& method = std::get<0>(GetParam());
  const Way& way = std::get<1>(GetParam());
  const Mechanism& mechanism = std::get<2>(GetParam());

  /// Points whose momenta differ.
  static std::vector<Point<double>> starts(const Source& source, Stepper<double>& run) {
    std::vector<Point<double>> points;
    const auto start = make_initial_data(source.model, run.manifold).z;
    for (int k = 0; k < kKinds; ++k) {
      auto z = start;
      for (double& p : z.p) p *= 1 + 0.1 * k;

      if (run.system.m() > 0) {
        EXPECT_TRUE(run.manifold.project_momentum(z).converged);
      }
      points.push_back(z);
    }
    return points;
  }

  /// How many steps the lanes that do not stray make as runs of their own do. @param stray the momenta of the other.
  void compare(int steps, double stray) {
    const Source source(mechanism);
    // A guess from the step before is for one trajectory: each has a method of its own.
    std::vector<std::unique_ptr<Stepper<double>>> singles;
    for (int k = 0; k < kKinds; ++k) singles.push_back(std::make_unique<Stepper<double>>(source, method, way));
    Stepper<Lanes> batch(source, method, way);
    auto alone = starts(source, *singles[0]);
    Point<Lanes> z(batch.system.n(), batch.system.state_count());
    for (int i = 0; i < kLanes; ++i) {
      const auto& from = alone[static_cast<std::size_t>(i % kKinds)];
      test::set_lane(z.change(), i, from);
      for (std::size_t k = 0; k < z->s.size(); ++k) z.change().s[k][i] = from->s[k];
    }
    if (stray != 0)
      for (auto& p : z.change().p) p[kStray] = stray;
    z.change().t = alone[0]->t;
    const auto expect_same = [&](const std::vector<Lanes>& lanes, const std::vector<double>& x, int i,
                                 const char* what) {
      ASSERT_EQ(lanes.size(), x.size());
      for (std::size_t k = 0; k < x.size(); ++k)
        ASSERT_TRUE(same(lanes[k][i], x[k])) << what << "[" << k << "], lane " << i << ": " << lanes[k][i] - x[k];
    };
    for (int step = 0; step < steps; ++step) {
      const auto report = batch.integrator->step(z, 0.02);
      for (std::size_t k = 0; k < alone.size(); ++k)
        ASSERT_EQ(singles[k]->integrator->step(alone[k], 0.02).status, StepStatus::ok) << step;
      for (int i = 0; i < kLanes; ++i) {
        if (stray != 0 && i == kStray) continue;
        ASSERT_TRUE(lane(report.ok, i)) << "step " << step << ", lane " << i;
        const auto& x = alone[static_cast<std::size_t>(i % kKinds)];
        expect_same(z->q, x->q, i, "q");
        expect_same(z->p, x->p, i, "p");
        expect_same(z->s, x->s, i, "s");
        expect_same(z->q_low, x->q_low, i, "q_low");
        expect_same(z->p_low, x->p_low, i, "p_low");
        if (HasFatalFailure()) FAIL() << "in step " << step;
      }
    }
  }
};

TEST_P(LanesUnder, GiveTheBitsOfRunsOfTheirOwn) { compare(method == "rk4" ? 20 : 6, 0); }

TEST_P(LanesUnder, DoNotNoticeOneThatStrays) { compare(4, 1e200); }

// "one trajectory at a time" are the words of the fact sheets.
bool takes_batches(const std::string& formulation) {
  return find_formulation<Lanes>(formulation).facts.applies_to.find("one trajectory") == std::string::npos;
}

TEST(Lanes, AreRefusedByFormulationsForOneTrajectory) {
  Stepper<Lanes> run(Source(test::kMovingSupport), "rk4", {"standard", "standard"});
  for (const auto& entry : formulations<Lanes>()) {
    if (!takes_batches(entry.facts.name)) {
      EXPECT_THROW(entry.make(run.manifold), std::invalid_argument) << entry.facts.name;
    }
  }
}

std::vector<Case> every_case() {
  std::vector<Mechanism> systems = test::mechanisms();
  systems.push_back(kMovingLight);
  for (const char* name : {"double_pendulum", "torus"}) systems.push_back({name, test::problem(name).text});
  std::vector<Case> cases;
  for (const char* method : {"rk4", "implicit-midpoint"})
    for (const Way& way : ways())
      for (const Mechanism& mechanism : systems)
        if (test::takes(way.formulation, mechanism) && takes_batches(way.formulation))
          cases.emplace_back(method, way, mechanism);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, LanesUnder, testing::ValuesIn(every_case()), [](const auto& each) {
  std::string name = std::get<0>(each.param) + "_" + std::get<1>(each.param).name + "_" + std::get<2>(each.param).name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace cotangent
