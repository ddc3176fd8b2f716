#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/pace/density_control.hpp"
#include "cotangent/simulation/simulate.hpp"

namespace cotangent::test {

/// Of Kepler's problem with half axis one.
constexpr double kPeriod = 2 * M_PI;

inline AdaptiveOptions options(Controller controller, double tolerance, double end) {
  AdaptiveOptions result;
  result.tolerance.relative = tolerance;
  result.controller = controller;
  result.end = end;
  return result;
}

/// Kepler's problem from the perihelion; the period is 2 pi.
inline std::string kepler(const std::string& eccentricity) {
  return "[parameters]\necc = " + eccentricity + R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)"
[initial]
x = "1 - ecc"
y = 0
p_x = 0
p_y = "sqrt((1 + ecc)/(1 - ecc))"
)toml";
}

/// A pendulum that swings into a soft wall, where its frequency is more than ten times that of the free swing.
inline constexpr const char* kBumper = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y + 0.002*exp(-14*x)"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 0.9
y = "-sqrt(1 - x^2)"
p_x = 0
p_y = 0
)toml";

/// A pendulum on a moving pivot, with friction and a state: nothing is separable, nothing autonomous.
inline constexpr const char* kDriven = R"toml(
[system]
coordinates = ["x", "y"]
states = ["heat"]
hamiltonian = "(p_x^2 + p_y^2)/(2 + x^2) + y"
[constraints]
rod = "(x - sin(2*t)/2)^2 + y^2 = 1"
[forces]
x = "-v_x/5"
y = "-v_y/5"
[equations]
heat = "(v_x^2 + v_y^2)/5 - heat/10"
[initial]
x = 0.6
y = -0.8
p_x = 0.5
p_y = 0.2
heat = 0
)toml";

/// Keeps what is recorded.
template <class T>
class Track final : public Recorder<T> {
 public:
  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override {
    points.push_back(z);
    if (!monitors.list().empty()) energies.push_back(monitors.list()[0]->current());
  }
  std::vector<PhasePoint<T>> points;
  std::vector<T> energies;
};

/// A model with everything that moves it.
template <class T>
struct Orbit {
  Orbit(const std::string& text, const std::string& method, Projection projection = Projection::none,
        const std::string& formulation = {}, Backend backend = Backend::interpreter)
      : model(read_model_text(text, "test.toml")),
        system(std::make_shared<const Elements>(extract_elements(model)), backend),
        manifold(system),
        make([=, this] { return find_method<T>(method).make(manifold, formulation); }),
        policy{.projection = projection},
        integrator(with_projection(make(), manifold, policy)),
        monitors({"energy", "position", "momentum"}, manifold) {}

  PhasePoint<T> start() { return make_initial_data(model, manifold).z; }

  /// Steps that estimate their errors, from now on.
  void estimate() { integrator = with_projection(with_estimate(make()), manifold, policy); }

  Summary run(const AdaptiveOptions& options, Integrator<T>* other = nullptr, StepDensity<T>* density = nullptr) {
    z = start();
    if (options.controller == Controller::pi) estimate();
    return simulate<T>({other ? *other : *integrator, monitors, manifold, &track}, options, z, density);
  }

  Model model;
  System<T> system;
  Manifold<T> manifold;
  std::function<std::unique_ptr<Integrator<T>>()> make;
  ProjectionPolicy policy;
  std::unique_ptr<Integrator<T>> integrator;
  MonitorSet<T> monitors;
  Track<T> track;
  Point<T> z;
};

}  // namespace cotangent::test
