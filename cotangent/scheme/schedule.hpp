#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/scheme/scheme.hpp"

namespace cotangent {

/// An operation on the elements of vectors. Vectors and numbers are given by their places in a table; -1: none.
struct ElementInstruction {
  enum class Action : std::uint8_t {
    add,
    subtract,
    multiply,  ///< a number a times b
    divide,    ///< a by a number b
    negate,
    absolute,
    choose,          ///< b where the number a is positive, else c
    sum,             ///< a + (lost before + b), and what is lost of it
    sum_difference,  ///< the same of b - c
    sum_product,     ///< the same of a number b times c
    add_sum,         ///< a + (b + c)
    add_product,     ///< a + (a number b times c)
    subtract_product,
  };
  Action action;
  int a = -1, b = -1, c = -1, lost_before = -1;
  int result = -1, lost = -1;
};

/// Instructions on vectors of one length that are made together.
struct ElementPass {
  std::size_t size = 0;
  std::vector<int> nodes = {};  ///< that are made, in order
  std::vector<ElementInstruction> instructions = {};
};

/// Whether whoever makes a vector writes it to its place in the table.
bool is_written(SchemeOp op);

/// How a scheme is run, whatever the number type: the items of each region in order, and where vectors are kept. The
/// table has a place for each node, followed by places for vectors that only the pass reads which makes them.
struct Schedule {
  explicit Schedule(const Scheme& scheme);

  struct Item {
    int pass = -1, node = -1, kernel = -1;  ///< one of them; kernels: see fuse_items
    int evaluations = 0;                    ///< of H_q, in a kernel
  };
  std::vector<std::vector<Item>> items;  ///< by region
  std::vector<ElementPass> passes;
  std::vector<std::vector<int>> results;  ///< by node: its further results, or what is lost of a sum
  std::vector<std::size_t> blocks;        ///< sizes of vectors in places behind those of the nodes
  std::vector<char> is_stored;            ///< by node: someone reads the whole of it
  std::vector<int> timed;                 ///< numbers that depend on the time
  std::vector<int> parts;                 ///< nodes that are parts of others

  /// A vector that is made where a join wants it, and need not be copied. Outer joins come first.
  struct Placed {
    int node, join;
    std::size_t first;
  };
  std::vector<Placed> placed;
  std::vector<char> is_placed;  ///< by node

 private:
  void plan_region(const Scheme& scheme, int region);
  void count_reads(const Scheme& scheme);
  void fuse(ElementPass& pass);
  void place_joined(const Scheme& scheme);
  void keep_blocks(const Scheme& scheme);

  std::vector<int> reads_, makers_, readers_;  // by node: how often; and passes, or -1
};

}  // namespace cotangent
