#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analyze/algebra/algebra.hpp"
#include "cotangent/analyze/dirac/evaluation.hpp"
#include "cotangent/analyze/written_out/written_out.hpp"

namespace cotangent {

/// A model on its phase space, where Dirac's algorithm begins [dirac64]:
///
///   H_T = H(q, p, t) + u_a phi_a(q, p, t),   phi_a = 0 primary constraints
///
/// - A Lagrangian L = v'W v/2 + b'v - V with W(q, t) of any rank: p = W v + b. Rows of W that depend on others give
///   constraints n'(p - b) = 0, and H = p'v - L for any v that solves the others.
/// - L = c sqrt(a + v'W v) + b'v - V, with pi = p - b and X = pi'W^-1 pi: for a = 0 the constraint X = c^2, and H = V;
/// otherwise
///   H = V - c a sqrt((c^2 - X)/(c^2 a)), regular.
/// - A Hamiltonian with [primary_constraints].
/// - Holonomic constraints g are imposed by multipliers, which are coordinates with momenta that vanish:
///   H + lambda g,   p_lambda = 0.
struct Canonical {
  struct Primary {
    std::string name;  ///< empty if the user gave none
    Expr value;
  };

  std::shared_ptr<WrittenOut> written;
  std::shared_ptr<Algebra> algebra;
  std::vector<Expr> q, p;          ///< with multipliers and their momenta behind the coordinates of the model
  std::vector<std::string> names;  ///< of the coordinates
  Expr H;
  std::vector<Primary> primaries, gauge;
  std::optional<int> hessian_rank;  ///< of a Lagrangian: the rank of L_vv
  std::size_t velocities = 0;       ///< its rows
  std::vector<std::string> notes;   ///< what was left out
  SymbolValues values;              ///< of parameters
  SymbolValues initial;             ///< of coordinates and momenta, as far as [initial] tells

  std::vector<Expr> z() const;
};

/// @throws ModelError for what has no phase space, and for Lagrangians of other forms.
Canonical canonical_form(const Model& model);

}  // namespace cotangent
