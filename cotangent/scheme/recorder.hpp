#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cotangent/scheme/scheme.hpp"

namespace cotangent {

/// A scheme that is being written. A node goes into the outermost region that has everything it is made of, so that
/// loops repeat only what changes; a node that is there already is not made again.
class Recorder {
 public:
  Recorder() { scheme_.regions.emplace_back(); }

  /// @throws std::logic_error if it reads a vector that may not have been made there.
  int record(Scheme::Node node);
  int constant(Quad number) {
    return record({.op = SchemeOp::constant, .size = 1, .is_number = true, .number = number});
  }

  int input(std::size_t size, bool is_number);

  int open(Scheme::Region::Kind kind);
  void close();

  const Scheme::Node& node(int id) const { return scheme_.nodes[static_cast<std::size_t>(id)]; }
  int current() const { return current_; }
  const Scheme::Region& region(int id) const { return scheme_.regions[static_cast<std::size_t>(id)]; }

  /// What finish() completes.
  Scheme& scheme() { return scheme_; }

  /// The nodes that the end of the step and the memory depend on, in canonical order.
  Scheme finish();

 private:
  using Key = std::tuple<SchemeOp, std::vector<int>, std::size_t, std::size_t, Quad>;

  bool contains(int region, int inner) const;
  int visible_from(int id) const;
  int region_for(const Scheme::Node& node) const;
  void expect_sizes(const Scheme::Node& node) const;

  Scheme scheme_;
  std::multimap<Key, int> known_;
  int current_ = 0;
  std::size_t inputs_ = 0;
};

}  // namespace cotangent
