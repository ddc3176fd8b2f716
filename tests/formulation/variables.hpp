#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/mechanisms.hpp"

namespace cotangent::test {

/// A system at a point of the manifold, at a time that is not zero.
template <class T>
struct Setting {
  explicit Setting(const Mechanism& mechanism) : Setting(read_model_text(mechanism.text, mechanism.name)) {}
  explicit Setting(Model changed)
      : model(std::move(changed)),
        elements(regular_elements(model, notes)),
        system(elements, Backend::interpreter),
        manifold(system) {}

  PhasePoint<T> start() {
    PhasePoint<T> z = make_initial_data(model, manifold).z;
    z.t = static_cast<T>(0.3);

    if (system.m() > 0) {
      EXPECT_TRUE(manifold.project_position(z).converged);
      EXPECT_TRUE(manifold.project_momentum(z).converged);
    }
    return z;
  }

  bool is_autonomous_and_free() const { return !system.has_work(); }

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
};

/// A formulation's variables, and what is physical about them.
template <class T>
class Variables {
 public:
  Variables(Setting<T>& setting, std::string_view name, const FormulationOptions& options = {})
      : setting_(setting), formulation(find_formulation<T>(name).make(setting.manifold, options)) {}

  struct Point {
    std::vector<T> x, y, s;
    T t = 0;
  };

  Point enter(const PhasePoint<T>& z) {
    Point point{z.q, z.p, z.s, z.t};
    if (formulation->is_physical()) return point;
    OwnVariables<T> own;
    formulation->begin_step(z, own);
    EXPECT_TRUE(formulation->enter(z, own));
    guess_ = z;
    point.x = own.q;
    point.y = own.p;
    return point;
  }

  PhasePoint<T> leave(const Point& point) {
    PhasePoint<T> z(setting_.system.n(), setting_.system.state_count());
    z.s = point.s;
    z.t = point.t;
    z.q = point.x;
    z.p = point.y;
    if (formulation->is_physical()) return z;
    OwnVariables<T> own;
    own.q = point.x;
    own.p = point.y;
    own.q_low.resize(point.x.size());
    own.p_low.resize(point.y.size());
    z.q = guess_.q;
    z.p = guess_.p;
    EXPECT_TRUE(formulation->leave(own, z));
    return z;
  }

  Point field(const Point& z) {
    Point f = z;
    f.t = 1;
    EXPECT_TRUE(formulation->field({z.x.data(), z.y.data(), z.s.data(), z.t}, f.x.data(), f.y.data(), f.s.data()));
    return f;
  }

  static Point moved(const Point& z, const Point& f, T e) {
    Point result = z;
    for (std::size_t j = 0; j < z.x.size(); ++j) {
      result.x[j] += e * f.x[j];
      result.y[j] += e * f.y[j];
    }
    for (std::size_t j = 0; j < z.s.size(); ++j) result.s[j] += e * f.s[j];
    result.t += e * f.t;
    return result;
  }

 private:
  Setting<T>& setting_;
  PhasePoint<T> guess_;

 public:
  std::unique_ptr<Formulation<T>> formulation;
};

}  // namespace cotangent::test
