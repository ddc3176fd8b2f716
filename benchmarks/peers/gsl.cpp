// GSL's Dormand-Prince 8(7) with projection after every step, and its Adams method.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include <memory>
#include <stdexcept>

#include "benchmarks/peers/peers.hpp"

namespace cotangent::peers {

template <class P>
Vector solve_by_gsl(const P& problem, const gsl_odeiv2_step_type* type, double tolerance, bool projects) {
  using Field = typename P::template Field<double>;
  Field field(problem);
  Vector z = problem.task.start;
  gsl_odeiv2_system system{[](double, const double* x, double* rate, void* self) {
                             (*static_cast<Field*>(self))(x, rate);
                             return static_cast<int>(GSL_SUCCESS);
                           },
                           nullptr, z.size(), &field};
  const std::unique_ptr<gsl_odeiv2_driver, decltype(&gsl_odeiv2_driver_free)> driver(
      gsl_odeiv2_driver_alloc_y_new(&system, type, 1e-2, tolerance, tolerance), gsl_odeiv2_driver_free);
  double t = 0, h = 1e-2;
  while (t < problem.task.end) {
    if (gsl_odeiv2_evolve_apply(driver->e, driver->c, driver->s, &system, &t, problem.task.end, &h, z.data()) !=
        GSL_SUCCESS)
      throw std::runtime_error("gsl: a step failed");
    if (projects) field.project(z.data());
  }
  return problem.momenta(z);
}

template <class P>
void add_gsl(const P& problem, Candidates& candidates) {
  for (const double tolerance : kTolerances) {
    candidates.push_back({"GSL rk8pd", tolerance, [&problem, tolerance] {
                            return solve_by_gsl(problem, gsl_odeiv2_step_rk8pd, tolerance, true);
                          }});
    candidates.push_back({"GSL msadams", tolerance, [&problem, tolerance] {
                            return solve_by_gsl(problem, gsl_odeiv2_step_msadams, tolerance, false);
                          }});
  }
}

COTANGENT_FOR_PROBLEMS(add_gsl)

}  // namespace cotangent::peers
