// A loop of one's own: steps until something happens.

#include <cotangent/cotangent.hpp>
#include <iostream>

int main(int, char** arguments) {
  using namespace cotangent;
  Run run(load_model(arguments[1]), {.method = "project:both(rk4)", .step = 0.01, .end = 10});
  while (run.now()["x"] > 0)
    if (!run.step(0.001)) return 1;
  const Sample sample = run.now();
  std::cout << "x = 0 after t = " << sample.t << ", at the height y = " << sample["y"] << '\n';
}
