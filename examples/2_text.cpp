// A model from a text, with mistakes caught, a callback for its records, and a certificate.

#include <cotangent/cotangent.hpp>
#include <iostream>

constexpr const char* kPendulum = R"(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = -2
)";

int main() {
  using namespace cotangent;
  try {
    parse_model("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_y^2/2\"");
  } catch (const ModelError& error) {
    std::cout << "a mistake is shown where it is:\n" << error.what() << "\n\n";
  }

  Run run(parse_model(kPendulum), {.method = "gauss:2", .step = 0.01, .end = 10, .certify = true, .every = 250});
  run.on_sample([](const Sample& sample) { std::cout << sample.t << ' ' << sample["energy"] << '\n'; });
  const Summary summary = run();
  std::cout << run.table();
  return summary.outcome == Outcome::done ? 0 : 1;
}
