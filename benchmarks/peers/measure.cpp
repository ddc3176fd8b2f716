#include "benchmarks/peers/measure.hpp"

#include <fmt/format.h>

#include <exception>
#include <set>

#include "benchmarks/clock.hpp"

namespace cotangent::peers {
namespace {

constexpr std::size_t kRounds = 9, kFewRounds = 3;
constexpr double kWarmUp = 0.1, kRound = 2e-3;  // seconds: reading the clock takes a microsecond
constexpr double kLong = 0.05, kLongest = 1;    // one that takes so long is done in few rounds, or not at all

double seconds(const std::function<void()>& work, long times) {
  const double begin = cpu_seconds();
  for (long k = 0; k < times; ++k) work();
  return (cpu_seconds() - begin) / static_cast<double>(times);
}

// How long it takes once everything that is made on the way exists.
double warm_up(const std::function<void()>& work) {
  double spent = 0, last = 0;
  while (spent < kWarmUp) spent += last = seconds(work, 1);
  return last;
}

double error_of(const Vector& z, const Vector& reference) {
  double error = 0;
  for (std::size_t k = 0; k < z.size(); ++k) error = std::max(error, std::abs(z[k] - reference[k]));
  return error;
}

}  // namespace

std::vector<Timing> time_in_turn(const std::vector<std::function<void()>>& work) {
  std::vector<double> about;
  for (const auto& each : work) about.push_back(warm_up(each));
  std::vector<std::vector<double>> samples(work.size());
  for (std::size_t round = 0; round < kRounds; ++round)
    for (std::size_t k = 0; k < work.size(); ++k)
      if (round < kFewRounds || about[k] < kLong)
        samples[k].push_back(seconds(work[k], std::max(1L, static_cast<long>(kRound / about[k]))));
  std::vector<Timing> timings;
  for (auto& of : samples) {
    std::sort(of.begin(), of.end());
    const double median = of[of.size() / 2];
    timings.push_back({median, (of[3 * of.size() / 4] - of[of.size() / 4]) / 2 / median});
  }
  return timings;
}

std::vector<Measured> measure(const Candidates& candidates, const Vector& reference,
                              std::vector<std::string>& left_out) {
  std::vector<Measured> measured;
  std::vector<std::function<void()>> work;
  std::set<std::string> slow;  // finer settings would take longer
  for (const Candidate& candidate : candidates) {
    if (slow.contains(candidate.method)) continue;
    const auto leave_out = [&](const std::string& why) {
      left_out.push_back(fmt::format("{} ({:g}): {}", candidate.method, candidate.setting, why));
    };
    try {
      const double begin = cpu_seconds();
      const double error = error_of(candidate.solve(), reference);
      if (const double taken = cpu_seconds() - begin; taken > kLongest) {
        leave_out(fmt::format("takes {:.1f} s", taken));
        slow.insert(candidate.method);
        continue;
      }
      measured.push_back({candidate.method, candidate.setting, error, {}});
      work.push_back([&candidate] { candidate.solve(); });
    } catch (const std::exception& failure) {
      const std::string why = failure.what();
      leave_out(why.substr(0, why.find('\n')));
    }
  }
  const auto timings = time_in_turn(work);
  for (std::size_t k = 0; k < measured.size(); ++k) measured[k].time = timings[k];
  return measured;
}

}  // namespace cotangent::peers
