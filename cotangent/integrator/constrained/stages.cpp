#include "cotangent/integrator/constrained/stages.hpp"

#include "cotangent/solve/direct/pivoted_lu.hpp"

namespace cotangent {

using namespace scheme;

Vec joined(const Stages& kinds) {
  std::vector<Vec> all;
  for (const auto& each : kinds) all.insert(all.end(), each.begin(), each.end());
  return join(all);
}

Stages parts(const Writer& w, Vec x, const std::vector<std::pair<std::size_t, std::size_t>>& counts_and_sizes) {
  Stages kinds;
  std::size_t first = 0;
  for (const auto& [count, size] : counts_and_sizes) {
    auto& each = kinds.emplace_back();
    for (std::size_t i = 0; i < count; ++i, first += size)
      each.push_back(size == 0 ? w.zeros(0) : part(x, first, size));
  }
  return kinds;
}

std::vector<Vec> continued(const Writer& w, const Remembered& before, const std::vector<Quad>& c,
                           const std::vector<Vec>& found) {
  if (found.front().size() == 0) return found;
  const Num ratio = before.continuation();
  std::vector<Vec> ahead;
  for (std::size_t i = 0; i < c.size(); ++i) {
    std::vector<Num> L(c.size(), w.number(1));
    for (std::size_t j = 0; j < c.size(); ++j)
      for (std::size_t k = 0; k < c.size(); ++k)
        if (k != j) L[j] = L[j] * ((1 - c[k] + c[i] * ratio) / (c[j] - c[k]));
    ahead.push_back(combine(L, found));
  }
  return ahead;
}

SquareMatrix inverse_of(const SquareMatrix& a) {
  const std::size_t size = a.size();
  std::vector<Quad> rows, column(size), work;
  for (const auto& row : a) rows.insert(rows.end(), row.begin(), row.end());
  PivotedLu<Quad> lu(size);
  static_cast<void>(lu.factor(rows));
  SquareMatrix result(size, std::vector<Quad>(size, 0));
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < size; ++i) column[i] = i == j ? 1 : 0;
    lu.solve(column.data(), work);
    for (std::size_t i = 0; i < size; ++i) result[i][j] = column[i];
  }
  return result;
}

}  // namespace cotangent
