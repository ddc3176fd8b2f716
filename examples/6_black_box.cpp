// A pendulum whose energy and constraint are C++ functions; docs/black-box.md explains it.
//
//   H = (p_x^2 + p_y^2)/2 + y,   g = (x^2 + y^2 - 1)/2

#include <cotangent/cotangent.hpp>
#include <iostream>

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

  // Before anything else: are the derivatives those of H and g?
  const BlackBoxCheck report = check(pendulum, {1.0, 0.1}, {0.0, -2.0});
  std::cout << report;
  if (!report.is_consistent()) return 1;

  // The rest, which is no function: names, where to start, what to record.
  ModelBuilder rest;
  const CoordinateTerm x = rest.coordinate("x"), y = rest.coordinate("y");
  rest.observable("angle", atan2(x, -y));
  rest.observable("tension", Term::named("lambda_rod"));
  rest.initial(x, 1), rest.initial(y, 0), rest.initial(x.p, 0), rest.initial(y.p, -2);

  Run run(build_model(rest, pendulum), {.method = "rattle", .step = 0.01, .end = 100, .every = 1000});
  for (const Sample& sample : run.samples())
    std::cout << sample.t << ' ' << sample["angle"] << ' ' << sample["tension"] << '\n';
  std::cout << run.table();
}
