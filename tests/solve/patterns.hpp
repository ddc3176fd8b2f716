#pragma once

#include "cotangent/solve/direct/ordering.hpp"

/// Patterns of matrices to solve with, numbered as their names suggest.
namespace cotangent::test {

OffDiagonal path(int size);
OffDiagonal ring(int size);
OffDiagonal binary_tree(int size);
OffDiagonal grid(int side);
OffDiagonal band(int size, int width);
OffDiagonal star(int size, int centre);
OffDiagonal random_sparse(int size, int count, unsigned seed);

/// The same graph with rows and entries in random order.
OffDiagonal renumbered(OffDiagonal entries, int size, unsigned seed);

}  // namespace cotangent::test
