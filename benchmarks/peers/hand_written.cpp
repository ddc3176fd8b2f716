// RATTLE and the constrained Taylor method by hand, where benchmarks/hand_written has them.

#include <stdexcept>

#include "benchmarks/hand_written/chain.hpp"
#include "benchmarks/hand_written/pendulum.hpp"
#include "benchmarks/hand_written/taylor.hpp"
#include "benchmarks/hand_written/water.hpp"
#include "benchmarks/peers/peers.hpp"

namespace cotangent::peers {
namespace {

constexpr double kSteps[] = {0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
constexpr int kOrders[] = {6, 8, 10, 12, 15, 18, 20};

void expect(bool converged) {
  if (!converged) throw std::runtime_error("RATTLE by hand: a step failed");
}

Vector solve_by_rattle(const Pendulum& problem, double h) {
  const Vector& z = problem.task.start;
  hand_written::PendulumState<double> state{z[0], z[1], z[2], z[3]};
  expect(hand_written::advance(hand_written::Pendulum{}, state, h, step_count(problem.task, h)));
  return {state.x, state.y, state.px, state.py};
}

Vector solve_by_rattle(const Chain& problem, double h) {
  hand_written::Chain chain(problem.N);
  expect(chain.advance(h, step_count(problem.task, h)));
  Vector z;
  for (const auto* part : {&chain.x, &chain.y, &chain.px, &chain.py})
    z.insert(z.end(), part->begin() + 1, part->end() - 1);
  return z;
}

Vector solve_by_rattle(const Droplet& problem, double h) {
  const std::size_t sites = problem.sites();
  Vector r(3 * sites), v(3 * sites), z(6 * sites);
  Droplet::by_component(sites, problem.task.start.data(), r.data());
  Droplet::by_component(sites, problem.task.start.data() + 3 * sites, v.data());
  hand_written::WaterRattle water(std::move(r), std::move(v));
  expect(water.advance(h, step_count(problem.task, h)));
  Droplet::by_site(sites, water.r().data(), z.data());
  Droplet::by_site(sites, water.v().data(), z.data() + 3 * sites);
  return problem.momenta(z);
}

template <int K>
Vector solve_by_taylor(const Pendulum& problem) {
  std::array<double, 4> z = start_of(problem);
  hand_written::advance_pendulum<K>(z, problem.task.end);
  return {z.begin(), z.end()};
}

Vector solve_by_taylor(const Pendulum& problem, int order) {
  switch (order) {
    case 6:
      return solve_by_taylor<6>(problem);
    case 8:
      return solve_by_taylor<8>(problem);
    case 10:
      return solve_by_taylor<10>(problem);
    case 12:
      return solve_by_taylor<12>(problem);
    case 15:
      return solve_by_taylor<15>(problem);
    case 18:
      return solve_by_taylor<18>(problem);
    default:
      return solve_by_taylor<20>(problem);
  }
}

Vector solve_by_taylor(const Chain& problem, int order) {
  Vector z = problem.task.start;
  hand_written::TaylorChain chain(problem.N, order);
  Chain::Field<double> field(problem);
  chain.advance(z.data(), problem.task.end, [&](double* at) { field.project(at); });
  return z;
}

}  // namespace

template <class P>
void add_hand_written(const P& problem, Candidates& candidates) {
  if constexpr (requires { solve_by_rattle(problem, 0.0); }) {
    for (const double step : kSteps) {
      const double h = step * problem.task.unit;
      candidates.push_back({"RATTLE by hand", h, [&problem, h] { return solve_by_rattle(problem, h); }});
    }
  }
  if constexpr (requires { solve_by_taylor(problem, 0); }) {
    for (const int order : kOrders)
      candidates.push_back({"Taylor by hand", static_cast<double>(order),
                            [&problem, order] { return solve_by_taylor(problem, order); }});
  }
}

COTANGENT_FOR_PROBLEMS(add_hand_written)
template void add_hand_written(const Droplet&, Candidates&);

}  // namespace cotangent::peers
