// ./dev bench peers: the program against other programs and against code by hand, on the same problems, to the same
// errors.
//
//   ./dev bench peers              everything; writes docs/benchmarks.md
//   ./dev bench peers P1 P2-10     these problems only, as a table
//   ./dev bench peers targets      the targets only

#include <fmt/format.h>

#include <set>

#include "benchmarks/peers/peers.hpp"
#include "benchmarks/peers/reference.hpp"
#include "benchmarks/peers/report.hpp"
#include "benchmarks/peers/targets.hpp"

namespace cotangent::peers {
namespace {

std::vector<std::string> absent_peers() {
  std::vector<std::string> absent;
  const auto note = [&](bool is_there, const char* name) {
    if (!is_there) absent.push_back(name);
  };
  note(COTANGENT_HAS_ODEINT, "Boost.odeint (libboost-dev)");
  note(COTANGENT_HAS_GSL, "GSL (libgsl-dev)");
  note(COTANGENT_HAS_SUNDIALS, "SUNDIALS (libsundials-dev)");
  note(COTANGENT_HAS_SIMBODY, "Simbody (libsimbody-dev)");
  return absent;
}

template <class P>
Result measure_all(const P& problem) {
  const Reference reference = reference_of(problem, COTANGENT_REFERENCE_FOLDER);
  Candidates candidates;
  add_program(problem, candidates);
  add_hand_written(problem, candidates);
#if COTANGENT_HAS_ODEINT
  add_odeint(problem, candidates);
#endif
  if constexpr (!std::is_same_v<P, Droplet>) {  // there a field is all that costs: one way of counting evaluations is
                                                // enough
#if COTANGENT_HAS_GSL
    add_gsl(problem, candidates);
#endif
#if COTANGENT_HAS_SUNDIALS
    add_sundials(problem, candidates);
#endif
#if COTANGENT_HAS_SIMBODY
    add_simbody(problem, candidates);
#endif
  }
  Result result{problem.task, reference.error, {}, {}};
  result.measured = measure(candidates, reference.z, result.left_out);
  return result;
}

class Session {
 public:
  explicit Session(std::set<std::string> wanted) : wanted_(std::move(wanted)) {}

  bool is_wanted(const std::string& name) const { return wanted_.empty() || wanted_.contains(name); }

  template <class P>
  void add(const P& problem) {
    if (!is_wanted(problem.task.name)) return;
    fmt::print(stderr, "{}: {}\n", problem.task.name, problem.task.title);
    results_.push_back(measure_all(problem));
  }

  void finish() {
    const std::vector<Target> targets = is_wanted("targets") ? measure_targets() : std::vector<Target>();
    if (!results_.empty()) fmt::print("{}\n", ratio_table(results_));
    if (!targets.empty()) fmt::print("{}\n", target_table(targets));
    for (const Result& result : results_)
      for (const std::string& each : result.left_out) fmt::print("{}: left out: {}\n", result.task.name, each);
    for (const std::string& each : absent_peers()) fmt::print("{} is not installed and was left out.\n", each);
    if (wanted_.empty()) write_page(COTANGENT_SOURCE_DIR "/docs", results_, targets, absent_peers());
  }

 private:
  std::set<std::string> wanted_;
  std::vector<Result> results_;
};

}  // namespace
}  // namespace cotangent::peers

int main(int argc, char** argv) {
  using namespace cotangent::peers;
  Session session(std::set<std::string>(argv + 1, argv + argc));
  session.add(pendulum(100));
  session.add(pendulum(10'000));
  for (const std::size_t N : {10, 100, 1000}) session.add(chain(N, 5));
  session.add(chain(10'000, 0.5));
  session.add(chain(100'000, 0.1));
  session.add(polymer(100));
  session.add(four_bar());
  session.add(droplet(6));
  for (const std::size_t N : {7, 20, 50, 100}) session.add(arm(N));
  session.finish();
}
