#include <gtest/gtest.h>

#include <memory>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {
namespace {

/// A particle in the plane with two invariants, one of them a vector, and an observable of its velocity.
template <class T>
struct Particle {
  Particle() {
    Model model = read_model_text(R"toml(
[parameters]
m = 2
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2*m)"
[constraints]
line = "y = 0"
[initial]
x = 1
y = 0
p_x = 3
p_y = 0
)toml",
                                  "test.toml");
    const auto named = [&](const char* name, std::vector<const char*> components) {
      NamedValues values;
      values.name = name;
      values.is_vector = components.size() > 1;
      for (const char* text : components) values.components.push_back(read_expression(model, text));
      return values;
    };
    model.invariants = {named("L", {"x*p_y - y*p_x"}), named("P", {"m*v_x", "p_y"})};
    model.observables = {named("speed", {"v_x"})};
    system =
        std::make_unique<System<T>>(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter);
    manifold = std::make_unique<Manifold<T>>(*system);
  }

  PhasePoint<T> point(double x, double y, double p_x, double p_y) const {
    PhasePoint<T> z(2, system->state_count());
    z.q = {T(x), T(y)};
    z.p = {T(p_x), T(p_y)};
    return z;
  }

  std::unique_ptr<System<T>> system;
  std::unique_ptr<Manifold<T>> manifold;
};

template <class T>
class Invariants : public testing::Test {};
using Types = testing::Types<double, Quad, Lanes>;
TYPED_TEST_SUITE(Invariants, Types);

TYPED_TEST(Invariants, AreWatchedWhateverElseIs) {
  using T = TypeParam;
  const Particle<T> particle;
  MonitorSet<T> set({}, *particle.manifold);
  ASSERT_EQ(set.list().size(), 2u);
  EXPECT_EQ(set.list()[0]->full_name(), "invariants.L");
  EXPECT_EQ(set.list()[1]->name(), "P");
  set.start(particle.point(1, 0, 3, 0));
  EXPECT_EQ(lane(set.list()[0]->current(), 0), 0);
  set.observe(particle.point(1, 1, 3, 0.5));  // L = 0.5 - 3, P = (3, 0.5)
  EXPECT_EQ(lane(set.list()[0]->current(), 0), 2.5);
  EXPECT_EQ(lane(set.list()[1]->current(), 0), 0.5);
}

TYPED_TEST(Invariants, AndObservablesFollowThePoint) {
  using T = TypeParam;
  const Particle<T> particle;
  PointValues<T> values(*particle.manifold);
  EXPECT_EQ(lane(values.observables(particle.point(1, 0, 3, 0))[0], 0), 1.5);
  const auto z = particle.point(1, 0, 5, 0);
  EXPECT_EQ(lane(values.observables(z)[0], 0), 2.5);
  EXPECT_EQ(lane(values.velocities(z)[0], 0), 2.5);
  EXPECT_EQ(values.multipliers(z).size(), 1u);
  EXPECT_EQ(lane(values.invariants(z)[1], 0), 5);
}

}  // namespace
}  // namespace cotangent
