#include "benchmarks/peers/measure.hpp"

#include <fmt/format.h>

#include <exception>

#include "benchmarks/clock.hpp"

namespace cotangent::peers {
namespace {

constexpr int kRounds = 9;
constexpr double kWarmUp = 0.1, kRound = 2e-3;  // seconds: reading the clock takes a microsecond
constexpr double kLongest = 3;

double seconds(const std::function<void()>& work, long times) {
  const double begin = cpu_seconds();
  for (long k = 0; k < times; ++k) work();
  return (cpu_seconds() - begin) / static_cast<double>(times);
}

// How often it is done in a round.
long warm_up(const std::function<void()>& work) {
  double spent = 0, last = 0;
  while (spent < kWarmUp) spent += last = seconds(work, 1);
  return std::max(1L, static_cast<long>(kRound / last));
}

double error_of(const Vector& z, const Vector& reference) {
  double error = 0;
  for (std::size_t k = 0; k < z.size(); ++k) error = std::max(error, std::abs(z[k] - reference[k]));
  return error;
}

}  // namespace

std::vector<Timing> time_in_turn(const std::vector<std::function<void()>>& work) {
  std::vector<long> times;
  for (const auto& each : work) times.push_back(warm_up(each));
  std::vector<std::vector<double>> samples(work.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t k = 0; k < work.size(); ++k) samples[k].push_back(seconds(work[k], times[k]));
  std::vector<Timing> timings;
  for (auto& of : samples) {
    std::sort(of.begin(), of.end());
    const double median = of[kRounds / 2];
    timings.push_back({median, (of[3 * kRounds / 4] - of[kRounds / 4]) / 2 / median});
  }
  return timings;
}

std::vector<Measured> measure(const Candidates& candidates, const Vector& reference,
                              std::vector<std::string>& left_out) {
  std::vector<Measured> measured;
  std::vector<std::function<void()>> work;
  for (const Candidate& candidate : candidates) {
    try {
      candidate.solve();  // what is made once is no part of the time
      const double begin = cpu_seconds();
      const double error = error_of(candidate.solve(), reference);
      if (const double taken = cpu_seconds() - begin; taken > kLongest) {
        left_out.push_back(fmt::format("{} ({:g}) takes {:.0f} s", candidate.method, candidate.setting, taken));
        continue;
      }
      measured.push_back({candidate.method, candidate.setting, error, {}});
      work.push_back([&candidate] { candidate.solve(); });
    } catch (const std::exception& failure) {
      left_out.push_back(fmt::format("{} ({:g}): {}", candidate.method, candidate.setting, failure.what()));
    }
  }
  const auto timings = time_in_turn(work);
  for (std::size_t k = 0; k < measured.size(); ++k) measured[k].time = timings[k];
  return measured;
}

}  // namespace cotangent::peers
