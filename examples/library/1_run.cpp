// The pendulum, from a file and from a text: cotangent/docs/library.md.

#include <cotangent/cotangent.hpp>
#include <iostream>

int main(int, char** arguments) {
  using namespace cotangent;
  const Model model = load_model(arguments[1], {"l=2"});
  Run run(model, {.method = "rattle", .step = 0.01, .end = 10, .every = 100});
  for (const Sample& sample : run.samples()) std::cout << sample.t << ' ' << sample["x"] << ' ' << sample["y"] << '\n';
  std::cout << run.table();

  Run own(model, {.method = "project:both(rk4)", .step = 0.01, .end = 10});
  while (own.now()["x"] > 0)
    if (!own.step(0.001)) return 1;
  std::cout << "x = 0 after t = " << own.now().t << '\n';
}
