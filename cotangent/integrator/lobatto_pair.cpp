#include "cotangent/integrator/lobatto_pair.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/lobatto_tableau.hpp"
#include "cotangent/solve/pivoted_lu.hpp"

namespace cotangent {
namespace {

template <class Number>
std::vector<std::vector<Number>> converted(const std::vector<std::vector<Quad>>& a) {
  std::vector<std::vector<Number>> result;
  for (const auto& row : a) {
    result.emplace_back();
    for (const Quad& entry : row) result.back().push_back(static_cast<Number>(entry));
  }
  return result;
}

std::vector<std::vector<Quad>> inverse_of(const std::vector<std::vector<Quad>>& a) {
  const std::size_t size = a.size();
  std::vector<Quad> rows, column(size), work;
  for (const auto& row : a) rows.insert(rows.end(), row.begin(), row.end());
  PivotedLu<Quad> lu(size);
  static_cast<void>(lu.factor(rows));
  std::vector<std::vector<Quad>> result(size, std::vector<Quad>(size, 0));
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < size; ++i) column[i] = i == j ? 1 : 0;
    lu.solve(column.data(), work);
    for (std::size_t i = 0; i < size; ++i) result[i][j] = column[i];
  }
  return result;
}

}  // namespace

template <class Number>
LobattoPair<Number>::LobattoPair(int stages) {
  const ImplicitTableau iiia = lobatto_iiia_tableau(stages), iiib = lobatto_iiib_tableau(stages);
  const std::size_t s = iiia.b.size();
  std::vector<std::vector<Quad>> M(s - 1, std::vector<Quad>(s - 1, 0));
  for (std::size_t i = 0; i + 1 < s; ++i)
    for (std::size_t k = 0; k + 1 < s; ++k)
      for (std::size_t j = 0; j < s; ++j) M[i][k] += iiia.a[i + 1][j] * iiib.a[j][k];
  a = converted<Number>(iiia.a);
  a_hat = converted<Number>(iiib.a);
  product = converted<Number>(M);
  inverse = converted<Number>(inverse_of(M));
  b = converted<Number>({iiia.b}).front();
  c = converted<Number>({iiia.c}).front();
}

COTANGENT_INSTANTIATE(PRECISIONS, LobattoPair);

}  // namespace cotangent
