#pragma once

#include <cstddef>
#include <vector>

#include "cotangent/base/dual.hpp"

namespace cotangent {

/// Dimensions of a Krylov space: what is not found in so many was not to be found by products alone.
inline constexpr std::size_t kKrylov = 40;

/// Solves B x = b by minimal residuals over the Krylov space span{b, B b, B^2 b, ...} [saad-schultz86].
///
/// Meant for B = P^-1 A with a matrix P near A: with A = P + O(h) each dimension of the space gains a factor O(h), and
/// in n dimensions the result is exact, however far A is from P. Only products with B are needed.
///
/// In a batch every lane stops when it has reached its goal and does not notice how long others go on: a lane gives bit
/// for bit what a run in double gives. Does not allocate after construction.
template <class T>
class Gmres {
 public:
  /// @param dimensions of the Krylov space, at most.
  explicit Gmres(std::size_t size, std::size_t dimensions = kKrylov)
      : size_(size),
        most_(dimensions < size ? dimensions : size),
        basis_(most_ + 1, std::vector<T>(size, T(0))),
        columns_(most_, std::vector<T>(most_ + 1, T(0))),
        cosine_(most_, T(0)),
        sine_(most_, T(0)),
        rest_(most_ + 1, T(0)),
        y_(most_, T(0)),
        weights_(size, T(1)) {}

  /// Numbers of different units are measured by weights: |x|^2 = sum_j (weight_j x_j)^2. All 1 at first.
  std::vector<T>& weights() { return weights_; }

  /// x with |b - B x| <= goal |b|, or the best that the space allows.
  /// @param multiply(const T* in, T* out) sets out = B in.
  /// @return products made.
  template <class Multiply>
  int solve(const Multiply& multiply, const T* b, T goal, T* x) {
    for (std::size_t j = 0; j < size_; ++j) x[j] = T(0);
    const T beta = sqrt(inner(b, b));
    Mask<T> active = beta > T(0);
    const T scale = select(active, T(1) / beta, T(0));
    for (std::size_t j = 0; j < size_; ++j) basis_[0][j] = b[j] * scale;
    rest_[0] = select(active, beta, T(0));
    reached_ = select(active, T(1), T(0));
    std::size_t k = 0;
    for (; k < most_ && any(active); ++k) {
      const Mask<T> extended = active;
      active = extend(multiply, k, active, goal * beta);
      reached_ = select(extended, abs(rest_[k + 1]) * scale, reached_);
    }

    for (std::size_t i = k; i-- > 0;) {
      T sum = rest_[i];
      for (std::size_t l = i + 1; l < k; ++l) sum -= columns_[l][i] * y_[l];
      y_[i] = sum / columns_[i][i];
    }
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < size_; ++j) x[j] += y_[i] * basis_[i][j];
    return static_cast<int>(k);
  }

  /// |b - B x| / |b| of the last solution, as far as its recurrence tells; not a number where B is none.
  const T& reached() const { return reached_; }

 private:
  T inner(const T* a, const T* b) const {
    T sum(0);
    for (std::size_t j = 0; j < size_; ++j) sum += (weights_[j] * a[j]) * (weights_[j] * b[j]);
    return sum;
  }

  // One more dimension; lanes that have stopped get a column that adds nothing. @return which lanes go on.
  template <class Multiply>
  Mask<T> extend(const Multiply& multiply, std::size_t k, const Mask<T>& active, const T& goal) {
    auto& column = columns_[k];
    auto& next = basis_[k + 1];
    multiply(basis_[k].data(), next.data());
    for (std::size_t i = 0; i <= k; ++i) {
      column[i] = inner(next.data(), basis_[i].data());
      for (std::size_t j = 0; j < size_; ++j) next[j] -= column[i] * basis_[i][j];
    }
    const T length = sqrt(inner(next.data(), next.data()));
    const T scale = select(active & (length > T(0)), T(1) / length, T(0));
    for (std::size_t j = 0; j < size_; ++j) next[j] = next[j] * scale;

    // Rotations make the columns triangular.
    for (std::size_t i = 0; i < k; ++i) {
      const T upper = cosine_[i] * column[i] + sine_[i] * column[i + 1];
      const T lower = cosine_[i] * column[i + 1] - sine_[i] * column[i];
      column[i] = upper;
      column[i + 1] = lower;
    }
    const T radius = sqrt(column[k] * column[k] + length * length);
    const Mask<T> turns = active & (radius > T(0));
    cosine_[k] = select(turns, column[k] / radius, T(1));
    sine_[k] = select(turns, length / radius, T(0));
    column[k] = select(turns, radius, T(1));
    for (std::size_t i = 0; i < k; ++i) column[i] = select(active, column[i], T(0));
    const T before = rest_[k];
    rest_[k] = select(turns, cosine_[k] * before, T(0));
    // Where B takes a vector to nothing, as differences may that drown in rounding errors, nothing is gained.
    rest_[k + 1] = select(turns, -sine_[k] * before, select(active, before, T(0)));
    return turns & (abs(rest_[k + 1]) > goal);
  }

  std::size_t size_, most_;
  std::vector<std::vector<T>> basis_, columns_;
  std::vector<T> cosine_, sine_, rest_, y_, weights_;
  T reached_ = T(0);
};

/// Over dual numbers: B x = b for the values, then B dx = db - dB x for each derivative. (Derivatives of the iteration
/// itself would be of no use where b is zero, or nearly.)
template <class T, int K>
class Gmres<Dual<T, K>> {
  using D = Dual<T, K>;

 public:
  explicit Gmres(std::size_t size, std::size_t dimensions = kKrylov)
      : values_(size, dimensions), weights_(size, D(1)), in_(size), out_(size), right_(size, T(0)), x_(right_) {}

  std::vector<D>& weights() { return weights_; }

  template <class Multiply>
  int solve(const Multiply& multiply, const D* b, D goal, D* x) {
    const std::size_t size = right_.size();
    for (std::size_t j = 0; j < size; ++j) values_.weights()[j] = weights_[j].value;
    const auto multiply_values = [&](const T* a, T* product) {
      for (std::size_t j = 0; j < size; ++j) in_[j] = D(a[j]);
      multiply(in_.data(), out_.data());
      for (std::size_t j = 0; j < size; ++j) product[j] = out_[j].value;
    };
    for (std::size_t j = 0; j < size; ++j) right_[j] = b[j].value;
    int products = values_.solve(multiply_values, right_.data(), goal.value, x_.data());
    for (std::size_t j = 0; j < size; ++j) x[j] = D(x_[j]);
    reached_ = D(values_.reached());
    for (int k = 0; k < K; ++k) {
      for (std::size_t j = 0; j < size; ++j) in_[j] = D(x[j].value);
      multiply(in_.data(), out_.data());
      for (std::size_t j = 0; j < size; ++j) right_[j] = b[j].d[k] - out_[j].d[k];
      products += values_.solve(multiply_values, right_.data(), goal.value, x_.data());
      for (std::size_t j = 0; j < size; ++j) x[j].d[k] = x_[j];
    }
    return products;
  }

  const D& reached() const { return reached_; }

 private:
  D reached_ = D(0);
  Gmres<T> values_;
  std::vector<D> weights_, in_, out_;
  std::vector<T> right_, x_;
};

}  // namespace cotangent
