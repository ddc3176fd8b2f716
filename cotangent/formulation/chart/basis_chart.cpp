// The full charts of chart.hpp: the rows of A are a basis of the null space of G where the chart is made, from a QR
// factorisation of G' or from a singular value decomposition of G,
//
//   G' = Q [R; 0],  A = Q_2'              QR, by Householder's reflections
//   G = U S V',     A spans V_2           SVD
//
// with entries rounded to multiples of a power of two, so that there are finitely many A and each belongs to a region.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/chart.hpp"
#include "cotangent/solve/direct/pivoted_lu.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

constexpr std::int64_t kMost = 500;

using Dense = std::vector<std::vector<double>>;  // by rows

struct Basis {
  Dense rows;                             // of A
  std::vector<std::int64_t> constraints;  // independent ones
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// x <- x - 2 w (w'x).
void reflect(std::vector<double>& x, const std::vector<double>& w) {
  const double along = 2 * dot(w, x);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= along * w[j];
}

// Independent constraints, and the reflections that make [R; 0] of their gradients.
std::vector<std::vector<double>> reflections_of(const Dense& G, AtMostDependent& choice,
                                                std::vector<std::int64_t>& constraints) {
  std::vector<std::vector<double>> reflections;
  constraints.clear();
  for (std::size_t r = 0; r < G.size(); ++r) {
    std::vector<double> x = G[r];
    for (const auto& w : reflections) reflect(x, w);
    const std::size_t k = reflections.size();
    std::fill_n(x.begin(), k, 0.0);
    const double norm = std::sqrt(dot(x, x));
    if (choice.drops(norm > 0 ? norm / std::sqrt(dot(G[r], G[r])) : 0)) continue;
    constraints.push_back(static_cast<std::int64_t>(r));
    // What is zero by symmetry has no sign, whatever rounding errors make of it.
    x[k] += x[k] < -kTie * norm ? -norm : norm;
    const double length = std::sqrt(dot(x, x));
    for (double& entry : x) entry /= length;
    reflections.push_back(x);
  }
  return reflections;
}

Basis basis_by_qr(const Dense& G, std::size_t n, std::size_t nullity) {
  Basis basis;
  std::vector<std::vector<double>> reflections;
  AtMostDependent choice(nullity);
  do reflections = reflections_of(G, choice, basis.constraints);
  while (choice.goes_on());
  for (std::size_t k = reflections.size(); k < n; ++k) {
    std::vector<double> row(n, 0.0);
    row[k] = 1;
    for (std::size_t i = reflections.size(); i-- > 0;) reflect(row, reflections[i]);
    basis.rows.push_back(std::move(row));
  }
  return basis;
}

// Of the columns of a projection N, |N e_j|^2 = N_jj, the first that is not much shorter than the longest: columns that
// are equally long by symmetry must not be told apart by rounding errors.
std::size_t long_column(const Dense& N) {
  double longest = 0;
  for (std::size_t j = 0; j < N.size(); ++j) longest = std::max(longest, N[j][j]);
  std::size_t j = 0;
  while (N[j][j] < 0.5 * longest) ++j;
  return j;
}

// The null space has one projection N = V_2 V_2' = Q_2 Q_2', while its basis may be turned. Rows that are taken from N
// one by one are free of that: N e_j / |N e_j|, N being what is left of it.
Basis basis_by_svd(const Dense& G, std::size_t n, std::size_t nullity) {
  Basis basis = basis_by_qr(G, n, nullity);
  Dense N(n, std::vector<double>(n, 0.0));
  const auto add = [&N](const std::vector<double>& row, double sign) {
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = 0; j < row.size(); ++j) N[i][j] += sign * row[i] * row[j];
  };
  for (const auto& row : basis.rows) add(row, 1);
  for (auto& row : basis.rows) {
    row = N[long_column(N)];
    const double length = std::sqrt(dot(row, row));
    for (double& entry : row) entry /= length;
    add(row, -1);
  }
  return basis;
}

// Fine enough that rounding errors of a whole row stay small against its length one.
double grid(std::size_t n) { return std::exp2(-std::ceil(std::log2(4 * std::sqrt(static_cast<double>(n))))); }

template <class T>
class BasisChart final : public Chart<T> {
 public:
  BasisChart(Jacobian<T>& G, std::size_t n, std::vector<std::int64_t> key, const Basis& basis)
      : Chart<T>(std::move(key), static_cast<std::int64_t>(basis.rows.size())),
        G_(G),
        n_(n),
        values_(G.entries().size(), T(0)),
        constraints_(basis.constraints),
        lu_(n),
        matrix_(n * n, T(0)),
        x_(n, T(0)) {
    for (const auto& row : basis.rows)
      for (const double entry : row) A_.push_back(T(entry));
    std::int64_t m = 0;
    for (const auto& entry : G.entries()) m = std::max(m, entry.row + 1);
    place_.assign(static_cast<std::size_t>(m), -1);
    for (std::size_t k = 0; k < constraints_.size(); ++k) place_[constraints_[k]] = static_cast<std::int64_t>(k);
  }

  void coordinates(const T* q, T* delta) const override {
    for (std::size_t k = 0; k < rows(); ++k) {
      delta[k] = T(0);
      for (std::size_t j = 0; j < n_; ++j) delta[k] += A_[k * n_ + j] * q[j];
    }
  }

  void transpose(const T* theta, T* x) const override {
    std::fill_n(x, n_, T(0));
    for (std::size_t k = 0; k < rows(); ++k)
      for (std::size_t j = 0; j < n_; ++j) x[j] += A_[k * n_ + j] * theta[k];
  }

  bool factor(const T* q, const T& t) override {
    G_.evaluate(q, t, values_.data());
    std::copy(A_.begin(), A_.end(), matrix_.begin());
    std::fill(matrix_.begin() + static_cast<std::ptrdiff_t>(A_.size()), matrix_.end(), T(0));
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const std::int64_t place = place_[G_.entries()[e].row];
      if (place >= 0)
        matrix_[(rows() + static_cast<std::size_t>(place)) * n_ + static_cast<std::size_t>(G_.entries()[e].column)] +=
            values_[e];
    }
    return lu_.factor(matrix_);
  }

  void lift(const T* u, const T* c, T* v) override {
    for (std::size_t k = 0; k < rows(); ++k) v[k] = u[k];
    for (std::size_t k = 0; k < constraints_.size(); ++k) v[rows() + k] = c[constraints_[k]];
    lu_.solve(v, work_);
  }

  void pull_back(const T* x, T* theta) override {
    std::copy_n(x, n_, x_.begin());
    lu_.solve_transposed(x_.data(), work_);
    std::copy_n(x_.begin(), rows(), theta);
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(this->size()); }

  Jacobian<T>& G_;
  std::size_t n_;
  std::vector<T> values_, A_;
  std::vector<std::int64_t> constraints_, place_;
  PivotedLu<T> lu_;
  std::vector<T> matrix_, x_, work_;
};

template <class T>
class BasisAtlas final : public Atlas<T> {
 public:
  BasisAtlas(Manifold<T>& manifold, ChartKind kind, bool is_rounded)
      : matrix_(manifold.matrix()),
        system_(manifold.system()),
        kind_(kind),
        step_(is_rounded ? grid(static_cast<std::size_t>(system_.n())) : epsilon<double>()),
        G_(system_),
        values_(G_.entries().size(), T(0)) {
    if (system_.n() > kMost)
      throw std::invalid_argument(
          fmt::format("charts from {} are full matrices and end at {} coordinates; this system has {}: use "
                      "`chart = partition`",
                      kind == ChartKind::qr ? "QR" : "SVD", kMost, system_.n()));
  }

  std::shared_ptr<Chart<T>> at(const T* q, const T& t) override {
    const auto n = static_cast<std::size_t>(system_.n());
    Dense G(static_cast<std::size_t>(system_.m()), std::vector<double>(n, 0.0));
    G_.evaluate(q, t, values_.data());
    for (std::size_t e = 0; e < values_.size(); ++e)
      G[G_.entries()[e].row][G_.entries()[e].column] += static_cast<double>(values_[e]);
    basis_ = kind_ == ChartKind::qr ? basis_by_qr(G, n, matrix_.nullity()) : basis_by_svd(G, n, matrix_.nullity());
    key_.assign(1, static_cast<std::int64_t>(basis_.constraints.size()));
    key_.insert(key_.end(), basis_.constraints.begin(), basis_.constraints.end());
    for (const auto& row : basis_.rows)
      for (const double entry : row) key_.push_back(std::llround(entry / step_));
    return find(key_);
  }

  // The number of constraints; these; and the entries of A.
  std::shared_ptr<Chart<T>> find(const std::vector<std::int64_t>& key) override {
    const std::int64_t n = system_.n(), rank = key.empty() ? -1 : key[0];
    if (rank < 0 || rank > n || key.size() != static_cast<std::size_t>(1 + rank + (n - rank) * n)) return nullptr;
    const auto entries = key.begin() + 1 + rank;
    if (!std::all_of(key.begin() + 1, entries, [this](std::int64_t r) { return r >= 0 && r < system_.m(); }))
      return nullptr;
    return charts_.find(key, [&] {
      Basis basis{Dense(static_cast<std::size_t>(n - rank)), {key.begin() + 1, entries}};
      auto entry = entries;
      for (auto& row : basis.rows)
        for (std::int64_t j = 0; j < n; ++j) row.push_back(static_cast<double>(*entry++) * step_);
      return std::make_shared<BasisChart<T>>(G_, static_cast<std::size_t>(n), key, basis);
    });
  }

 private:
  const ConstraintMatrix<T>& matrix_;
  System<T>& system_;
  ChartKind kind_;
  double step_;  // the entries of A are multiples of it
  Jacobian<T> G_;
  std::vector<T> values_;
  Basis basis_;
  std::vector<std::int64_t> key_;
  ChartCache<T> charts_;
};

}  // namespace

template <class T>
std::unique_ptr<Atlas<T>> make_basis_atlas(Manifold<T>& manifold, ChartKind kind, bool is_rounded) {
  return std::make_unique<BasisAtlas<T>>(manifold, kind, is_rounded);
}

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<Atlas<T>> make_basis_atlas(Manifold<T>&, ChartKind, bool);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
