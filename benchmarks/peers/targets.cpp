#include "benchmarks/peers/targets.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "benchmarks/hand_written/chain.hpp"
#include "benchmarks/peers/peers.hpp"
#include "benchmarks/peers/program_run.hpp"
#include "benchmarks/tuned/chain.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent::peers {
namespace {

using Work = std::function<void()>;

Target ratio(std::string what, double most, const Work& ours, const Work& theirs) {
  const auto timings = time_in_turn({ours, theirs});
  return {std::move(what), timings[0].seconds / timings[1].seconds, most,
          std::hypot(timings[0].noise, timings[1].noise)};
}

// The right-hand side of `standard`, called often enough to be timed.
template <class P>
Target field_target(const P& problem, double most) {
  constexpr int kTimes = 100;
  const Model model = read_model(std::string(COTANGENT_SOURCE_DIR "/") + problem.task.model, problem.task.set);
  System<double> system(std::make_shared<const Elements>(extract_elements(model)),
                        has_jit() ? Backend::jit : Backend::interpreter);
  Manifold<double> manifold(system);
  const PhasePoint<double> z = make_initial_data(model, manifold).z;
  const auto formulation = find_formulation<double>("standard").make(manifold);
  formulation->begin_step(z, {});
  Vector q_rate(z.q.size()), p_rate(z.q.size()), s_rate(1), rate(2 * z.q.size());
  typename P::template Field<double> by_hand(problem);
  return ratio(
      fmt::format("field of `standard`, {}, by hand 1", problem.task.title), most,
      [&] {
        for (int k = 0; k < kTimes; ++k)
          if (!formulation->field({z.q.data(), z.p.data(), z.s.data(), 0}, q_rate.data(), p_rate.data(), s_rate.data()))
            throw std::runtime_error("no field");
      },
      [&] {
        for (int k = 0; k < kTimes; ++k) by_hand(problem.task.start.data(), rate.data());
      });
}

// A method with the same steps in the program and in odeint, both with projection.
template <class P>
void add_step_targets(const P& problem, double h, std::vector<Target>& targets) {
#if COTANGENT_HAS_ODEINT
  Candidates theirs;
  add_odeint_steps(problem, h, theirs);
  for (const Candidate& candidate : theirs) {
    const std::string method = candidate.method.substr(std::string("odeint ").size());
    ProgramRun run(problem.task, {{"method", method}, {"step", fmt::format("{:g}", h)}, {"monitor", "none"}});
    targets.push_back(ratio(
        fmt::format("`{}` with projection, h = {:g}, {}, odeint 1", method, h, problem.task.name), 1.3, [&] { run(); },
        [&] { candidate.solve(); }));
  }
#else
  static_cast<void>(problem), static_cast<void>(h), static_cast<void>(targets);
#endif
}

// Implicit methods, per evaluation of the field, against dop853.
template <class P>
void add_implicit_targets(const P& problem, double h, std::vector<Target>& targets) {
  const auto run_of = [&](const char* method) {
    return std::make_unique<ProgramRun>(
        problem.task, PlanWords{{"method", method}, {"step", fmt::format("{:g}", h)}, {"monitor", "none"}});
  };
  const auto explicit_run = run_of("dop853");
  const auto evaluations = static_cast<double>((*explicit_run)().counts.rhs);
  for (const char* method : {"gauss:2", "gauss:3", "lobatto:3"}) {
    const auto run = run_of(method);
    const double scale = evaluations / static_cast<double>((*run)().counts.rhs);
    Target target = ratio(
        fmt::format("`{}` per evaluation, h = {:g}, {}, `dop853` 1", method, h, problem.task.name), 3,
        [&] { (*run)(); }, [&] { (*explicit_run)(); });
    target.figure *= scale;
    targets.push_back(target);
  }
}

Target gauss_target(const Pendulum& problem) {
  ProgramRun run(problem.task, {{"method", "gauss:2"}, {"step", "0.05"}, {"monitor", "none"}});
  const auto steps = static_cast<double>(run().steps);
  const Timing time = time_in_turn({[&] { run(); }}).front();
  return {"`gauss:2`, pendulum, h = 0.05, us per step", time.seconds / steps * 1e6, 1.2, time.noise};
}

Target watched_target(const Pendulum& problem) {
  Task task = problem.task;
  task.end = 1000;  // 100 000 steps
  ProgramRun plain(task, {{"method", "rattle"}, {"step", "0.01"}, {"monitor", "none"}});
  ProgramRun watched(task, {{"method", "rattle"}, {"step", "0.01"}, {"monitor", "energy,position,momentum"}});
  return ratio(
      "`rattle` with energy and residuals at every step, pendulum, t = 1000, unwatched 1", 2, [&] { watched(); },
      [&] { plain(); });
}

Target tuned_target(const Chain& problem) {
  constexpr double h = 0.01;
  const long steps = step_count(problem.task, h);
  Vector q(2 * problem.N), p(2 * problem.N);  // x_1, y_1, x_2, ...
  for (std::size_t i = 0; i < problem.N; ++i) q[2 * i] = problem.task.start[i];
  ProgramRun run(problem.task, {{"method", "rattle"}, {"step", fmt::format("{:g}", h)}, {"monitor", "none"}});
  return ratio(
      fmt::format("`rattle`, chain of {}, tuned by hand 1", problem.N), 2, [&] { run(); },
      [&] {
        tuned::Chain chain(static_cast<std::int64_t>(problem.N));
        chain.set(q.data(), p.data());
        if (!chain.advance(h, steps).converged) throw std::runtime_error("tuned chain");
      });
}

Target water_target(const Droplet& problem) {
  constexpr double h = 0.0005;
  Vector r(3 * problem.sites()), v(r);
  Droplet::by_component(problem.sites(), problem.task.start.data(), r.data());
  ProgramRun run(problem.task, {{"method", "rattle"}, {"step", fmt::format("{:g}", h)}, {"monitor", "none"}});
  return ratio(
      fmt::format("`rattle`, {}, by hand 1", problem.task.title), 2, [&] { run(); },
      [&] {
        hand_written::WaterRattle water(r, v);
        if (!water.advance(h, step_count(problem.task, h))) throw std::runtime_error("water by hand");
      });
}

}  // namespace

std::vector<Target> measure_targets() {
  const Pendulum small = pendulum(100);
  const Chain ten = chain(10, 5), hundred = chain(100, 5), thousand = chain(1000, 1);
  std::vector<Target> targets;
  targets.push_back(field_target(small, 2));
  targets.push_back(field_target(hundred, 1.3));
  targets.push_back(field_target(thousand, 1.3));
  add_step_targets(small, 0.02, targets);
  add_step_targets(ten, 0.01, targets);
  add_step_targets(hundred, 0.005, targets);
  add_step_targets(thousand, 0.005, targets);
  targets.push_back(gauss_target(small));
  add_implicit_targets(small, 0.05, targets);
  add_implicit_targets(ten, 0.01, targets);
  add_implicit_targets(hundred, 0.01, targets);
  targets.push_back(watched_target(small));
  targets.push_back(tuned_target(hundred));
  targets.push_back(tuned_target(thousand));
  targets.push_back(water_target(droplet(6)));
  return targets;
}

}  // namespace cotangent::peers
