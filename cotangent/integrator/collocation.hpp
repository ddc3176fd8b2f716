#pragma once

#include <functional>
#include <vector>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// The Legendre polynomial P_s on [-1, 1] and its derivative.
struct Legendre1 {
  Quad value, slope;
};
Legendre1 legendre_polynomial(int s, Quad x);

/// The zeros of f in (-1, 1), moved to (0, 1), in ascending order. @pre they are simple and `count` in number, for a
/// polynomial of a degree near that whose zeros lie in [-1, 1].
std::vector<Quad> zeros(const std::function<Quad(Quad)>& f, int count);

/// int_0^end l_j of the Lagrange polynomial l_j of the nodes c.
Quad integral_of_lagrange(const std::vector<Quad>& c, std::size_t j, Quad end);

/// Collocation at the nodes c: a_ij = int_0^{c_i} l_j, b_j = int_0^1 l_j.
ImplicitTableau collocation_tableau(std::vector<Quad> c);

}  // namespace cotangent
