// Boost.odeint with right-hand sides by hand, and with projection after every step.
#include <boost/numeric/odeint.hpp>

#include "benchmarks/peers/peers.hpp"

namespace cotangent::peers {
namespace {

/// A field by hand as odeint wants it.
template <class P>
struct OdeintField {
  typename P::template Field<double>* field;
  void operator()(const State<P>& z, State<P>& rate, double /*t*/) const { (*field)(z.data(), rate.data()); }
};

/// Steps of lengths that the stepper chooses, the last one cut.
template <class P, class Stepper>
Vector solve_by_odeint(const P& problem, Stepper stepper) {
  typename P::template Field<double> field(problem);
  State<P> z = start_of(problem);
  double t = 0, h = 1e-2 * problem.task.unit;
  const double end = problem.task.end, rounding = 1e-14 * end;
  while (end - t > rounding) {
    h = std::min(h, end - t);
    if (stepper.try_step(OdeintField<P>{&field}, z, t, h) != boost::numeric::odeint::success) continue;
    field.project(z.data());
    // What it remembers of the end of the step was the rate before the projection.
    if constexpr (requires { stepper.reset(); }) stepper.reset();
  }
  return end_of(problem, z);
}

/// Equal steps of a method without control of the error.
template <class P, class Stepper>
Vector solve_by_odeint_steps(const P& problem, Stepper stepper, long steps) {
  typename P::template Field<double> field(problem);
  State<P> z = start_of(problem);
  const double h = problem.task.end / static_cast<double>(steps);
  for (long k = 0; k < steps; ++k) {
    stepper.do_step(OdeintField<P>{&field}, z, static_cast<double>(k) * h, h);
    field.project(z.data());
    if constexpr (requires { stepper.reset(); }) stepper.reset();
  }
  return end_of(problem, z);
}

}  // namespace

template <class P>
void add_odeint(const P& problem, Candidates& candidates) {
  using namespace boost::numeric::odeint;
  using Z = State<P>;
  for (const double tolerance : kTolerances) {
    candidates.push_back({"odeint rkf78", tolerance, [&problem, tolerance] {
                            return solve_by_odeint(problem,
                                                   make_controlled<runge_kutta_fehlberg78<Z>>(tolerance, tolerance));
                          }});
    candidates.push_back({"odeint dopri5", tolerance, [&problem, tolerance] {
                            return solve_by_odeint(problem,
                                                   make_controlled<runge_kutta_dopri5<Z>>(tolerance, tolerance));
                          }});
    candidates.push_back({"odeint Bulirsch-Stoer", tolerance, [&problem, tolerance] {
                            return solve_by_odeint(problem, bulirsch_stoer<Z>(tolerance, tolerance));
                          }});
  }
}

template <class P>
void add_odeint_steps(const P& problem, double h, Candidates& candidates) {
  using namespace boost::numeric::odeint;
  using Z = State<P>;
  const long steps = step_count(problem.task, h);
  candidates.push_back(
      {"odeint rk4", h, [&problem, steps] { return solve_by_odeint_steps(problem, runge_kutta4<Z>(), steps); }});
  candidates.push_back({"odeint dopri5", h,
                        [&problem, steps] { return solve_by_odeint_steps(problem, runge_kutta_dopri5<Z>(), steps); }});
  candidates.push_back({"odeint rkf78", h, [&problem, steps] {
                          return solve_by_odeint_steps(problem, runge_kutta_fehlberg78<Z>(), steps);
                        }});
}

COTANGENT_FOR_PROBLEMS(add_odeint)
template void add_odeint(const Droplet&, Candidates&);
template void add_odeint_steps(const Pendulum&, double, Candidates&);
template void add_odeint_steps(const Chain&, double, Candidates&);

}  // namespace cotangent::peers
