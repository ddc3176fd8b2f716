#include "cotangent/scheme/recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cotangent {
namespace {

using Kind = Scheme::Region::Kind;

bool is_element_wise(SchemeOp op) {
  return op == SchemeOp::add || op == SchemeOp::subtract || op == SchemeOp::sum || op == SchemeOp::choose;
}

}  // namespace

bool Recorder::contains(int outer, int inner) const {
  while (inner > outer) inner = region(inner).parent;
  return inner == outer;
}

// The region around the current one from which a node can be seen: its own or, of a solve that is finished, the one
// that the solve is in. -1: none.
int Recorder::visible_from(int id) const {
  int at = node(id).region;
  while (at >= 0 && !contains(at, current_)) {
    const Scheme::Region& here = region(at);
    if (here.kind != Kind::equations && here.kind != Kind::scales) return -1;
    // Scales of a solve that goes on may not have been found yet.
    if (here.kind == Kind::scales && contains(here.parent, current_)) return -1;
    at = here.parent;
  }
  return at;
}

int Recorder::region_for(const Scheme::Node& node) const {
  if (node.op == SchemeOp::unknown) return current_;
  // What is made only where nothing is remembered stays there.
  int inmost = 0;
  for (int at = current_; at > 0 && inmost == 0; at = region(at).parent)
    if (region(at).kind == Kind::otherwise) inmost = at;
  for (const int id : node.in) {
    if (id < 0) continue;
    const int at = visible_from(id);
    if (at < 0)
      throw std::logic_error("a scheme reads a vector that is made in a correction or in place of a cached one only");
    inmost = std::max(inmost, at);
  }
  // Scales and corrections are made less often than the equations.
  const Kind kind = region(current_).kind;
  const bool is_beside = kind == Kind::scales || kind == Kind::correction;
  return is_beside && inmost == region(current_).parent ? current_ : inmost;
}

void Recorder::expect_sizes(const Scheme::Node& node) const {
  if (!is_element_wise(node.op) || node.is_number) return;
  for (const int id : node.in)
    if (id >= 0 && !this->node(id).is_number && this->node(id).size != node.size)
      throw std::logic_error("a scheme adds vectors of different sizes");
}

int Recorder::record(Scheme::Node node) {
  expect_sizes(node);
  const Key key(node.op, node.in, node.first, node.size, node.number);
  const bool may_be_known = node.op != SchemeOp::unknown && node.op != SchemeOp::solve && node.op != SchemeOp::cached;
  if (may_be_known) {
    const auto [begin, end] = known_.equal_range(key);
    for (auto it = begin; it != end; ++it)
      if (visible_from(it->second) >= 0) return it->second;
  }
  node.region = region_for(node);
  scheme_.nodes.push_back(std::move(node));
  const int id = static_cast<int>(scheme_.nodes.size()) - 1;
  if (may_be_known) known_.emplace(key, id);
  return id;
}

int Recorder::input(std::size_t size, bool is_number) {
  return record({.op = SchemeOp::input, .size = size, .is_number = is_number, .first = inputs_++});
}

int Recorder::open(Kind kind) {
  scheme_.regions.push_back({kind, current_});
  return current_ = static_cast<int>(scheme_.regions.size()) - 1;
}

void Recorder::close() { current_ = region(current_).parent; }

namespace {

// Numbers the nodes that results depend on, each after everything that it is made of.
class Numbering {
 public:
  explicit Numbering(const Scheme& from)
      : from_(from), numbers_(from.nodes.size(), -1), is_seen_(from.nodes.size(), 0) {}

  void visit(int id) {
    if (id < 0 || is_seen_[static_cast<std::size_t>(id)] != 0) return;
    const Scheme::Node& node = from_.nodes[static_cast<std::size_t>(id)];
    // A vector that equations made is read after their solve.
    for (int at = node.region; at > 0; at = from_.regions[static_cast<std::size_t>(at)].parent)
      visit(from_.regions[static_cast<std::size_t>(at)].owner);
    if (std::exchange(is_seen_[static_cast<std::size_t>(id)], 1) != 0) return;
    for (const int input : node.in) visit(input);
    if (node.op == SchemeOp::solve) {
      const Scheme::Solve& solve = from_.solves[node.first];
      for (const int part : {solve.unknown, solve.residual, solve.scale, solve.change}) visit(part);
      for (const Scheme::Solve::Kind& kind : solve.kinds) visit(kind.base), visit(kind.noise);
    }
    if (node.op == SchemeOp::cached) visit(from_.cached[node.first].result);
    numbers_[static_cast<std::size_t>(id)] = static_cast<int>(order_.size());
    order_.push_back(id);
  }

  Scheme renumbered() const {
    Scheme to = from_;
    to.nodes.clear();
    to.numbers.clear();
    for (Scheme::Region& region : to.regions) region.nodes.clear(), renumber(region.owner);
    for (const int id : order_) {
      Scheme::Node node = from_.nodes[static_cast<std::size_t>(id)];
      for (int& input : node.in) renumber(input);
      auto& list = node.is_number ? to.numbers : to.regions[static_cast<std::size_t>(node.region)].nodes;
      list.push_back(static_cast<int>(to.nodes.size()));
      to.nodes.push_back(std::move(node));
    }
    for (Scheme::Solve& solve : to.solves) {
      for (int* part : {&solve.unknown, &solve.residual, &solve.scale, &solve.change}) renumber(*part);
      for (Scheme::Solve::Kind& kind : solve.kinds) renumber(kind.base), renumber(kind.noise);
    }
    for (Scheme::Cached& cached : to.cached) renumber(cached.result);
    for (Scheme::Remembered& memory : to.memory) renumber(memory.input), renumber(memory.end);
    for (Scheme::Point* z : {&to.begin, &to.end})
      for (int* part : {&z->q, &z->q_low, &z->p, &z->p_low, &z->s, &z->s_low}) renumber(*part);
    for (int& part : to.shift) renumber(part);
    Scheme::Inputs& in = to.inputs;
    for (int* input : {&in.t, &in.t_end, &in.h, &in.has_memory, &in.last_h, &in.ratio}) renumber(*input);
    return to;
  }

 private:
  void renumber(int& id) const {
    if (id >= 0) id = numbers_[static_cast<std::size_t>(id)];
  }

  const Scheme& from_;
  std::vector<int> numbers_, order_;
  std::vector<char> is_seen_;  // perhaps without a number yet
};

}  // namespace

Scheme Recorder::finish() {
  Numbering numbering(scheme_);
  const Scheme::Point& end = scheme_.end;
  for (const int id : {end.q, end.q_low, end.p, end.p_low, end.s, end.s_low}) numbering.visit(id);
  for (const Scheme::Remembered& memory : scheme_.memory) numbering.visit(memory.input), numbering.visit(memory.end);
  return numbering.renumbered();
}

}  // namespace cotangent
