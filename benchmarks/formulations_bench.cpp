// ./dev bench: what a right-hand side of each formulation costs, on a hanging chain (quadratic constraints, constant
// masses), per link and relative to `standard` in the same run. Times are the shortest of many, taken in turn.

#include "benchmarks/formulations_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/clock.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

struct Chain {
  explicit Chain(long N)
      : model(read_model(COTANGENT_SOURCE_DIR "/models/chain.toml", {fmt::format("N={}", N)})),
        system(std::make_shared<const Elements>(extract_elements(model)),
               has_jit() ? Backend::jit : Backend::interpreter),
        manifold(system),
        z(make_initial_data(model, manifold).z) {}

  Model model;
  System<double> system;
  Manifold<double> manifold;
  PhasePoint<double> z;
};

// A formulation on a chain, and the shortest time in which its field was found so far.
class Candidate {
 public:
  Candidate(Chain& chain, const FormulationEntry<double>& entry) : chain_(chain), name_(entry.facts.name) {
    // Full matrices: N^3.
    if (name_ == "lagrange-2" && chain.system.m() > 100) return;
    try {
      formulation_ = entry.make(chain.manifold);
    } catch (const std::invalid_argument&) {
      return;
    }
    own_.q = chain.z.q;
    own_.p = chain.z.p;
    formulation_->begin_step(chain.z, {});
    if (!formulation_->is_physical() && !formulation_->enter(chain.z, own_)) formulation_.reset();
    x_.resize(own_.q.size());
    y_ = x_;
  }

  const std::string& name() const { return name_; }
  bool applies() const { return formulation_ != nullptr; }
  double seconds() const { return best_; }

  // So often that it takes some milliseconds. The first time is for the cache.
  void measure() {
    evaluate();
    const double begin = cpu_seconds();
    double now = begin;
    do {
      for (int k = 0; k < batch_; ++k) evaluate();
      const double taken = cpu_seconds() - now;
      now += taken;
      best_ = std::min(best_, taken / batch_);
      if (taken < kBatch) batch_ *= 2;
    } while (now - begin < kRound);
  }

 private:
  void evaluate() {
    if (!formulation_->field({own_.q.data(), own_.p.data(), chain_.z.s.data(), 0}, x_.data(), y_.data(), s_.data()))
      throw std::runtime_error(name_ + ": no field");
  }

  Chain& chain_;
  std::string name_;
  std::unique_ptr<Formulation<double>> formulation_;
  OwnVariables<double> own_;
  std::vector<double> x_, y_, s_ = std::vector<double>(1);
  static constexpr double kBatch = 5e-5, kRound = 5e-3;  // seconds: reading the clock takes a microsecond
  double best_ = 1e9;
  int batch_ = 1;
};

// All of them in turn, again and again: whatever else the machine does meanwhile slows down all alike, and spares some
// rounds of each.
constexpr int kRounds = 30;

std::vector<Candidate> measured(Chain& chain) {
  std::vector<Candidate> candidates;
  for (const auto& entry : formulations<double>()) candidates.emplace_back(chain, entry);
  for (int round = 0; round < kRounds; ++round)
    for (auto& candidate : candidates)
      if (candidate.applies()) candidate.measure();
  return candidates;
}

}  // namespace

void bench_formulations() {
  const std::vector<long> sizes{100, 1000, 10000, 100000};
  fmt::print("\nRight-hand side of a hanging chain, ns per link (times `standard`)\n  {:<22}", "links");
  for (const long N : sizes) fmt::print("{:>18}", N);
  fmt::print("\n");
  std::vector<std::vector<Candidate>> results;
  std::vector<std::unique_ptr<Chain>> chains;
  for (const long N : sizes) {
    chains.push_back(std::make_unique<Chain>(N));
    results.push_back(measured(*chains.back()));
  }
  const auto standard = [](const std::vector<Candidate>& candidates) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [](const auto& each) { return each.name() == "standard"; })
        ->seconds();
  };
  for (std::size_t row = 0; row < results.front().size(); ++row) {
    fmt::print("  {:<22}", results.front()[row].name());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const Candidate& candidate = results[k][row];
      if (candidate.applies()) {
        fmt::print("{:>10.1f} ({:5.2f})", candidate.seconds() / static_cast<double>(sizes[k]) * 1e9,
                   candidate.seconds() / standard(results[k]));
      } else {
        fmt::print("{:>18}", "-");
      }
    }
    fmt::print("\n");
  }
}

}  // namespace cotangent
