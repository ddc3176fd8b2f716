#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "cotangent/cotangent.hpp"

namespace cotangent {
namespace {

constexpr const char* kPendulum = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = -1
[run]
step = 0.01
end = 5
)toml";

TEST(Run, GivesItsRecords) {
  cotangent::Run run(parse_model(kPendulum), {.method = "rattle", .end = 1, .every = 10});
  EXPECT_EQ(run.plan().method, "rattle");
  EXPECT_EQ(run.plan().step, 0.01) << "of [run]";
  EXPECT_EQ(run.plan().projection, Projection::none) << "what suits the method";
  const std::vector<Sample> samples = run.samples();
  ASSERT_EQ(samples.size(), 11U);
  for (const Sample& sample : samples) {
    EXPECT_NEAR(sample["x"] * sample["x"] + sample["y"] * sample["y"], 1, 1e-15);
    EXPECT_LE(sample["position"], 1e-15);
  }
  EXPECT_EQ(samples.back().t, 1);
  EXPECT_THROW(static_cast<void>(samples.back()["z"]), std::invalid_argument);
  EXPECT_NE(run.json().find("\"method\": \"rattle\""), std::string::npos);
}

TEST(Run, IsTheSameWithStepsOfOnesOwn) {
  const Model model = parse_model(kPendulum);
  for (const RunPlan& options : {RunPlan{.method = "rk4", .projection = Projection::both},
                                 RunPlan{.method = "rk4", .project_invariants = {"energy"}, .project_every = 3},
                                 RunPlan{.method = "gauss:2", .formulation = "dirac", .precision = Precision::quad}}) {
    cotangent::Run whole(model, options), own(model, options);
    const Sample end = whole.samples().back();
    for (int k = 0; k < 500; ++k) ASSERT_TRUE(own.step(0.01));
    const Sample now = own.now();
    EXPECT_NEAR(now.t, 5, 1e-12);
    for (const char* name : {"x", "y", "p_x", "p_y", "energy"}) EXPECT_EQ(now[name], end[name]) << name;
  }
}

TEST(Run, SaysWhyAStepCannotBeMade) {
  cotangent::Run run(parse_model(kPendulum), {.method = "rattle", .step = 1e9, .end = 1e9});
  const Summary summary = run();
  EXPECT_EQ(summary.outcome, Outcome::failed);
  EXPECT_TRUE(summary.failure);
}

TEST(Run, RefusesWhatMakesNoSense) {
  const Model model = parse_model(kPendulum);
  EXPECT_THROW(cotangent::Run(model, {.method = "ratle"}), ModelError);
  EXPECT_THROW(cotangent::Run(model, {.step = -1}), ModelError);
  EXPECT_THROW(cotangent::Run(model, {.method = "rk4", .projection = Projection::symmetric}), ModelError);
  EXPECT_THROW(cotangent::Run(model, {.method = "rk4", .project_invariants = {"enrgy"}}), ModelError);
  EXPECT_THROW(static_cast<void>(parse_model("[system]")), ModelError);
}

TEST(Run, GivesACertificateAndACallback) {
  cotangent::Run run(parse_model(kPendulum), {.method = "rattle", .end = 1, .certify = true});
  int records = 0;
  run.on_sample([&](const Sample&) { ++records; });
  EXPECT_EQ(run().outcome, Outcome::done);
  EXPECT_EQ(records, 101);
  EXPECT_NE(run.json().find("\"certificate\""), std::string::npos);
}

TEST(Run, MayBeMadeBesideOthers) {
  std::vector<double> ends(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < ends.size(); ++k)
    threads.emplace_back([&ends, k] {
      cotangent::Run run(parse_model(kPendulum), {.method = "rattle"});
      ends[k] = run.samples().back()["x"];
    });
  for (auto& thread : threads) thread.join();
  for (const double end : ends) EXPECT_EQ(end, ends[0]);
}

}  // namespace
}  // namespace cotangent
