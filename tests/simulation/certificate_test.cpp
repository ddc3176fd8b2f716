#include "cotangent/simulation/certificate/certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

// Conclusions from evidence that is made up; those of whole runs are tested with methods and with the program.

namespace cotangent {
namespace {

constexpr double kUnit = 2.2e-16;
constexpr int kSteps = 20000;
const double kWalk = std::sqrt(kSteps);

Series series_of(const std::function<double(double)>& y, int points = kSteps) {
  Series series;
  for (int k = 0; k <= points; ++k) series.add(0.01 * k, y(0.01 * k));
  return series;
}

double noise(double t) { return kUnit * std::sin(1e4 * t * t); }

enum : std::size_t { kPosition, kEnergy };

RunEvidence evidence() {
  RunEvidence run;
  run.facts.order = 2;
  run.facts.symmetric = run.facts.symplectic = run.facts.keeps_position = true;
  run.steps = kSteps;
  run.samples = 70;
  run.has_constraints = true;
  run.signals = {
      {"position", series_of([](double t) { return std::abs(noise(t)); }), Levels(kUnit), 1, 1e-33},
      {"energy", series_of([](double t) { return 1e-4 * (std::cos(3 * t) - 1); }), Levels(kUnit), 1e9, 1e-6}};
  run.wedge = {series_of(noise), kWalk * kUnit, 1e-19};
  run.reversal = {.figure = 1e-16, .level = kUnit, .defect = 1e-32, .count = 70};
  return run;
}

const Finding& find(const Certificate& certificate, const std::string& structure) {
  for (const auto& finding : certificate.findings)
    if (finding.structure == structure) return finding;
  throw std::out_of_range(structure);
}

Verdict verdict(const RunEvidence& run, const std::string& structure) { return find(certify(run), structure).verdict; }
bool is_claimed(const RunEvidence& run, const std::string& structure) {
  return find(certify(run), structure).is_claimed;
}

TEST(Certificates, HoldWhereEverythingIsKept) {
  const Certificate certificate = certify(evidence());
  EXPECT_EQ(certificate.findings.size(), 4U);
  for (const auto& finding : certificate.findings) {
    EXPECT_EQ(finding.verdict, Verdict::kept) << finding.structure;
    EXPECT_TRUE(finding.is_claimed);
  }
  EXPECT_TRUE(certificate.holds());
  EXPECT_TRUE(certificate.is_complete());
  EXPECT_FALSE(certificate.error);
  EXPECT_NEAR(find(certificate, "energy").figure, 2e-4, 1e-6);
  EXPECT_NE(find(certificate, "energy").evidence.find("no drift above"), std::string::npos);
}

TEST(Certificates, NameTheFormThatIsKept) {
  RunEvidence run = evidence();
  EXPECT_EQ(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
  run.facts.keeps_position = false;
  EXPECT_NE(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
  run.facts.symplectic_off = true;
  EXPECT_EQ(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
}

// One figure beyond a thousand levels is enough; between ten and a thousand nothing is decided.
TEST(Certificates, TakeTheWorstFigure) {
  const auto verdicts = [](const std::function<void(RunEvidence&, double)>& set, const char* structure) {
    for (const auto& [levels, expected] :
         {std::pair{5.0, Verdict::kept}, std::pair{100.0, Verdict::undecided}, std::pair{2000.0, Verdict::broken}}) {
      RunEvidence run = evidence();
      set(run, levels);
      EXPECT_EQ(verdict(run, structure), expected) << structure << " " << levels;
      EXPECT_EQ(certify(run).holds(), expected != Verdict::broken);
      EXPECT_EQ(certify(run).is_complete(), expected != Verdict::undecided);
    }
  };
  verdicts(
      [](RunEvidence& run, double levels) {
        run.signals[kPosition].series = series_of([&](double t) { return t > 199 ? levels * kWalk * kUnit : 0; });
      },
      "position");
  verdicts([](RunEvidence& run, double levels) { run.signals[kPosition].change = levels; }, "position");
  verdicts([](RunEvidence& run, double levels) { run.signals[kPosition].defect = levels * kUnit; }, "position");
  verdicts(
      [](RunEvidence& run, double levels) {
        run.wedge->series = series_of([&](double t) { return levels * kWalk * kUnit * std::sin(t); });
      },
      "symplecticity");
  verdicts([](RunEvidence& run, double levels) { run.wedge->defect = levels * kUnit; }, "symplecticity");
  verdicts([](RunEvidence& run, double levels) { run.reversal.figure = levels * kUnit; }, "reversibility");
  verdicts([](RunEvidence& run, double levels) { run.reversal.defect = levels * kUnit; }, "reversibility");
}

TEST(Certificates, MeasureWhatNobodyClaims) {
  RunEvidence run = evidence();
  run.facts.symmetric = run.facts.symplectic = run.facts.keeps_position = false;
  run.wedge->defect = run.reversal.defect = run.signals[kPosition].defect = 1e-6;
  run.signals[kEnergy].series = series_of([](double t) { return 1e-4 * std::cos(3 * t) - 1e-5 * t; });
  const Certificate certificate = certify(run);
  for (const auto& finding : certificate.findings) {
    EXPECT_EQ(finding.verdict, Verdict::broken) << finding.structure;
    EXPECT_FALSE(finding.is_claimed);
    EXPECT_TRUE(finding.claim.starts_with("none")) << finding.claim;
  }
  EXPECT_TRUE(certificate.holds());
}

TEST(Certificates, KnowWhatEndsAClaim) {
  RunEvidence run = evidence();
  run.is_hamiltonian = false;
  EXPECT_FALSE(is_claimed(run, "energy"));
  EXPECT_FALSE(is_claimed(run, "symplecticity"));
  EXPECT_TRUE(is_claimed(run, "reversibility"));

  run = evidence();
  run.is_adaptive = true;
  EXPECT_FALSE(is_claimed(run, "energy"));
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept);
  EXPECT_FALSE(is_claimed(run, "symplecticity"));

  run = evidence();
  run.is_autonomous = false;
  EXPECT_FALSE(is_claimed(run, "energy"));
  EXPECT_TRUE(is_claimed(run, "symplecticity"));

  run = evidence();
  run.charts = 1;
  EXPECT_FALSE(is_claimed(run, "energy"));
  EXPECT_FALSE(is_claimed(run, "symplecticity"));
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::undecided);
  EXPECT_NE(find(certify(run), "symplecticity").claim.find("within a chart"), std::string::npos);
  run.wedge->defect = 1e-6;
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::broken);

  for (const ProjectionPolicy& policy :
       {ProjectionPolicy{.invariants = {"L"}}, ProjectionPolicy{.projection = Projection::both}}) {
    run = evidence();
    run.policy = policy;
    for (const char* structure : {"energy", "symplecticity", "reversibility"})
      EXPECT_FALSE(is_claimed(run, structure)) << structure;
    EXPECT_TRUE(is_claimed(run, "position"));
  }
}

TEST(Certificates, TakeThresholdsOfProjectionsAtTheirWord) {
  RunEvidence run = evidence();
  run.facts.keeps_position = false;
  run.signals[kPosition].defect = 1e-7;
  run.signals[kPosition].series = series_of([](double t) { return 0.9e-6 * std::abs(std::sin(t)); });
  run.policy = {.projection = Projection::position, .every = 1, .above = 1e-6};
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
  run.policy.above = 1e-7;
  EXPECT_EQ(verdict(run, "position"), Verdict::broken);
  EXPECT_FALSE(certify(run).holds());
  run.policy = {.projection = Projection::position, .every = 10};
  EXPECT_FALSE(is_claimed(run, "position"));
}

TEST(Certificates, SayWhenTheEnergyDrifts) {
  RunEvidence run = evidence();
  const auto of = [&](const std::function<double(double)>& y) {
    run.signals[kEnergy].series = series_of(y);
    return find(certify(run), "energy");
  };
  const Finding drifts = of([](double t) { return 1e-4 * std::cos(3 * t) - 1e-5 * t; });
  EXPECT_EQ(drifts.verdict, Verdict::broken);
  EXPECT_NEAR(drifts.drift->slope, -1e-5, 3 * drifts.drift->error);
  EXPECT_NE(drifts.evidence.find("drift -1e-05 +-"), std::string::npos) << drifts.evidence;
  // It is there, but the motion itself may do that to the energy.
  EXPECT_EQ(of([](double t) { return 1e-4 * std::cos(3 * t) - 5e-7 * t; }).verdict, Verdict::undecided);
  // Half a beat, a motion that has not come back, an explosion.
  EXPECT_EQ(of([](double t) { return 1e-4 * std::cos(3 * t) + 1e-3 * std::sin(0.01 * t); }).verdict,
            Verdict::undecided);
  EXPECT_EQ(of([](double t) { return 1e-6 * t * t; }).verdict, Verdict::undecided);
  EXPECT_EQ(of([](double t) { return 1e-10 * std::exp(0.2 * t); }).verdict, Verdict::undecided);
  // Half of one oscillation, or a piece of it, is straight enough to be a drift by all of its error bars.
  for (const double frequency : {0.01, 0.002}) {
    const Finding part = of([&](double t) { return 1e-9 * std::sin(frequency * (t - 150)); });
    EXPECT_GT(part.drift->slope, 5 * part.drift->error) << frequency;
    EXPECT_EQ(part.verdict, Verdict::undecided) << frequency;
    EXPECT_NE(part.evidence.find("unless it is part of an oscillation"), std::string::npos) << part.evidence;
  }
  // Rounding errors are not a drift.
  run.signals[kEnergy].change = run.signals[kEnergy].defect = 0;
  EXPECT_EQ(of([](double t) { return 1e-17 * t; }).verdict, Verdict::kept);
}

TEST(Certificates, DoNotTakeABoundedErrorForOneOfRounding) {
  RunEvidence run = evidence();
  run.facts.keeps_energy = true;
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken);
  run.signals[kEnergy] = {"energy", series_of(noise), Levels(kUnit), 1, 1e-33};
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept);
}

TEST(Certificates, SayWhatCouldNotBeMeasured) {
  RunEvidence run = evidence();
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  run.wedge->series = series_of([&](double t) { return t < 5 ? 0 : no_number; });
  run.signals[kPosition].series = series_of([&](double t) { return t < 5 ? 0 : no_number; });
  run.failed = 1;
  EXPECT_EQ(verdict(run, "reversibility"), Verdict::undecided) << "a step back may have led anywhere";
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::undecided);
  EXPECT_EQ(verdict(run, "position"), Verdict::undecided);
  EXPECT_TRUE(certify(run).holds());
  EXPECT_FALSE(certify(run).is_complete());

  run = evidence();
  run.failed = run.samples;
  for (const Finding& finding : certify(run).findings) EXPECT_EQ(finding.verdict, Verdict::undecided);
  run = evidence();
  run.steps = 0;
  for (const Finding& finding : certify(run).findings) EXPECT_EQ(finding.verdict, Verdict::undecided);
  EXPECT_FALSE(certify(run).is_complete());
  run = evidence();
  run.is_ended = false;
  EXPECT_FALSE(certify(run).is_complete());
}

TEST(Certificates, CompareWithTheLevelOfTheTime) {
  RunEvidence run = evidence();
  Levels growing;
  for (int k = 0; k <= 200; ++k) growing.add(k, 1e-17 * (1 + k * k));
  run.signals[kPosition].levels = growing;
  run.signals[kPosition].series = series_of([](double t) { return 1e-17 * (1 + t * t); });
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
  run.signals[kPosition].series = series_of([](double t) { return t < 10 ? 1e-10 : 0; });
  EXPECT_EQ(verdict(run, "position"), Verdict::broken) << "what is large later does not excuse it";
}

TEST(Certificates, ScaleDifferencesToErrors) {
  RunEvidence run = evidence();
  run.error = {.by = "two steps in the place of one",
               .series = series_of([](double t) { return 3e-5 * t; }),
               .factor = 4.0 / 3,
               .is_shared = true,
               .parts = {{"q", series_of([](double t) { return 3e-5 * t; }), 1},
                         {"p", series_of([](double t) { return 3e-8 * t; }), 1e-4}}};
  const ErrorFinding error = *certify(run).error;
  EXPECT_NEAR(error.final, 4e-5 * 200, 1e-10);
  EXPECT_FALSE(error.lost_at);
  EXPECT_NEAR(error.parts[1].final, 4e-8 * 200, 1e-13);
  EXPECT_NEAR(error.relative_final(), 8e-2, 1e-6) << "that of the momenta, which are small";
  // An error as large as the motion is none that could be estimated.
  run.error->parts[1].size = 6e-6;
  EXPECT_TRUE(std::isnan(certify(run).error->relative_final()));
  EXPECT_NEAR(*certify(run).error->lost_at, 100, 1);
  EXPECT_TRUE(std::isnan(certify(run).error->final));
  run.error->is_shared = false;
  EXPECT_GT(certify(run).error->final, 0);
  run.error->factor = 5;
  EXPECT_TRUE(std::isnan(certify(run).error->largest)) << "steps were hardly shorter";
}

TEST(Certificates, AreNotHeldWhereTheEnergyIsLost) {
  RunEvidence run = evidence();
  EXPECT_TRUE(certify(run).holds());
  run.energy_lost_at = 7;
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept) << "it does not drift, as is claimed";
  EXPECT_FALSE(certify(run).holds());
  run.facts.symplectic = false;
  EXPECT_FALSE(certify(run).holds()) << "although nobody claims the energy";
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken) << "although it does not drift";
}

TEST(Certificates, ClaimLessWhereTheEnergyJumps) {
  RunEvidence run = evidence();
  run.error = {.series = series_of([](double t) { return 3e-5 * t; }), .is_shared = true};
  run.gradient_jump = 3;
  EXPECT_FALSE(is_claimed(run, "energy"));
  EXPECT_TRUE(is_claimed(run, "symplecticity"));
  EXPECT_GT(certify(run).error->final, 0);
  run.energy_jump = 3;
  EXPECT_TRUE(std::isnan(certify(run).error->final)) << "shorter steps pass it in the same way";
  run.error->is_shared = false;
  EXPECT_GT(certify(run).error->final, 0);
}

TEST(Certificates, AreNotHeldWhereRunsReturnToWhatChanges) {
  RunEvidence run = evidence();
  run.error = {.series = series_of([](double t) { return 3e-5 * t; }), .is_shared = true};
  run.signals.push_back({"invariants.L", series_of(noise), Levels(kUnit), 1, 1e-33});
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::kept);
  EXPECT_FALSE(is_claimed(run, "invariants.L"));
  run.policy.invariants = {"L"};
  EXPECT_TRUE(is_claimed(run, "invariants.L"));
  EXPECT_TRUE(certify(run).holds());
  run.changing = {"L"};
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::broken);
  EXPECT_FALSE(certify(run).holds());
  EXPECT_TRUE(std::isnan(certify(run).error->final)) << "shorter steps share that error";
  run.error->is_shared = false;
  EXPECT_GT(certify(run).error->final, 0);
  run.policy.invariants = {};
  EXPECT_TRUE(certify(run).holds()) << "it is not returned to";
}

}  // namespace
}  // namespace cotangent
