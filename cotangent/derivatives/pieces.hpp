#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// An operation at which a function changes from one smooth function to another: abs, max, <, ... Its pieces have
/// numbers, integers, and on each of them it is a smooth function of its arguments.
struct Piece {
  Expr operation;
  Expr number;     ///< of the piece that the arguments are on
  Expr symbol;     ///< stands for that number in Pieces::smooth
  Expr threshold;  ///< the piece changes where this does: a - b for a < b; in terms of the symbols of other pieces.
                   ///< Not valid() if the value does not jump from piece to piece, only the slope.
};

/// f, put together of smooth functions:
///
///   f(x) = smooth(x, b),   b_k = number_k(x)
///
/// With b held, smooth is a smooth function of x. Whether f, or its gradient, jumps where b changes is seen by
/// comparing smooth for both b at one x: |x|^3 does not, although the slope of |x| does.
struct Pieces {
  Expr smooth;
  std::vector<Piece> all;  ///< arguments before users
};

/// @param x the arguments of f. What does not depend on them has no pieces.
Pieces pieces_of(Expr f, std::span<const Expr> x);

/// One smooth function that is symmetric only if all pieces are, with their borders: with some numbers for pieces that
/// do not jump, waves sin(threshold + a) for those that do, and b y + (1 - b) z for a choice between y and z. Functions
/// that have no pieces stay as they are.
/// @param number gives symbols that stand for arbitrary numbers.
Expr blended(const Pieces& pieces, const std::function<Expr()>& number);

}  // namespace cotangent
