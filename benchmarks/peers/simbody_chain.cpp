// Simbody: a chain as rigid bodies in joint angles, which needs no constraints, with two of its integrators. Its
// headers are not C++20, so this file is compiled as C++17.

#include "benchmarks/peers/simbody_chain.hpp"

#include <Simbody.h>

namespace cotangent::peers {

SimbodyEnd solve_by_simbody(std::size_t N, double first_rate, double end, SimbodyMethod method, double tolerance) {
  using SimTK::Vec3;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::UniformGravity gravity(forces, matter, Vec3(0, -1, 0));
  const SimTK::Body::Rigid mass(SimTK::MassProperties(1, Vec3(0), SimTK::Inertia(0)));
  std::vector<SimTK::MobilizedBody> links;
  for (std::size_t i = 0; i < N; ++i) {
    SimTK::MobilizedBody& parent = i == 0 ? matter.updGround() : links.back();
    links.push_back(
        SimTK::MobilizedBody::Pin(parent, SimTK::Transform(Vec3(0)), mass, SimTK::Transform(Vec3(-1, 0, 0))));
  }
  SimTK::State start = system.realizeTopology();
  system.realizeModel(start);
  links.front().setOneU(start, 0, first_rate);

  SimTK::RungeKuttaMersonIntegrator merson(system);
  SimTK::RungeKuttaFeldbergIntegrator fehlberg(system);
  SimTK::Integrator& integrator = method == SimbodyMethod::merson ? static_cast<SimTK::Integrator&>(merson) : fehlberg;
  integrator.setAccuracy(tolerance);
  SimTK::TimeStepper stepper(system, integrator);
  stepper.initialize(start);
  stepper.stepTo(end);

  const SimTK::State& state = stepper.getState();
  system.realize(state, SimTK::Stage::Velocity);
  SimbodyEnd result{std::vector<double>(4 * N), std::vector<double>(2 * N)};
  for (std::size_t i = 0; i < N; ++i) {
    const Vec3 at = links[i].getBodyOriginLocation(state), v = links[i].getBodyOriginVelocity(state);
    result.points[i] = at[0];
    result.points[N + i] = at[1];
    result.points[2 * N + i] = v[0];
    result.points[3 * N + i] = v[1];
    result.angles[i] = links[i].getOneQ(state, 0);
    result.angles[N + i] = links[i].getOneU(state, 0);
  }
  return result;
}

}  // namespace cotangent::peers
