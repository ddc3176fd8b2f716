#include "cotangent/elements/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// e = constant + sum_l coefficient_l index_l
struct Affine {
  Quad constant = 0;
  std::vector<Quad> coefficients;

  bool is_constant() const {
    return std::all_of(coefficients.begin(), coefficients.end(), [](Quad c) { return c == 0; });
  }
};

Affine scaled(Affine a, Quad factor) {
  a.constant *= factor;
  for (Quad& c : a.coefficients) c *= factor;
  return a;
}

std::optional<Affine> affine_form(Expr e, const std::vector<Loop>& loops) {
  Affine result{0, std::vector<Quad>(loops.size(), 0)};
  switch (e.op()) {
    case Op::constant:
      result.constant = e.value();
      return result;
    case Op::symbol:
      for (std::size_t l = 0; l < loops.size(); ++l) {
        if (loops[l].index != e.symbol_id()) continue;
        result.coefficients[l] = 1;
        return result;
      }
      return std::nullopt;
    case Op::add: {
      const auto a = affine_form(e.arg(0), loops), b = affine_form(e.arg(1), loops);
      if (!a || !b) return std::nullopt;
      result = *a;
      result.constant += b->constant;
      for (std::size_t l = 0; l < loops.size(); ++l) result.coefficients[l] += b->coefficients[l];
      return result;
    }
    case Op::mul: {
      const auto a = affine_form(e.arg(0), loops), b = affine_form(e.arg(1), loops);
      if (!a || !b) return std::nullopt;
      if (a->is_constant()) return scaled(*b, a->constant);
      if (b->is_constant()) return scaled(*a, b->constant);
      return std::nullopt;
    }
    case Op::div: {
      const auto a = affine_form(e.arg(0), loops), b = affine_form(e.arg(1), loops);
      if (!a || !b || !b->is_constant() || b->constant == 0) return std::nullopt;
      return scaled(*a, 1 / b->constant);
    }
    default:
      return std::nullopt;
  }
}

std::int64_t to_integer(Quad value, Expr e) {
  const auto integer = static_cast<std::int64_t>(value);
  if (static_cast<Quad>(integer) != value)
    throw std::invalid_argument(
        fmt::format("the index {} has the value {}, which is not an integer", to_string(e), to_string(value)));
  return integer;
}

// The values of index expressions for given values of the loop indices.
class IndexValue {
 public:
  IndexValue(Expr e, const std::vector<Loop>& loops) : e_(e), loops_(loops), affine_(affine_form(e, loops)) {}

  template <class IndexAt>  // l -> value of loop l's index
  std::int64_t operator()(const IndexAt& index) const {
    if (affine_) {
      Quad value = affine_->constant;
      for (std::size_t l = 0; l < loops_.size(); ++l)
        if (affine_->coefficients[l] != 0) value += affine_->coefficients[l] * static_cast<Quad>(index(l));
      return to_integer(value, e_);
    }
    const LeafValue<Quad> leaf = [&](SymbolId symbol, auto) -> Quad {
      for (std::size_t l = 0; l < loops_.size(); ++l)
        if (loops_[l].index == symbol) return static_cast<Quad>(index(l));
      throw std::invalid_argument(fmt::format("the index {} is not a number", to_string(e_)));
    };
    return to_integer(evaluate<Quad>(e_, leaf), e_);
  }

  const std::optional<Affine>& affine() const { return affine_; }

 private:
  Expr e_;
  const std::vector<Loop>& loops_;
  std::optional<Affine> affine_;
};

[[noreturn]] void too_many() {
  throw std::invalid_argument(
      fmt::format("a loop has more than {} instances, the largest number supported", LoopNest::kMaxInstances));
}

}  // namespace

LoopNest::LoopNest(std::vector<Loop> loops) : loops_(std::move(loops)) {
  if (depth() == 0) {
    prefixes_.push_back(IndexMap::fixed(0));
    return;
  }
  if (depth() == 1) {
    const auto none = [](std::size_t) { return std::int64_t{0}; };
    const std::int64_t lo = IndexValue(loops_[0].lo, {})(none), hi = IndexValue(loops_[0].hi, {})(none);
    count_ = std::max<std::int64_t>(0, hi - lo + 1);
    if (count_ > kMaxInstances) too_many();
    indices_.push_back(IndexMap::affine(lo, 1));
    prefixes_ = {IndexMap::fixed(0), IndexMap::affine(0, 1)};
    return;
  }
  enumerate();
}

void LoopNest::enumerate() {
  const auto d = static_cast<std::size_t>(depth());
  std::vector<IndexValue> lo, hi;
  for (const Loop& loop : loops_) {
    lo.emplace_back(loop.lo, loops_);
    hi.emplace_back(loop.hi, loops_);
  }
  std::vector<std::vector<std::int32_t>> indices(d), prefixes(d + 1);
  std::vector<std::int64_t> index(d), instance(d + 1, -1);
  const auto at = [&](std::size_t l) { return index[l]; };

  const auto visit = [&](const auto& self, std::size_t level) -> void {
    ++instance[level];
    if (level == d) {
      if (instance[d] >= kMaxInstances) too_many();
      for (std::size_t l = 0; l < d; ++l) indices[l].push_back(static_cast<std::int32_t>(index[l]));
      for (std::size_t l = 0; l <= d; ++l) prefixes[l].push_back(static_cast<std::int32_t>(instance[l]));
      return;
    }
    const std::int64_t last = hi[level](at);
    for (index[level] = lo[level](at); index[level] <= last; ++index[level]) self(self, level + 1);
  };
  visit(visit, 0);

  count_ = instance[d] + 1;
  for (auto& list : indices) indices_.push_back(IndexMap::from_list(std::move(list)));
  for (auto& list : prefixes) prefixes_.push_back(IndexMap::from_list(std::move(list)));
}

IndexMap LoopNest::map(Expr e) const {
  const IndexValue value(e, loops_);
  const auto at = [&](std::int64_t k) { return value([&](std::size_t l) { return indices_[l](k); }); };
  if (count_ == 0) return IndexMap::fixed(0);
  const bool affine_indices = std::all_of(indices_.begin(), indices_.end(),
                                          [](const IndexMap& index) { return index.kind() != IndexMap::Kind::list; });
  if (value.affine() && affine_indices)
    return count_ == 1 ? IndexMap::fixed(at(0)) : IndexMap::affine(at(0), at(1) - at(0));

  std::vector<std::int32_t> list;
  list.reserve(static_cast<std::size_t>(count_));
  for (std::int64_t k = 0; k < count_; ++k) list.push_back(static_cast<std::int32_t>(at(k)));
  return IndexMap::from_list(std::move(list));
}

}  // namespace cotangent
