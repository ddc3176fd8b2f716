#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/redundancy.hpp"
#include "cotangent/monitor/symmetry.hpp"

/// A model as it was understood, for `check`: what the file states, and what follows from it.
struct Understanding {
  const cotangent::Model& model;
  std::shared_ptr<const cotangent::Elements> elements;
  std::vector<std::string> notes;

  bool separable = false;           ///< H = T(p) + V(q)
  bool is_driven = false;           ///< H, a constraint, a force or a rate depends on the time
  std::vector<std::string> forced;  ///< coordinates with forces in [forces]
  std::vector<cotangent::RedundantConstraint> redundant = {};  ///< at the initial data
  bool energy_is_kept = false;
  std::optional<double> alternative = {};  ///< how far hamiltonian_alternative is from H on the manifold
  cotangent::Symmetries symmetries = {};

  /// Residuals of the initial data as given, and how far the projection moves them.
  double position = 0, momentum = 0;
  double position_change = 0, momentum_change = 0;
};

/// n - rank G at the initial data.
std::int64_t degrees_of_freedom(const Understanding& understanding);

/// The variables that [exact] tells something about: "x", "p_r".
std::vector<std::string> exact_names(const cotangent::Model& model);

/// @param model must outlive the result. @throws cotangent::ModelError for initial data that a run would refuse.
Understanding understand(const cotangent::Model& model);
