// A pendulum whose energy and constraint are C++ functions; docs/black-box.md explains it.
//
//   H = (p_x^2 + p_y^2)/2 + y,   g = (x^2 + y^2 - 1)/2

#include <cstdio>
#include <iostream>

#include "cotangent/integrator/registry.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/system/black_box.hpp"
#include "cotangent/system/black_box_check.hpp"
#include "cotangent/system/system.hpp"

int main() {
  using namespace cotangent;

  BlackBox pendulum;
  pendulum.n = 2;
  pendulum.m = 1;
  pendulum.H = [](const double* q, const double* p, double) { return (p[0] * p[0] + p[1] * p[1]) / 2 + q[1]; };
  pendulum.H_q = [](const double*, const double*, double, double* out) {
    out[0] = 0;
    out[1] = 1;
  };
  pendulum.H_p = [](const double*, const double* p, double, double* out) {
    out[0] = p[0];
    out[1] = p[1];
  };
  pendulum.g = [](const double* q, double, double* out) { out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; };
  pendulum.G = [](const double* q, double, double* out) {
    out[0] = q[0];
    out[1] = q[1];
  };
  pendulum.is_separable = true;
  pendulum.constraint_names = {"rod"};

  // A starting point near the manifold.
  System<double> system(pendulum);
  Manifold<double> manifold(system);
  PhasePoint<double> z(system.n(), system.state_count());
  z.q = {1.0, 0.1};
  z.p = {0.0, -2.0};

  // Before anything else: are the derivatives those of H and g?
  const BlackBoxCheck report = check(pendulum, z.q, z.p);
  std::cout << report;
  if (!report.is_consistent()) return 1;

  if (!manifold.project_position(z).converged || !manifold.project_momentum(z).converged) {
    std::puts("there is no point of the manifold near the given one");
    return 1;
  }

  const double before = pendulum.H(z.q.data(), z.p.data(), 0);
  const auto rattle = find_method<double>("rattle").make(manifold);
  Point<double> point = z;
  for (int k = 0; k < 10000; ++k) {
    const auto step = rattle->step(point, 0.01);
    if (step.status != StepStatus::ok) {
      std::printf("t = %g: %s\n", point->t, describe(step.status));
      return 1;
    }
  }
  std::printf("t = %g: q = (%.12f, %.12f)\n", point->t, point->q[0], point->q[1]);
  std::printf("|g| = %.1e, energy error %.1e\n", manifold.position_residual(point->q.data(), point->t).value,
              pendulum.H(point->q.data(), point->p.data(), 0) - before);
}
