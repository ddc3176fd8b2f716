#include "cotangent/analyze/dense/matrix.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace cotangent {
namespace {

using Eigen::Map;
using Eigen::MatrixXd;

Map<const MatrixXd> view(const Matrix& a) {
  return {a.values.data(), static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.columns)};
}

Matrix copied(const MatrixXd& a) {
  Matrix result(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
  MatrixXd::Map(result.values.data(), a.rows(), a.cols()) = a;
  return result;
}

// Numbers that differ by rounding only count as equal, so that the order is that of exact ones.
template <class Items, class Value>
void sort(Items& items, const Value& value) {
  double largest = 0;
  for (const auto& item : items) largest = std::max(largest, std::abs(value(item)));
  const auto rounded = [unit = 1e-9 * largest](double x) { return unit > 0 ? std::round(x / unit) : 0; };
  const auto key = [&](const auto& item) {
    const Complex x = value(item);
    return std::tuple(-rounded(x.real()), rounded(std::abs(x.imag())), -x.imag());
  };
  std::sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace

Matrix Matrix::identity(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

Matrix transposed(const Matrix& a) { return copied(view(a).transpose()); }

Matrix product(const Matrix& a, const Matrix& b) { return copied(view(a) * view(b)); }

Matrix sum(Matrix a, double factor, const Matrix& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] += factor * b.values[k];
  return a;
}

double norm(const Matrix& a) {
  const double size = a.values.empty() ? 0 : view(a).cwiseAbs().maxCoeff();
  if (!(size > 0)) return size;
  const MatrixXd b = view(a) / size;
  return size * std::sqrt(Eigen::SelfAdjointEigenSolver<MatrixXd>(b.transpose() * b).eigenvalues().tail<1>()(0));
}

Matrix right_inverse(const Matrix& a) {
  if (a.rows == 0) return {a.columns, 0};
  return copied(view(a).completeOrthogonalDecomposition().pseudoInverse());
}

Matrix null_space(const Matrix& a) {
  if (a.rows == 0) return Matrix::identity(a.columns);
  // a P = Q [T 0; 0 0] Z
  const auto parts = view(a).completeOrthogonalDecomposition();
  const MatrixXd ordered = parts.colsPermutation() * parts.matrixZ().transpose();
  return copied(ordered.rightCols(view(a).cols() - parts.rank()));
}

std::vector<Complex> eigenvalues(const Matrix& a) {
  if (a.rows == 0) return {};
  const Eigen::VectorXcd values = MatrixXd(view(a)).eigenvalues();
  std::vector<Complex> sorted(values.begin(), values.end());
  sort(sorted, [](const Complex& x) { return x; });
  return sorted;
}

std::vector<Eigenpair> eigenpairs(const Matrix& a) {
  if (a.rows == 0) return {};
  const Eigen::EigenSolver<MatrixXd> solver{MatrixXd(view(a))};
  std::vector<Eigenpair> pairs;
  for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
    const Eigen::VectorXcd vector = solver.eigenvectors().col(k);
    pairs.push_back({solver.eigenvalues()(k), {vector.begin(), vector.end()}});
  }
  sort(pairs, [](const Eigenpair& pair) { return pair.value; });
  return pairs;
}

SymmetricPairs symmetric_pairs(const Matrix& K, const Matrix& M) {
  if (K.rows == 0) return {};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(view(K), view(M));
  return {{solver.eigenvalues().begin(), solver.eigenvalues().end()}, copied(solver.eigenvectors())};
}

}  // namespace cotangent
