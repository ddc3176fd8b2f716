#include "cotangent/simulation/certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

// Conclusions from evidence that is made up; those of whole runs are tested with the program.

namespace cotangent {
namespace {

constexpr double kUnit = 2.2e-16;

Series series_of(const std::function<double(double)>& y, int points = 20000) {
  Series series;
  for (int k = 0; k <= points; ++k) series.add(0.01 * k, y(0.01 * k));
  return series;
}

double noise(double t) { return 1e-16 * std::sin(1e4 * t * t); }

RunEvidence evidence() {
  RunEvidence run;
  run.facts.order = 2;
  run.facts.symmetric = run.facts.symplectic = run.facts.keeps_position = true;
  run.has_constraints = true;
  run.unit = kUnit;
  run.signals = {{"position", series_of([](double t) { return std::abs(noise(t)); }), LevelHistory(kUnit)},
                 {"energy", series_of([](double t) { return 1e-4 * (std::cos(3 * t) - 1); }), LevelHistory(kUnit),
                  LevelHistory(1)},
                 {"wedge", series_of(noise), LevelHistory(kUnit), {}, false}};
  run.reversal = {.defect = 1e-16, .level = kUnit, .count = 50, .failed = 0};
  return run;
}

const Finding& find(const Certificate& certificate, const std::string& structure) {
  for (const auto& finding : certificate.findings)
    if (finding.structure == structure) return finding;
  throw std::out_of_range(structure);
}

Verdict verdict(const RunEvidence& run, const std::string& structure) { return find(certify(run), structure).verdict; }

TEST(Certificates, HoldWhereEverythingIsKept) {
  const Certificate certificate = certify(evidence());
  EXPECT_EQ(certificate.findings.size(), 4U);
  for (const auto& finding : certificate.findings) EXPECT_EQ(finding.verdict, Verdict::kept) << finding.structure;
  EXPECT_TRUE(certificate.holds());
  EXPECT_FALSE(certificate.error);
  EXPECT_EQ(find(certificate, "energy").trend, Trend::bounded);
  EXPECT_EQ(find(certificate, "position").trend, Trend::rounding);
  EXPECT_NEAR(find(certificate, "energy").figure, 2e-4, 1e-6);
}

TEST(Certificates, NameTheFormThatIsKept) {
  RunEvidence run = evidence();
  EXPECT_EQ(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
  run.facts.keeps_position = false;
  EXPECT_NE(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
  run.facts.symplectic_off = true;
  EXPECT_EQ(find(certify(run), "symplecticity").claim.find("p*"), std::string::npos);
}

TEST(Certificates, AreBrokenByWhatContradictsThem) {
  RunEvidence run = evidence();
  run.signals[0].series = series_of([](double t) { return 1e-9 * t; });
  run.signals[1].series = series_of([](double t) { return 1e-4 * std::cos(3 * t) - 1e-5 * t; });
  run.signals[2].series = series_of([](double t) { return 1e-9 * std::sin(t); });
  run.reversal->defect = 1e-8;
  const Certificate certificate = certify(run);
  for (const auto& finding : certificate.findings) EXPECT_EQ(finding.verdict, Verdict::broken) << finding.structure;
  EXPECT_FALSE(certificate.holds());
}

TEST(Certificates, ClaimNothingThatFactsDoNotPromise) {
  RunEvidence run = evidence();
  run.facts.symmetric = run.facts.symplectic = run.facts.keeps_position = false;
  const Certificate certificate = certify(run);
  for (const auto& finding : certificate.findings) {
    EXPECT_EQ(finding.verdict, Verdict::not_claimed) << finding.structure;
    EXPECT_TRUE(finding.claim.starts_with("none")) << finding.claim;
  }
  EXPECT_TRUE(certificate.holds());
}

TEST(Certificates, KnowWhatEndsAClaim) {
  RunEvidence run = evidence();
  run.is_hamiltonian = false;
  EXPECT_EQ(verdict(run, "energy"), Verdict::not_claimed);
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::not_claimed);
  EXPECT_EQ(verdict(run, "reversibility"), Verdict::kept);

  run = evidence();
  run.is_adaptive = true;
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept);
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::not_claimed);
  run.has_even_steps = false;
  EXPECT_EQ(verdict(run, "energy"), Verdict::not_claimed);

  run = evidence();
  run.is_autonomous = false;
  EXPECT_EQ(verdict(run, "energy"), Verdict::not_claimed);
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::kept);

  run = evidence();
  run.policy.invariants = {"L"};
  for (const char* structure : {"energy", "symplecticity", "reversibility"})
    EXPECT_EQ(verdict(run, structure), Verdict::not_claimed) << structure;

  run = evidence();
  run.charts = 1;
  EXPECT_EQ(verdict(run, "energy"), Verdict::not_claimed);
  EXPECT_EQ(verdict(run, "symplecticity"), Verdict::kept);

  run = evidence();
  run.policy.projection = Projection::both;
  for (const char* structure : {"energy", "symplecticity", "reversibility"})
    EXPECT_EQ(verdict(run, structure), Verdict::not_claimed) << structure;
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
}

TEST(Certificates, TakeThresholdsOfProjectionsAtTheirWord) {
  RunEvidence run = evidence();
  run.facts.keeps_position = false;
  run.policy = {.projection = Projection::position, .every = 1, .above = 1e-6};
  run.signals[0].series = series_of([](double t) { return 0.9e-6 * std::abs(std::sin(t)); });
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
  run.policy.above = 1e-7;
  EXPECT_EQ(verdict(run, "position"), Verdict::broken);
  run.policy = {.projection = Projection::position, .every = 10};
  EXPECT_EQ(verdict(run, "position"), Verdict::not_claimed);
}

TEST(Certificates, DoNotJudgeWhatHasNotComeBackYet) {
  RunEvidence run = evidence();
  run.signals[1].series = series_of([](double t) { return 1e-6 * t * t; });
  EXPECT_EQ(verdict(run, "energy"), Verdict::unknown);
  // An instability does not wait.
  run.signals[1].series = series_of([](double t) { return 1e-10 * std::exp(0.2 * t); });
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken);
}

// From rest the error of the energy grows by orders of magnitude, like that of an instability; but it stays small.
TEST(Certificates, DoNotTakeABeginningForAnInstability) {
  RunEvidence run = evidence();
  run.signals[1].series = series_of([](double t) { return 1e-12 * std::exp(0.1 * t); });
  EXPECT_EQ(verdict(run, "energy"), Verdict::unknown);
}

TEST(Certificates, SayWhatCouldNotBeMeasured) {
  RunEvidence run = evidence();
  run.signals[2].series = series_of([](double t) { return t < 5 ? 0 : std::numeric_limits<double>::quiet_NaN(); });
  run.reversal->failed = 1;
  EXPECT_EQ(verdict(run, "reversibility"), Verdict::unknown);
  run.reversal->failed = run.reversal->count;
  const Certificate certificate = certify(run);
  EXPECT_EQ(find(certificate, "symplecticity").verdict, Verdict::unknown);
  EXPECT_EQ(find(certificate, "reversibility").verdict, Verdict::unknown);
  EXPECT_TRUE(certificate.holds());
}

TEST(Certificates, ScaleDifferencesToErrors) {
  RunEvidence run = evidence();
  run.signals.push_back({"error", series_of([](double t) { return 3e-5 * t; }), LevelHistory(kUnit)});
  run.error_by = "step halving";
  run.error_factor = 4.0 / 3;
  const Certificate certificate = certify(run);
  ASSERT_TRUE(certificate.error);
  EXPECT_NEAR(certificate.error->final, 4e-5 * 200, 1e-10);
  EXPECT_EQ(certificate.error->trend, Trend::linear);
  EXPECT_NEAR(certificate.error->growth.exponent, 1, 0.01);
}

// Where errors have no room to grow in before they are as large as the motion, neighbours tell how they do.
TEST(Certificates, KnowChaosByItsNeighbours) {
  RunEvidence run = evidence();
  run.steps = 20000;
  const auto jumps = [](double t) { return t < 3 ? 1e-3 : std::abs(std::sin(3 * t)) * (1 + 0.3 * std::sin(0.7 * t)); };
  run.signals.push_back({"error", series_of(jumps), LevelHistory(kUnit)});
  run.error_by = "step halving";
  const auto trend = [&](double separation) {
    run.separation = separation;
    return certify(run).error->trend;
  };
  EXPECT_EQ(trend(0), Trend::unknown);
  EXPECT_EQ(trend(std::log(1e6)), Trend::unknown) << "as regular motions may";
  EXPECT_EQ(trend(26), Trend::exponential);
  EXPECT_NE(certify(run).error->evidence.find("neighbours"), std::string::npos);
}

TEST(Certificates, HaveNoEstimateWhereShorterStepsShareTheError) {
  RunEvidence run = evidence();
  run.signals.push_back({"error", series_of([](double t) { return 3e-5 * t; }), LevelHistory(kUnit)});
  run.error_by = "step halving";
  run.is_error_shared = true;
  run.changing = {"L"};
  EXPECT_TRUE(certify(run).holds()) << "it is not returned to";
  EXPECT_GT(certify(run).error->final, 0);
  run.policy.invariants = {"L"};
  const Certificate forced = certify(run);
  EXPECT_FALSE(forced.holds());
  EXPECT_TRUE(std::isnan(forced.error->final));
  EXPECT_EQ(forced.error->trend, Trend::unknown);
  EXPECT_NE(forced.error->evidence.find("no estimate"), std::string::npos);
  run.is_error_shared = false;  // the exact solution does not share it
  EXPECT_GT(certify(run).error->final, 0);
  EXPECT_FALSE(certify(run).holds());
}

TEST(Certificates, TellInvariantsThatAreReturnedTo) {
  RunEvidence run = evidence();
  run.signals.push_back({"invariants.L", series_of([](double t) { return 1e-9 * t; }), LevelHistory(kUnit)});
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::not_claimed);
  run.policy.invariants = {"L"};
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::broken);
}

TEST(Certificates, DoNotCallKeptWhatTheEquationsDoNotKeep) {
  RunEvidence run = evidence();
  run.signals.push_back({"invariants.L", series_of(noise), LevelHistory(kUnit)});
  run.policy.invariants = {"L"};
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::kept);
  run.changing = {"L"};
  EXPECT_EQ(verdict(run, "invariants.L"), Verdict::not_claimed);
}

TEST(Certificates, KeepNothingWithoutAStep) {
  RunEvidence run = evidence();
  EXPECT_TRUE(certify(run).holds());
  run.steps = 0;
  EXPECT_FALSE(certify(run).holds());
  for (const Finding& finding : certify(run).findings)
    EXPECT_EQ(finding.verdict, Verdict::unknown) << finding.structure;
}

TEST(Certificates, DoNotTakeABoundedErrorForOneOfRounding) {
  RunEvidence run = evidence();
  run.facts.keeps_energy = true;
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken);
  run.signals[1].series = series_of(noise);
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept);
}

// Of methods that are only symmetric bounded errors are expected, but not promised.
TEST(Certificates, ExpectMoreOfSymplecticMethodsThanOfSymmetricOnes) {
  RunEvidence run = evidence();
  run.facts.symplectic = false;
  EXPECT_EQ(verdict(run, "energy"), Verdict::kept);
  run.signals[1].series = series_of([](double t) { return 1e-4 * std::cos(3 * t) - 1e-5 * t; });
  EXPECT_EQ(verdict(run, "energy"), Verdict::not_claimed);
}

TEST(Certificates, KnowMotionThatIsNotBounded) {
  RunEvidence run = evidence();
  run.signals[1].series = series_of([](double t) { return 1e-10 * std::exp(0.2 * t); });
  run.signals[1].level.add(100, 1e9 * kUnit);
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken) << "levels say nothing about the size of H";
  run.signals[1].terms.add(100, 1e9);
  EXPECT_EQ(verdict(run, "energy"), Verdict::unknown);
}

// Large numbers at the end of a run that explodes have large rounding errors, which do not excuse what was before.
TEST(Certificates, AreBrokenByExplosions) {
  RunEvidence run = evidence();
  Series& energy = run.signals[1].series = Series();
  run.signals[1].level = run.signals[1].terms = LevelHistory();
  for (int k = 0; k <= 10; ++k) {
    energy.add(k, k == 0 ? 0 : std::pow(10, 3 * k));
    // Impulses are large from the start.
    run.signals[1].level.add(k, kUnit * std::pow(10, 3 * std::max(k, 3) + 1));
    run.signals[1].terms.add(k, std::pow(10, 3 * k + 1));
  }
  run.signals[1].level.add(11, std::numeric_limits<double>::infinity());
  run.signals[1].terms.add(11, std::numeric_limits<double>::infinity());
  EXPECT_EQ(verdict(run, "energy"), Verdict::broken) << "although there are few points";
  // Steps of which nothing is left cannot be judged, but break nothing.
  run.reversal->blurred = run.reversal->count;
  EXPECT_EQ(verdict(run, "reversibility"), Verdict::unknown);
}

TEST(Certificates, JudgeByTheLevelsOfTheTime) {
  RunEvidence run = evidence();
  run.signals[0].series = series_of([](double t) { return 1e-17 * (1 + t * t); });
  run.signals[0].level = LevelHistory();
  for (int k = 0; k <= 200; ++k) run.signals[0].level.add(k, 1e-17 * (1 + k * k));
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
  // Too large in the middle, and not at the end.
  run.signals[0].series = series_of([](double t) { return t < 110 ? 2e-10 : 0; });
  EXPECT_EQ(verdict(run, "position"), Verdict::broken);
  // A start at rest is measured by what follows it.
  run.signals[0].series = series_of([](double t) { return t < 1 ? 1e-14 : 0; });
  EXPECT_EQ(verdict(run, "position"), Verdict::kept);
}

TEST(Certificates, DoNotKnowWhatWasNotMeasuredToTheEnd) {
  RunEvidence run = evidence();
  run.signals[0].series = series_of([](double t) { return t < 5 ? 0 : std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_EQ(verdict(run, "position"), Verdict::unknown);
  run.signals[0].series =
      series_of([](double t) { return t < 5 ? 1e-9 * t : std::numeric_limits<double>::infinity(); });
  EXPECT_EQ(verdict(run, "position"), Verdict::broken);
}

TEST(Certificates, AreNotHeldByRunsThatEndEarly) {
  RunEvidence run = evidence();
  run.is_complete = false;
  EXPECT_FALSE(certify(run).holds());
}

}  // namespace
}  // namespace cotangent
