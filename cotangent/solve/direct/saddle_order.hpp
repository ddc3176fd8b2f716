#pragma once

#include <utility>
#include <vector>

namespace cotangent {

/// Where the saddle matrix of n coordinates and m constraint rows,
///
///   K = | M  G' |
///       | G  0  |,
///
/// has entries. Pairs may be repeated.
struct SaddlePattern {
  int n = 0, m = 0;
  std::vector<std::pair<int, int>> couplings;   ///< (i, j) with M(i,j) or M(j,i) not 0; i = j may be left out
  std::vector<std::pair<int, int>> incidences;  ///< (r, j) with G(r,j) not 0
};

/// An order in which K has no zero pivot if M is positive definite and the rows of G are independent: a row is
/// eliminated right after the last of its coordinates.
///
/// Let C and S be the coordinates and rows eliminated so far. Restricted to them, K is [[M_C, G_S'], [G_S, 0]], where
/// G_S is complete because all coordinates of S are in C. With P = M_C^-1 - M_C^-1 G_S' (G_S M_C^-1 G_S')^-1 G_S
/// M_C^-1, which is positive semidefinite and has the kernel range(G_S'),
///
///   the pivot of a row g is                     -g P g'              < 0   as g is independent of G_S
///   the pivot of a coordinate with coupling u   M(j,j) - u'P u       > 0   as P <= M_C^-1.
///
/// The signs are those of a quasidefinite matrix [vanderbei95], which has them in every order; here the 0 takes the
/// place of a negative definite block, and the order must make up for it. Eliminating all of M first would do as well,
/// but a coupled M has a full inverse: on a chain whose M couples neighbours the rows would fill a dense matrix G M^-1
/// G', while here L has O(n) entries.
///
/// Coordinates are taken in the order of minimum degree in the graph of M + G'G [amestoy96], or in the caller's order
/// if that causes no more fill in K. Rows with more than max(16, 10 sqrt(n)) coordinates are left out of this graph, as
/// they come late in any order and would make it dense. Rows without coordinates come last.
///
/// The caller may expand a coordinate into several unknowns next to each other, such as a position and a momentum.
/// @return coordinate j as j, row r as n + r. @throws std::invalid_argument if an index is out of range.
std::vector<int> saddle_order(const SaddlePattern& pattern);

}  // namespace cotangent
