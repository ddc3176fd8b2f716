#include "cotangent/run/options/plan_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/model/reader.hpp"
#include "cotangent/run/options/option_table.hpp"

namespace cotangent {
namespace {

constexpr const char* kPendulum = R"toml(
[parameters]
l = 2
N = 5
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
x = 2
y = 0
p_x = 0
p_y = 1
[run]
)toml";

Model model_with(const std::string& run) { return read_model_text(kPendulum + run, "test.toml", {}, run_keys()); }

struct Planned {
  RunPlan plan;
  Notes notes;
  RunWords words;
};

Planned planned(const std::string& run, const std::vector<std::pair<std::string, std::string>>& given = {}) {
  Planned result;
  for (const auto& [option, text] : given) result.words.on_command_line(option, text);
  result.plan = plan_run(result.words, model_with(run), result.notes);
  return result;
}

RunPlan plan_of_run(const std::string& run, const std::vector<std::pair<std::string, std::string>>& given = {}) {
  return planned(run, given).plan;
}

TEST(PlanRun, NumbersMayBeExpressionsWhereverTheyStand) {
  const RunPlan plan =
      plan_of_run("step = \"l/100\"\nevery = \"2*N\"\ncheckpoint-every = \"2*N\"\nbaumgarte = [5, \"2*l\"]\n",
                  {{"end", "3*l"}, {"project-every", "N"}});
  EXPECT_EQ(plan.step, 0.02);
  EXPECT_EQ(plan.every, 10);
  EXPECT_EQ(plan.checkpoint_every, 10);
  EXPECT_EQ(plan.equations.baumgarte_alpha, 5);
  EXPECT_EQ(plan.equations.baumgarte_beta, 4);
  EXPECT_EQ(plan.end, 6);
  EXPECT_EQ(plan.project_every, 5);
}

TEST(PlanRun, TheCommandLineWins) {
  const std::string run = "step = 0.1\nsample = 0.5\nmethod = \"rk4\"\n";
  const RunPlan plan = plan_of_run(run, {{"step", "0.2"}, {"every", "3"}, {"method", "auto"}});
  EXPECT_EQ(plan.step, 0.2);
  EXPECT_EQ(plan.every, 3);
  EXPECT_FALSE(plan.sample) << "it would contradict `every`";
  EXPECT_EQ(plan.method, "");
  EXPECT_EQ(plan_of_run(run).method, "rk4");
}

TEST(PlanRun, OfStepAndToleranceTheCommandLineReplacesTheModels) {
  const Planned fixed = planned("tolerance = 1e-6\n", {{"step", "0.2"}});
  EXPECT_EQ(fixed.plan.step, 0.2);
  EXPECT_FALSE(fixed.plan.tolerance);
  EXPECT_FALSE(fixed.words.is_given("tolerance"));
  ASSERT_EQ(fixed.notes.size(), 1U);
  EXPECT_EQ(fixed.notes[0], "step = 0.2 takes the place of 'tolerance' in [run]");
  const Planned adaptive = planned("step = 0.1\nsample = 1\n", {{"tolerance", "1e-6"}, {"every", "3"}});
  EXPECT_EQ(adaptive.plan.tolerance, 1e-6);
  EXPECT_FALSE(adaptive.plan.step) << "the first step is chosen";
  EXPECT_EQ(adaptive.notes.size(), 2U);
  const Planned both = planned("step = 0.1\ntolerance = 1e-3\n", {{"tolerance", "1e-6"}, {"step", "0.01"}});
  EXPECT_EQ(both.plan.tolerance, 1e-6);
  EXPECT_EQ(both.plan.step, 0.01);
  EXPECT_TRUE(both.notes.empty());
  const Planned model = planned("step = 0.1\ntolerance = 1e-3\n");
  EXPECT_EQ(model.plan.tolerance, 1e-3);
  EXPECT_EQ(model.plan.step, 0.1);
  EXPECT_TRUE(model.notes.empty());
}

TEST(PlanRun, MistakesHaveAPlace) {
  const auto mistake = [](const std::string& run, const std::vector<std::pair<std::string, std::string>>& given = {}) {
    try {
      static_cast<void>(plan_of_run(run, given));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(mistake("projection = \"bth\"\n").starts_with("test.toml:16:15: error: "));
  EXPECT_TRUE(mistake("json = 3\n").starts_with("test.toml:16:8: error: "));
  EXPECT_TRUE(mistake("stepp = 3\n").starts_with("test.toml:16:1: error: "));
  EXPECT_TRUE(mistake("", {{"step", "1+"}}).starts_with("step:1:2: error: ")) << mistake("", {{"step", "1+"}});
  EXPECT_NE(mistake("", {{"method", "ratle"}}).find("rattle"), std::string::npos);
}

bool is_same(const std::vector<std::pair<std::string, std::string>>& a,
             const std::vector<std::pair<std::string, std::string>>& b) {
  return is_same_run(plan_of_run("", a), plan_of_run("", b), model_with(""));
}

TEST(SameRuns, AreKnownInOtherWords) {
  EXPECT_TRUE(is_same({{"metric", "mass"}}, {}));
  EXPECT_TRUE(is_same({{"monitor", "wedge, energy"}}, {{"monitor", "energy,wedge"}}));
  EXPECT_TRUE(is_same({{"baumgarte", "10"}}, {{"baumgarte", "10,10"}}));
  EXPECT_TRUE(is_same({{"section", "x + y"}}, {{"section", "y+x"}}));
  EXPECT_TRUE(is_same({{"precision", "long"}}, {{"precision", "quad"}}));
  EXPECT_TRUE(is_same({{"method", "verlet"}}, {{"method", "stormer-verlet:kick"}}));
  EXPECT_TRUE(is_same({{"end", "1"}, {"out", "a.csv"}}, {{"end", "2"}, {"json", "true"}})) << "these are free";
  EXPECT_FALSE(is_same({{"section", "x + y"}}, {{"section", "x - y"}}));
  EXPECT_FALSE(is_same({{"step", "0.1"}}, {{"step", "0.2"}}));
  EXPECT_FALSE(is_same({{"gauge", "1"}}, {}));
}

TEST(SettledWords, HaveWhatACertificateNeeds) {
  RunPlan plan{.method = "rk4", .projection = Projection::symmetric, .certify = true};
  Notes notes;
  const RunWords words;
  plan.method = "gauss:3";
  settle_words(plan, words, model_with(""), notes);
  EXPECT_EQ(plan.method, "symmetric(gauss:3)");
  EXPECT_EQ(plan.reference, "finer:2");
  for (const char* name : {"energy", "position", "momentum", "wedge", "error"}) EXPECT_TRUE(plan.is_watched(name));
  const RunPlan settled = plan;
  settle_words(plan, words, model_with(""), notes);
  EXPECT_EQ(plan, settled);
  RunPlan none{.method = "rk4", .projection = Projection::symmetric};
  EXPECT_THROW(settle_words(none, words, model_with(""), notes), OptionError);
}

TEST(Plans, ThatMakeNoSenseAreRefused) {
  const RunWords words;
  const RunPlan good{.step = 0.1, .end = 1};
  EXPECT_NO_THROW(check_plan(good, words));
  for (const auto& spoil : std::vector<void (*)(RunPlan&)>{
           [](RunPlan& plan) { plan.end.reset(); }, [](RunPlan& plan) { plan.step.reset(); },
           [](RunPlan& plan) { plan.step = -1; }, [](RunPlan& plan) { plan.tolerance = 2; },
           [](RunPlan& plan) { plan.project_every = 0; }, [](RunPlan& plan) { plan.out = "a.mat"; },
           [](RunPlan& plan) { plan.compression = 10; }, [](RunPlan& plan) { plan.every = 0; },
           [](RunPlan& plan) { plan.start = INFINITY; }, [](RunPlan& plan) { plan.start = 1e17; },
           [](RunPlan& plan) {
             plan.projection = Projection::stage;
             plan.project_invariants = {"energy"};
           }}) {
    RunPlan plan = good;
    spoil(plan);
    EXPECT_THROW(check_plan(plan, words), OptionError);
  }
}

}  // namespace
}  // namespace cotangent
