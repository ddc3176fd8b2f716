#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/tangent/tangent_flow.hpp"
#include "tests/monitor/make_map.hpp"
#include "tests/support/instance.hpp"

namespace cotangent::test {

struct Choice {
  std::string problem, method, formulation;
  Projection projection = Projection::none;
  FormulationOptions options = {};
  std::vector<std::string> invariants = {};
  std::int64_t every = 1;
};

template <class T>
StepMap<T> make_map(const Choice& choice) {
  return make_map<T>(read(problem(choice.problem)), choice.method, choice.formulation,
                     {.projection = choice.projection, .every = choice.every, .invariants = choice.invariants},
                     choice.options);
}

/// A run with fixed steps, and what goes along with it.
template <class T>
class FollowedRun {
 public:
  FollowedRun(const Choice& choice, const std::vector<std::string>& names)
      : map_(make_map<T>(choice)), z_(start<T>(problem(choice.problem))) {
    MonitorSources<T> sources;
    sources.tangents = [choice] { return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)); };
    monitors_ = MonitorSet<T>(names, *map_.manifold, sources);
    map_.integrator->begin(z_);
    monitors_.start(z_, T(0.05));
  }

  void go(int steps, double h) {
    for (int k = 1; k <= steps; ++k) {
      const Point<T> begin = z_;
      ASSERT_TRUE(all(map_.integrator->step(z_, T(h)).ok));
      monitors_.follow({begin, z_, T(h)});
    }
  }

  const MethodFacts& facts() const { return map_.integrator->facts(); }
  double operator[](const std::string& name) const { return static_cast<double>(monitors_.find(name)->current()); }
  const Point<T>& point() const { return z_; }

 private:
  StepMap<T> map_;
  Point<T> z_;
  MonitorSet<T> monitors_;
};

using Extent = TangentFlow<double>::Extent;

/// The run of a model, with tangents beside it.
class ModelRun {
 public:
  ModelRun(const Model& model, const std::string& method, double h, const ProjectionPolicy& policy = kNoProjection)
      : map_(make_map<double>(model, method, "", policy)), h_(h), z_(make_initial_data(model, *map_.manifold).z) {
    make_map_ = [model, method, policy] {
      return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(model, method, "", policy));
    };
    map_.integrator->begin(z_);
  }

  TangentFlow<double>& add(Extent extent) {
    flows_.push_back(std::make_unique<TangentFlow<double>>(*map_.manifold, make_map_(), extent));
    flows_.back()->start(z_, h_);
    return *flows_.back();
  }

  void go(int steps) {
    for (int k = 0; k < steps; ++k) {
      const auto begin = z_;
      ASSERT_EQ(map_.integrator->step(z_, h_).status, StepStatus::ok);
      for (auto& flow : flows_) flow->follow({begin, z_, h_});
    }
  }

 private:
  static inline const ProjectionPolicy kNoProjection{.projection = Projection::none};
  StepMap<double> map_;
  double h_;
  Point<double> z_;
  std::function<std::shared_ptr<StepMap<Tangents>>()> make_map_;
  std::vector<std::unique_ptr<TangentFlow<double>>> flows_;
};

}  // namespace cotangent::test
