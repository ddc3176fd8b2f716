// Models made with operators: a pendulum, and a chain with as many links as one likes.

#include <cotangent/cotangent.hpp>
#include <iostream>

using namespace cotangent;

Model pendulum() {
  ModelBuilder model("A pendulum");
  const Term m = model.parameter("m", 1), l = model.parameter("l", 2), g = model.parameter("g", 9.81);
  const CoordinateTerm x = model.coordinate("x"), y = model.coordinate("y");
  model.hamiltonian((pow(x.p, 2) + pow(y.p, 2)) / (2 * m) + m * g * y);
  const Term lambda = model.constraint("rod", pow(x, 2) + pow(y, 2) == pow(l, 2));
  model.observable("tension", 2 * l * lambda);
  model.initial(x, l), model.initial(y, 0), model.initial(x.p, 0), model.initial(y.p, 0);
  return build_model(model);
}

Model chain(int links) {
  ModelBuilder model("A chain");
  const Term N = model.parameter("N", links);
  const CoordinateTerm r = model.coordinate("r", {N, 3});
  const Index i("i", 1, N), next("i", 2, N);
  model.hamiltonian(sum(i, norm2(r.p(i)) / 2 + r(i, 3)));
  model.constraint("anchor", norm2(r(1)) == 1);
  model.constraint("rod", norm2(r(next) - r(next - 1)) == 1, {next});
  model.initial(r, vector_of({i, 0, 0}));
  model.initial(r.p, 0);
  return build_model(model);
}

int main() {
  Run swing(pendulum(), {.method = "rattle", .step = 0.01, .end = 1, .every = 20});
  for (const Sample& sample : swing.samples()) std::cout << sample.t << ' ' << sample["tension"] << '\n';

  Run fall(chain(1000), {.method = "rattle", .step = 0.001, .end = 0.1});
  fall();
  std::cout << fall.table();
}
