#include "cotangent/elements/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
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

// The place of an entry in its table, from its indices.
std::size_t place_in(const Table& table, std::span<const std::int64_t> indices, Expr e) {
  std::int64_t place = 0, stride = 1;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d] < 1 || indices[d] > table.shape[d])
      throw std::invalid_argument(
          fmt::format("the index {} of a table in {} is outside 1..{}", indices[d], to_string(e), table.shape[d]));
    place += (indices[d] - 1) * stride;
    stride *= table.shape[d];
  }
  return static_cast<std::size_t>(place);
}

// The values of index expressions for given values of the loop indices.
class IndexValue {
 public:
  IndexValue(Expr e, const std::vector<Loop>& loops, const Tables& tables)
      : e_(e), loops_(loops), tables_(tables), affine_(affine_form(e, loops)) {}

  template <class IndexAt>  // l -> value of loop l's index
  std::int64_t operator()(const IndexAt& index) const {
    if (affine_) {
      Quad value = affine_->constant;
      for (std::size_t l = 0; l < loops_.size(); ++l)
        if (affine_->coefficients[l] != 0) value += affine_->coefficients[l] * static_cast<Quad>(index(l));
      return to_integer(value, e_);
    }
    const LeafValue<Quad> leaf = [&](SymbolId symbol, std::span<const std::int64_t> indices) -> Quad {
      for (std::size_t l = 0; l < loops_.size(); ++l)
        if (loops_[l].index == symbol) return static_cast<Quad>(index(l));
      if (const auto table = tables_.find(symbol); table != tables_.end())
        return (*table->second.values)[place_in(table->second, indices, e_)];
      throw std::invalid_argument(fmt::format("the index {} is not a number", to_string(e_)));
    };
    return to_integer(evaluate<Quad>(e_, leaf), e_);
  }

  const std::optional<Affine>& affine() const { return affine_; }

 private:
  Expr e_;
  const std::vector<Loop>& loops_;
  const Tables& tables_;
  std::optional<Affine> affine_;
};

// The values of an index expression for all instances at once: lists of many entries go through tables (r[pairs[k,1]]),
// and walking the graph once is much faster than once for each instance. Integers up to 2^53 are exact in double.
class IndexColumn {
 public:
  using Values = std::vector<double>;

  IndexColumn(const std::vector<Loop>& loops, const std::vector<IndexMap>& indices, const Tables& tables,
              std::int64_t count)
      : loops_(loops), indices_(indices), tables_(tables), count_(static_cast<std::size_t>(count)) {}

  // Nothing if e uses more than sums, products and tables.
  std::optional<Values> operator()(Expr e) const {
    switch (e.op()) {
      case Op::constant:
        return Values(count_, static_cast<double>(e.value()));
      case Op::symbol:
        return symbol(e);
      case Op::entry:
        return entry(e);
      case Op::add:
      case Op::mul: {
        auto a = (*this)(e.arg(0));
        const auto b = a ? (*this)(e.arg(1)) : std::nullopt;
        if (!b) return std::nullopt;
        for (std::size_t k = 0; k < count_; ++k) (*a)[k] = e.op() == Op::add ? (*a)[k] + (*b)[k] : (*a)[k] * (*b)[k];
        return a;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Values> symbol(Expr e) const {
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (loops_[l].index != e.symbol_id()) continue;
      Values values(count_);
      for (std::size_t k = 0; k < count_; ++k)
        values[k] = static_cast<double>(indices_[l](static_cast<std::int64_t>(k)));
      return values;
    }
    return std::nullopt;
  }

  std::optional<Values> entry(Expr e) const {
    const auto table = tables_.find(e.symbol_id());
    if (table == tables_.end()) return std::nullopt;
    std::vector<Values> arguments;
    for (int d = 0; d < e.arity(); ++d) {
      auto argument = (*this)(e.arg(d));
      if (!argument) return std::nullopt;
      arguments.push_back(std::move(*argument));
    }
    Values values(count_);
    std::array<std::int64_t, Graph::kMaxArity> indices{};
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t d = 0; d < arguments.size(); ++d) indices[d] = to_integer(static_cast<Quad>(arguments[d][k]), e);
      values[k] = static_cast<double>(
          (*table->second.values)[place_in(table->second, std::span(indices.data(), arguments.size()), e)]);
    }
    return values;
  }

  const std::vector<Loop>& loops_;
  const std::vector<IndexMap>& indices_;
  const Tables& tables_;
  std::size_t count_;
};

[[noreturn]] void too_many() {
  throw std::invalid_argument(
      fmt::format("a loop has more than {} instances, the largest number supported", LoopNest::kMaxInstances));
}

// An entry of an index list.
std::int32_t to_entry(std::int64_t index) {
  if (!std::in_range<std::int32_t>(index))
    throw std::invalid_argument(fmt::format("the index {} is too large for a list of instances; the limit is {}", index,
                                            std::numeric_limits<std::int32_t>::max()));
  return static_cast<std::int32_t>(index);
}

}  // namespace

LoopNest::LoopNest(std::vector<Loop> loops, const Tables& tables) : loops_(std::move(loops)), tables_(&tables) {
  if (depth() == 0) {
    prefixes_.push_back(IndexMap::fixed(0));
    return;
  }
  if (depth() == 1) {
    const auto none = [](std::size_t) { return std::int64_t{0}; };
    const std::int64_t lo = IndexValue(loops_[0].lo, {}, tables)(none), hi = IndexValue(loops_[0].hi, {}, tables)(none);
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
    lo.emplace_back(loop.lo, loops_, *tables_);
    hi.emplace_back(loop.hi, loops_, *tables_);
  }
  std::vector<std::vector<std::int32_t>> indices(d), prefixes(d + 1);
  std::vector<std::int64_t> index(d), instance(d + 1, -1);
  const auto at = [&](std::size_t l) { return index[l]; };

  // Counted first: memory is not filled with lists that turn out to be too long.
  std::int64_t count = 0, outer = 0;
  const auto count_from = [&](const auto& self, std::size_t level) -> void {
    if (++outer > kLimits.entries) too_many();
    const std::int64_t first = lo[level](at), last = hi[level](at);
    if (level + 1 == d) {
      count += std::max<std::int64_t>(0, last - first + 1);
      if (count > kMaxInstances) too_many();
      return;
    }
    for (index[level] = first; index[level] <= last; ++index[level]) self(self, level + 1);
  };
  count_from(count_from, 0);

  const auto visit = [&](const auto& self, std::size_t level) -> void {
    ++instance[level];
    if (level == d) {
      for (std::size_t l = 0; l < d; ++l) indices[l].push_back(to_entry(index[l]));
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
  const IndexValue value(e, loops_, *tables_);
  const auto at = [&](std::int64_t k) { return value([&](std::size_t l) { return indices_[l](k); }); };
  if (count_ == 0) return IndexMap::fixed(0);
  const bool affine_indices = std::all_of(indices_.begin(), indices_.end(),
                                          [](const IndexMap& index) { return index.kind() != IndexMap::Kind::list; });
  if (value.affine() && affine_indices)
    return count_ == 1 ? IndexMap::fixed(at(0)) : IndexMap::affine(at(0), at(1) - at(0));

  std::vector<std::int32_t> list;
  list.reserve(static_cast<std::size_t>(count_));
  if (const auto column = IndexColumn(loops_, indices_, *tables_, count_)(e)) {
    for (const double v : *column) list.push_back(to_entry(to_integer(static_cast<Quad>(v), e)));
  } else {
    for (std::int64_t k = 0; k < count_; ++k) list.push_back(to_entry(at(k)));
  }
  return IndexMap::from_list(std::move(list));
}

}  // namespace cotangent
