#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// Splits a model into elements; parameters are replaced by their values. A Lagrangian with constant masses, one for
/// each velocity, becomes a Hamiltonian: see legendre.hpp.
/// @throws ModelError for index lists that leave their array, and for what is too large.
Elements extract_elements(const Model& model);

/// The minimal coordinates of a model. @pre it has some. @throws ModelError as extract_elements.
MinimalElements extract_minimal(const Model& model);

/// [initial] of a model over the vector y = (q, p, v, s): assignments in the order of the model, in which each uses
/// only entries that were assigned before it. Values use Space::q and Space::s, which are those parts of y.
struct InitialElements {
  struct Step {
    std::vector<Family> groups, families;  ///< rows are the entries assigned, 0 .. count-1
    std::int64_t group_count = 0;
    std::int64_t count = 0;
    IndexMap rows = IndexMap::fixed(0);  ///< where the entries are in y
    const Assignment* assignment = nullptr;
  };
  std::shared_ptr<const Graph> graph;
  std::int64_t n = 0, states = 0;
  std::vector<Step> steps;
  std::vector<std::vector<Quad>> tables;
};

/// @param model must outlive the result.
InitialElements extract_initial(const Model& model);

}  // namespace cotangent
