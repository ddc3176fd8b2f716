#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "cotangent/cotangent.hpp"
#include "cotangent/kernel/machine_code.hpp"

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

TEST(Run, GivesSignalsWithTheirSigns) {
  cotangent::Run run(parse_model(kPendulum), {.method = "rk4",
                                              .formulation = "standard",
                                              .projection = Projection::none,
                                              .step = 0.05,
                                              .end = 10,
                                              .monitor = std::vector<std::string>{"position", "residuals"}});
  const SampleRows rows = run.signals({"x", "v_x", "psi_rod"});
  ASSERT_EQ(rows.names, (std::vector<std::string>{"t", "x", "v_x", "psi_rod"}));
  ASSERT_EQ(rows.count(), 201U);
  EXPECT_EQ(rows.numbers[1], 1);
  EXPECT_LT(rows.numbers.back(), -1e-8) << "psi drifts to this side";
  EXPECT_THROW(static_cast<void>(run.signals({"psi_rot"})), std::invalid_argument);
  const SampleRows all = run.rows();
  EXPECT_EQ(all.names.size(), 1U + 4 + 3);  // t, coordinates and momenta, position, g_rod, psi_rod
  EXPECT_EQ(all.names.back(), "psi_rod");
  EXPECT_EQ(all.numbers.back(), rows.numbers.back());
}

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

TEST(Run, IsMadeAgainFromItsStart) {
  cotangent::Run run(parse_model(kPendulum), {.method = "rattle"});
  ASSERT_TRUE(run.is_repeatable());
  const SampleRows first = run.rows(), second = run.rows();
  EXPECT_EQ(first.count(), 501U);
  EXPECT_EQ(first.names.front(), "t");
  EXPECT_EQ(first.numbers, second.numbers);
  const Sample last = run.samples().back();
  EXPECT_EQ(last["x"], first.numbers[500 * first.names.size() + 1]);
  EXPECT_FALSE(cotangent::Run(parse_model(kPendulum), {.certify = true}).is_repeatable());
}

TEST(Run, TakesOptionsAsTexts) {
  RunWords words;
  words.on_command_line("step", "pi/100");
  EXPECT_NEAR(*cotangent::Run(parse_model(kPendulum), words).plan().step, 0.031415926535, 1e-10);
}

TEST(Run, TakesEquations) {
  ModelBuilder b;
  const Term u = b.state("u"), v = Term::named("v_u");
  b.second_rate(u, -sin(u));
  b.invariant("energy", pow(v, 2) / 2 - cos(u));
  b.initial(u, 1), b.initial(v, 0);
  const Model model = build_model(b);
  cotangent::Run chosen(model, {.end = 3}), own(model, {.method = "gauss:2", .step = 0.01, .end = 3});
  const Sample end = chosen.samples().back(), same = own.samples().back();
  EXPECT_EQ(chosen.plan().formulation, "equations");
  EXPECT_LE(end["invariants.energy"], 1e-15) << "it is returned to";
  EXPECT_GE(same["invariants.energy"], 1e-15);
  for (const char* name : {"u", "v_u"}) EXPECT_NEAR(end[name], same[name], 1e-8) << name;
  EXPECT_THROW(cotangent::Run(model, {.method = "rattle", .step = 0.01, .end = 3}), std::invalid_argument);
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

TEST(Run, GoesBackFromWhereAnotherHasEnded) {
  const Model model = parse_model(kPendulum);
  cotangent::Run forth(model, {.method = "rattle", .end = 2});
  const Sample end = forth.samples().back();
  std::vector<InitialTable> tables;
  for (const char* name : {"x", "y", "p_x", "p_y"}) tables.push_back({name, {end[name]}});
  cotangent::Run back(with_initial(model, tables), {.method = "rattle", .start = 2, .end = 0, .every = 50});
  const std::vector<Sample> samples = back.samples();
  ASSERT_EQ(samples.size(), 5U);
  EXPECT_EQ(samples[1].t, 1.5);
  EXPECT_EQ(samples.front()["x"], end["x"]);
  EXPECT_NEAR(samples.back()["x"], 1, 1e-12);
  EXPECT_NEAR(samples.back()["p_y"], -1, 1e-12);
  EXPECT_THROW(static_cast<void>(with_initial(model, {{"z", {1}}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(with_initial(model, {{"x", {1, 2}}})), std::invalid_argument);
  EXPECT_EQ(with_values(with_initial(model, tables), {"p_x=1"}).tables.size(), 4U) << "they stay";
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

TEST(Run, CompilesNothingThatARunOfTheModelHasCompiled) {
  if (!has_jit()) GTEST_SKIP() << "built without LLVM";
  const Model model = parse_model(kPendulum);
  const auto functions = [&] {
    const auto& code =
        model.shelf->find<std::shared_ptr<MachineCode>>("", [] { return std::make_shared<MachineCode>(); });
    return code->size();
  };
  const RunPlan plan{.method = "rattle", .backend = Backend::jit};
  EXPECT_EQ(cotangent::Run(model, plan)().outcome, Outcome::done);
  const std::size_t first = functions();
  EXPECT_GT(first, 0);
  EXPECT_EQ(cotangent::Run(model, plan)().outcome, Outcome::done);
  EXPECT_EQ(functions(), first);
}

BlackBox pendulum_functions() {
  BlackBox box;
  box.n = 2;
  box.m = 1;
  box.H = [](const double* q, const double* p, double) { return (p[0] * p[0] + p[1] * p[1]) / 2 + q[1]; };
  box.H_q = [](const double*, const double*, double, double* out) { out[0] = 0, out[1] = 1; };
  box.H_p = [](const double*, const double* p, double, double* out) { out[0] = p[0], out[1] = p[1]; };
  box.g = [](const double* q, double, double* out) { out[0] = q[0] * q[0] + q[1] * q[1] - 1; };
  box.G = [](const double* q, double, double* out) { out[0] = 2 * q[0], out[1] = 2 * q[1]; };
  box.is_separable = true;
  box.constraint_names = {"rod"};
  return box;
}

ModelBuilder pendulum_rest() {
  ModelBuilder rest;
  const CoordinateTerm x = rest.coordinate("x"), y = rest.coordinate("y");
  rest.observable("angle", atan2(x, -y));
  rest.observable("tension", Term::named("lambda_rod"));
  rest.initial(x, 1), rest.initial(y, 0), rest.initial(x.p, 0), rest.initial(y.p, -1);
  return rest;
}

TEST(Run, TakesBlackBoxes) {
  const Model model = build_model(pendulum_rest(), pendulum_functions());
  for (const char* method : {"rattle", "rk4", "gauss:2"}) {
    const RunPlan plan{.method = method, .step = 0.01, .end = 5, .every = 100};
    cotangent::Run run(model, plan), of_text(parse_model(kPendulum), plan);
    const auto samples = run.samples(), expected = of_text.samples();
    ASSERT_EQ(samples.size(), expected.size());
    for (std::size_t k = 0; k < samples.size(); ++k) {
      for (const char* name : {"x", "y", "p_x", "p_y", "energy", "position", "momentum"})
        EXPECT_NEAR(samples[k][name], expected[k][name], 1e-9) << method << ' ' << name;
      EXPECT_NEAR(samples[k]["angle"], std::atan2(samples[k]["x"], -samples[k]["y"]), 1e-15);
    }
    EXPECT_NE(run.json().find("\"rod\""), std::string::npos) << "its multiplier";
    EXPECT_NE(run.table().find("double precision by functions"), std::string::npos) << run.table();
  }
  EXPECT_THROW(cotangent::Run(model, {.step = 0.01, .end = 1, .certify = true}), std::invalid_argument);
  EXPECT_THROW(cotangent::Run(model, {.step = 0.01, .end = 1, .precision = Precision::quad}), std::invalid_argument);
  try {
    cotangent::Run run(model, {.step = 0.01, .end = 1, .monitor = {{"wedge"}}});
    FAIL() << "tangents are not available";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("monitor"), std::string::npos) << error.what();
  }
}

TEST(Run, RefusesBlackBoxesThatDoNotFit) {
  BlackBox box = pendulum_functions();
  box.n = 3;
  EXPECT_THROW(build_model(pendulum_rest(), box), std::invalid_argument);
  ModelBuilder twice = pendulum_rest();
  twice.hamiltonian(1);
  EXPECT_THROW(build_model(twice, pendulum_functions()), std::invalid_argument);
}

TEST(Run, MayHaveOtherValues) {
  const Model model = parse_model(kPendulum);
  const Model other = with_values(with_values(model, {"p_y=-2"}), {"x=-1"});
  EXPECT_EQ(other.shelf, model.shelf);
  cotangent::Run run(other, {.method = "rattle"});
  EXPECT_EQ(run.now()["x"], -1);
  EXPECT_EQ(run.now()["p_y"], -2);
}

TEST(Run, MayBeMadeBesideOthers) {
  const Model model = parse_model(kPendulum);
  std::vector<double> ends(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < ends.size(); ++k)
    threads.emplace_back([&, k] {
      cotangent::Run run(model, {.method = "rattle", .section = "y*x^2 - " + std::to_string(k)});
      ends[k] = run.samples().back()["x"];
    });
  for (auto& thread : threads) thread.join();
  for (const double end : ends) EXPECT_EQ(end, ends[0]);
}

}  // namespace
}  // namespace cotangent
