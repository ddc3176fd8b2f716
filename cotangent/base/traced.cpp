#include "cotangent/base/traced.hpp"

#include <bit>

namespace cotangent {
namespace {

thread_local Recording* current = nullptr;

using Op = Recording::Op;

// !(a < b) where neither is NaN, and so on: an `op` of the arguments, or of them in the other order.
struct Opposite {
  Op op;
  bool swaps;
};
Opposite opposite_of(Op op) {
  if (op == Op::lt) return {Op::le, true};
  if (op == Op::le) return {Op::lt, true};
  return {op == Op::eq ? Op::ne : Op::eq, false};
}

}  // namespace

Recording::Recording(std::size_t most) : most_(most), outer_(std::exchange(current, this)) {}
Recording::~Recording() { current = outer_; }

std::size_t Recording::Hash::operator()(const Operation& o) const {
  std::uint64_t hash = static_cast<std::uint64_t>(o.op) + 64 * std::uint64_t{o.index};
  for (const Id id : {o.a, o.b, o.c}) hash = (hash ^ id) * 0x9e3779b97f4a7c15U ^ (hash >> 29);
  return hash;
}

Recording::Id Recording::add(const Operation& operation) {
  if (operations_.size() >= most_) has_failed_ = true;
  const auto [found, is_new] = known_.try_emplace(operation, static_cast<Id>(operations_.size() + 1));
  if (is_new) operations_.push_back(operation);
  return found->second;
}

Traced Recording::input(double value) { return {value, add({Op::input, inputs_++, 0, 0, 0})}; }

Recording::Id Recording::id_of(const Traced& x) {
  if (x.id != 0) return x.id;
  const auto bits = std::bit_cast<std::uint64_t>(x.value);
  const auto [found, is_new] = constant_ids_.try_emplace(bits, 0);
  if (is_new) {
    found->second = add({Op::constant, static_cast<std::uint32_t>(constants_.size()), 0, 0, 0});
    constants_.push_back(x.value);
  }
  return found->second;
}

// Once a recording has failed nothing more is kept of it, but what is made of inputs must not look like a constant.
Recording::Id Recording::record(Op op, const Traced& a, std::uint32_t index) {
  if (!current || current->has_failed_) return 1;
  return current->add({op, index, current->id_of(a), 0, 0});
}

Recording::Id Recording::record(Op op, const Traced& a, const Traced& b, std::uint32_t index) {
  if (!current || current->has_failed_) return 1;
  const auto is = [](const Traced& x, double value) { return x.id == 0 && x.value == value; };
  if (op == Op::mul && is(a, 1)) return b.id;
  if ((op == Op::mul || op == Op::div) && is(b, 1)) return a.id;
  Id x = current->id_of(a), y = current->id_of(b);
  if ((op == Op::add || op == Op::mul) && y < x) std::swap(x, y);
  return current->add({op, index, x, y, 0});
}

Recording::Id Recording::record(Op op, const Traced& a, const Traced& b, const Traced& c) {
  if (!current || current->has_failed_) return 1;
  const Id x = current->id_of(a), y = current->id_of(b), z = current->id_of(c);
  return current->add({op, 0, x, y, z});
}

void Recording::fail() {
  if (current) current->has_failed_ = true;
}

bool Recording::is_known(Id condition, bool& outcome) {
  if (!current) return false;
  const auto found = current->decided_.find(condition);
  if (found == current->decided_.end()) return false;
  outcome = found->second;
  return true;
}

void Recording::expect(Id condition, bool outcome) {
  if (!decided_.try_emplace(condition, outcome).second) return;
  const Operation o = operations_[condition - 1];
  if (o.op == Op::opposite) return expect(o.a, !outcome);
  if (o.op == Op::both || o.op == Op::either) {
    if (outcome != (o.op == Op::both)) return expect(o.index == 0 ? o.a : o.b, outcome);
    expect(o.a, outcome);
    return expect(o.b, outcome);
  }
  if (outcome) {
    choices_.push_back({o.op, o.a, o.b, operations_.size()});
  } else {
    const auto [op, swaps] = opposite_of(o.op);
    choices_.push_back({op, swaps ? o.b : o.a, swaps ? o.a : o.b, operations_.size()});
  }
}

bool Recording::choose(Id condition, bool outcome) {
  if (current && !current->has_failed_) current->expect(condition, outcome);
  return outcome;
}

}  // namespace cotangent
