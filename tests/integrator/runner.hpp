#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/mechanisms.hpp"

namespace cotangent::test {

/// A mechanism with everything that moves it, in arithmetic T.
template <class T>
struct Runner {
  explicit Runner(const Mechanism& mechanism, const std::string& method = "rattle",
                  Backend backend = Backend::interpreter)
      : model(read_model_text(mechanism.text, mechanism.name)),
        elements(regular_elements(model, notes)),
        system(elements, backend),
        manifold(system),
        integrator(find_method<T>(method).make(manifold)) {}

  Point<T> start() { return make_initial_data(model, manifold).z; }
  bool step(Point<T>& z, T h) {
    const auto report = integrator->step(z, h);
    EXPECT_EQ(report.status, StepStatus::ok)
        << describe(report.status) << ", residual " << static_cast<double>(report.residual);
    return report.status == StepStatus::ok;
  }
  Point<T> run(int steps, T end) {
    auto z = start();
    for (int k = 0; k < steps && step(z, end / steps); ++k) continue;
    return z;
  }

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
  std::unique_ptr<Integrator<T>> integrator;
};

}  // namespace cotangent::test
