#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/discovery/redundancy.hpp"
#include "cotangent/monitor/discovery/symmetry.hpp"
#include "cotangent/run/options/run_words.hpp"

namespace cotangent {

/// A model as it was understood: what the file states, and what follows from it.
struct Understanding {
  Model model;
  std::shared_ptr<const Elements> elements;
  std::vector<std::string> notes;

  bool separable = false;                           ///< H = T(p) + V(q)
  bool is_driven = false;                           ///< H, a constraint, a force or a rate depends on the time
  std::vector<std::string> forced = {};             ///< coordinates with forces in [forces]
  std::vector<RedundantConstraint> redundant = {};  ///< at the initial data and near them
  bool energy_is_kept = false;
  std::optional<double> alternative = {};  ///< how far hamiltonian_alternative is from H on the manifold
  Symmetries symmetries = {};

  /// Residuals of the initial data as given, and how far the projection moves them.
  double position = 0, momentum = 0;
  double position_change = 0, momentum_change = 0;

  /// n - rank G near the initial data.
  std::int64_t degrees_of_freedom() const;

  /// For people, and for programs.
  std::string table() const;
  std::string json() const;
};

/// @param words how options are spelt. @throws ModelError for a model or initial data that a run would refuse.
Understanding understand(Model model, RunWords words = {});

}  // namespace cotangent
