#include <cotangent/cotangent.hpp>
#include <iostream>

int main(int, char** arguments) {
  cotangent::Run run(cotangent::load_model(arguments[1]), {.step = 0.01, .end = 1});
  const cotangent::Summary summary = run();
  std::cout << describe(summary.outcome) << ' ' << summary.time << '\n';
}
