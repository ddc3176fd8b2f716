// The Dirac bracket in symbols and in numbers.

#include <algorithm>

#include "cotangent/analyze/dirac/bracket_text.hpp"
#include "cotangent/analyze/dirac/dirac.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent {
namespace {

// J - J G' C^-1 G J for the rows G of gradients of second-class constraints, C = G J G'.
DenseMatrix dirac_matrix(const std::vector<std::vector<Quad>>& G, std::size_t n) {
  const std::size_t d = 2 * n, r = G.size();
  const auto J = [&](const std::vector<Quad>& g) {  // J g
    std::vector<Quad> result(d);
    for (std::size_t k = 0; k < n; ++k) result[k] = g[n + k], result[n + k] = -g[k];
    return result;
  };
  const auto dot = [](const std::vector<Quad>& a, const std::vector<Quad>& b) {
    Quad sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  };
  std::vector<std::vector<Quad>> JG;
  for (const auto& g : G) JG.push_back(J(g));
  DenseMatrix C(r, std::vector<Quad>(r));
  for (std::size_t a = 0; a < r; ++a)
    for (std::size_t b = 0; b < r; ++b) C[a][b] = dot(G[a], JG[b]);
  DenseMatrix result(d, std::vector<Quad>(d));
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<Quad> unit(d);
    unit[j] = 1;
    const std::vector<Quad> column = J(unit);
    std::vector<Quad> right;
    for (std::size_t a = 0; a < r; ++a) right.push_back(dot(G[a], column));
    const auto x = r == 0 ? std::vector<Quad>{} : solve_dense(C, right);
    for (std::size_t i = 0; i < d; ++i) {
      result[i][j] = column[i];
      for (std::size_t a = 0; a < r; ++a) result[i][j] -= JG[a][i] * x[a];
    }
  }
  return result;
}

}  // namespace

Expr DiracAlgorithm::dirac_bracket(Expr f, Expr g) {
  Expr sum = poisson_bracket(f, g);
  const ExprMatrix& C = inverse();
  for (std::size_t a = 0; a < second_class_.size(); ++a) {
    const Expr left = surface_.simplified(poisson_bracket(f, constraints_[second_class_[a]].value));
    if (left.is_constant(0)) continue;
    for (std::size_t b = 0; b < second_class_.size(); ++b)
      if (!C[a][b].is_constant(0))
        sum = sum - left * C[a][b] * poisson_bracket(constraints_[second_class_[b]].value, g);
  }
  return surface_.simplified(sum);
}

DiracBracket DiracAlgorithm::bracket(const std::string& text) {
  const auto [f, g] = read_bracket(*canonical_.written, text);
  DiracBracket result{.text = text};
  if (!is_settled()) return result;
  result.expression = dirac_bracket(f, g);
  const auto point = initial_point();
  if (!point) return result;
  const std::size_t r = second_class_.size();
  std::vector<Expr> all{poisson_bracket(f, g)};
  for (const std::size_t a : second_class_) all.push_back(poisson_bracket(f, constraints_[a].value));
  for (const std::size_t a : second_class_) all.push_back(poisson_bracket(constraints_[a].value, g));
  for (const std::size_t a : second_class_)
    for (const std::size_t b : second_class_)
      all.push_back(poisson_bracket(constraints_[a].value, constraints_[b].value));
  auto values = *point;
  for (const auto& parameter : canonical_.written->parameters()) values[parameter.symbol.id()] = parameter.value;
  const auto numbers = Evaluation(all)(values);
  DenseMatrix C(r, std::vector<Quad>(r));
  std::vector<Quad> right;
  for (std::size_t a = 0; a < r; ++a) {
    right.push_back(numbers[1 + r + a].value);
    for (std::size_t b = 0; b < r; ++b) C[a][b] = numbers[1 + 2 * r + a * r + b].value;
  }
  Quad value = numbers[0].value;
  if (r > 0) {
    const auto x = solve_dense(C, right);
    if (x.empty()) return result;
    for (std::size_t a = 0; a < r; ++a) value -= numbers[1 + a].value * x[a];
  }
  result.value = value;
  return result;
}

// Derivatives by central differences: in Quad they leave 20 digits.
BracketLaws DiracAlgorithm::check_laws() {
  BracketLaws laws;
  const auto& z = surface_.z();
  const std::size_t n = canonical_.q.size(), d = 2 * n, r = second_class_.size();
  if (r == 0) return laws;
  std::vector<Expr> gradients;
  for (const std::size_t a : second_class_) {
    const auto& g = surface_.gradient(constraints_[a].value);
    gradients.insert(gradients.end(), g.begin(), g.end());
  }
  const Evaluation evaluation(gradients);
  const auto gradients_at = [&](const SymbolValues& point) {
    const auto values = evaluation(point);
    DenseMatrix G(r, std::vector<Quad>(d));
    for (std::size_t a = 0; a < r; ++a)
      for (std::size_t k = 0; k < d; ++k) G[a][k] = values[a * d + k].value;
    return G;
  };
  constexpr Quad h = 1e-11Q;
  const auto note = [](Quad& most, Quad sum, Quad size) {
    if (size > 0) most = max(most, abs(sum) / max(size, Quad{1e-6}));
  };
  for (std::size_t k = 0; k < 2 && k < surface_.points().size(); ++k) {
    const SymbolValues& point = surface_.points()[k];
    const DenseMatrix G = gradients_at(point), D = dirac_matrix(G, n);
    std::vector<DenseMatrix> dD;
    for (std::size_t l = 0; l < d; ++l) {
      auto ahead = point, behind = point;
      ahead[z[l].id()] += h;
      behind[z[l].id()] -= h;
      auto& slope = dD.emplace_back(dirac_matrix(gradients_at(ahead), n));
      const auto other = dirac_matrix(gradients_at(behind), n);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) slope[i][j] = (slope[i][j] - other[i][j]) / (2 * h);
    }
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        note(laws.antisymmetry, D[i][j] + D[j][i], abs(D[i][j]));
        for (std::size_t m = 0; m < j && j < i; ++m) {
          Quad sum = 0, size = 0;
          const auto add = [&](Quad a, Quad b) { sum += a * b, size += abs(a * b); };
          for (std::size_t l = 0; l < d; ++l)
            add(D[i][l], dD[l][j][m]), add(D[j][l], dD[l][m][i]), add(D[m][l], dD[l][i][j]);
          note(laws.jacobi, sum, size);
        }
      }
    for (std::size_t a = 0; a < r; ++a)
      for (std::size_t j = 0; j < d; ++j) {
        Quad sum = 0, size = 0;
        for (std::size_t i = 0; i < d; ++i) sum += G[a][i] * D[i][j], size += abs(G[a][i] * D[i][j]);
        note(laws.casimirs, sum, size);
      }
  }
  return laws;
}

}  // namespace cotangent
