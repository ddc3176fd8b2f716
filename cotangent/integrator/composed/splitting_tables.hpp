#pragma once

#include <string>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/integrator/registry/method_name.hpp"

namespace cotangent {

/// The coefficients of a splitting method for H = T(p) + V(q): flows of T (drifts) and of V (kicks) in turn,
///
///   first c_1 h, second d_1 h, first c_2 h, second d_2 h, ...
///
/// For a drift exp(h A) and a kick exp(h B) the conditions for order r are those of the product of exponentials being
/// exp(h (A + B)) up to h^r.
struct SplittingTable {
  std::string name;
  std::string description;
  int order = 0;
  bool symmetric = false;
  bool drift_first = true;
  bool quadratic = false;           ///< for T quadratic in p only, where [B, [B, [B, A]]] = 0 and conditions are fewer
  std::vector<Quad> first, second;  ///< c, and d: as many or one less
  std::string reference;            ///< key in docs/references.bib
};

/// stormer-verlet, ruth3, forest-ruth, blanes-moan4, blanes-moan6, each also with :kick, where the parts of drift and
/// kick are exchanged; and blanes-moan-rkn4, blanes-moan-rkn6:11, blanes-moan-rkn6:14.
/// @throws std::invalid_argument if there is no such method.
SplittingTable splitting_table(const MethodName& name);

}  // namespace cotangent
