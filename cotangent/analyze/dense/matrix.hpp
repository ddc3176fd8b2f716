#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace cotangent {

/// A small full matrix, by columns.
struct Matrix {
  Matrix() = default;
  Matrix(std::size_t rows_, std::size_t columns_) : rows(rows_), columns(columns_), values(rows_ * columns_, 0.0) {}
  static Matrix identity(std::size_t size);

  double& operator()(std::size_t i, std::size_t j) { return values[i + rows * j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i + rows * j]; }
  double* column(std::size_t j) { return values.data() + rows * j; }

  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};

using Complex = std::complex<double>;

Matrix transposed(const Matrix& a);
Matrix product(const Matrix& a, const Matrix& b);

/// a + factor b.
Matrix sum(Matrix a, double factor, const Matrix& b);

/// The largest singular value.
double norm(const Matrix& a);

/// The matrix Y with a Y = 1 whose columns are shortest, of an `a` with independent rows; its pseudoinverse if they are
/// not.
Matrix right_inverse(const Matrix& a);

/// An orthonormal basis of { x : a x = 0 }, as columns.
Matrix null_space(const Matrix& a);

/// Of a square matrix: those with larger real parts first, then those with smaller imaginary parts in size, and of a
/// complex pair the one with the positive imaginary part.
std::vector<Complex> eigenvalues(const Matrix& a);

/// The same with eigenvectors.
struct Eigenpair {
  Complex value;
  std::vector<Complex> vector;
};
std::vector<Eigenpair> eigenpairs(const Matrix& a);

/// K x = k M x for symmetric K and positive definite M: the values k, from the smallest, with x' M x = 1.
struct SymmetricPairs {
  std::vector<double> values;
  Matrix vectors;
};
SymmetricPairs symmetric_pairs(const Matrix& K, const Matrix& M);

}  // namespace cotangent
