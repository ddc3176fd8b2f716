#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cotangent/analyze/dense/matrix.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {

/// A conservative system without gyroscopic terms, at rest and near it. With p the momenta of v = 0, H_p(q, p) = 0,
///
///   V(q) = H(q, p),   V_q = H_q(q, p)                 because H_pq = 0 at rest
///   V_q + G'lambda = 0,   g = 0                       at equilibrium
///   M x'' + K x + G'nu = 0,   G x = 0                 small motions x = dq about it
///   M = H_pp^-1,   K = V_qq + (lambda.g)_qq.
///
/// K, G and M are sparse, and so is all that is done with them: memory grows as n does. Columns of K that share no row
/// are found together, as products with one vector [curtis74].
class Statics {
 public:
  using Vector = std::vector<double>;

  /// @param redundant rows of G that follow from others: no multipliers are theirs.
  /// @throws std::invalid_argument for masses that are neither diagonal nor those of a Lagrangian, where there are too
  /// many for a full matrix.
  Statics(System<double>& system, const std::vector<std::int64_t>& redundant);

  /// What is asked of the system, at q: nothing but its potential acts at rest, and H_pq = 0 there.
  bool is_natural_at(const PhasePoint<double>& z);

  /// Puts z at rest: p. False if there are no such momenta.
  [[nodiscard]] bool rest(PhasePoint<double>& z);

  double V(const PhasePoint<double>& z) { return system_.at(z).H(); }
  void V_q(const PhasePoint<double>& z, Vector& slope) { system_.at(z).H_q(slope); }

  /// K, G and M at a point at rest. @param lambda of all rows; those of redundant ones do not count.
  void linearise(const PhasePoint<double>& z, const Vector& lambda);

  /// Factors [[K + s M + G'C G, G'], [G, 0]], with C diagonal and |G_r|^2 C_r = |K| + s |M|: the same where G x = 0,
  /// and the pivots of coordinates on which no energy depends are not zero. Whether K + s M is positive definite on the
  /// null space of G: then as many pivots are negative as there are rows of G, and no more (the law of inertia).
  [[nodiscard]] bool factor(double s);

  /// x <- x with (K + s M) x + G'nu = x, G x = nu, where nu becomes the multipliers of all rows.
  void solve(Vector& x, Vector& nu);
  /// The same for G x = 0.
  void solve(Vector& x);

  void K_times(const Vector& x, Vector& y) const { multiply(K_, x, y); }
  void M_times(const Vector& x, Vector& y) const { multiply(M_, x, y); }
  Matrix dense_K() const { return dense(K_, n(), n()); }
  Matrix dense_M() const { return dense(M_, n(), n()); }
  Matrix dense_G() const { return dense(G_, rows_.size(), n()); }

  /// About the largest of K and of M.
  double size_of_K() const { return size_of(K_); }
  double size_of_M() const { return size_of(M_); }

  std::size_t n() const { return static_cast<std::size_t>(system_.n()); }
  const std::vector<std::size_t>& rows() const { return rows_; }

 private:
  struct Entry {
    std::size_t row, column;
    double value;
  };
  using Entries = std::vector<Entry>;

  static void multiply(const Entries& a, const Vector& x, Vector& y);
  static Matrix dense(const Entries& a, std::size_t rows, std::size_t columns);
  static double size_of(const Entries& a);

  void plan_gradients();
  void plan_masses();
  void plan_stiffness();
  void plan_factors();

  System<double>& system_;
  std::vector<std::size_t> rows_;  // that count
  MomentumMap<double> momenta_;
  Vector zero_;
  Jacobian<double> jacobian_;
  std::vector<std::size_t> gradients_;  // entries of the Jacobian that count, in the order of G_
  Entries K_, M_, G_;                   // K and M with all of their entries
  std::vector<int> colours_;            // of columns of K
  int colour_count_ = 0;
  std::vector<std::size_t> place_;  // of the entries of K, M and G among those below the diagonal; diagonal first
  // Of G'C G: two entries of a row of G, and their place.
  struct Square {
    std::size_t first, second, place;
  };
  std::vector<Square> squares_;
  Vector C_;
  std::unique_ptr<SparseLdl<double>> factors_;
  Vector values_, magnitude_, right_;
};

}  // namespace cotangent
