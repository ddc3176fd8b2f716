// A model from a file: its records and its table. Run as: 1_file models/pendulum.toml

#include <cotangent/cotangent.hpp>
#include <iostream>

int main(int, char** arguments) {
  using namespace cotangent;
  Run run(load_model(arguments[1], {"l=2", "x=2"}), {.method = "rattle", .step = 0.01, .end = 10, .every = 100});
  for (const Sample& sample : run.samples()) std::cout << sample.t << ' ' << sample["x"] << ' ' << sample["y"] << '\n';
  std::cout << run.table();
}
