// One model in several threads: a run for each starting velocity. What is compiled is compiled once.

#include <cotangent/cotangent.hpp>
#include <iostream>
#include <thread>
#include <vector>

int main(int, char** arguments) {
  using namespace cotangent;
  const Model model = load_model(arguments[1]);
  std::vector<double> heights(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < heights.size(); ++k)
    threads.emplace_back([&, k] {
      Run run(with_values(model, {"p_y=" + std::to_string(-static_cast<int>(k))}),
              {.method = "rattle", .step = 0.01, .end = 5, .every = 10});
      for (const Sample& sample : run.samples()) heights[k] = std::max(heights[k], sample["y"]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const double height : heights) std::cout << "highest: " << height << '\n';
}
