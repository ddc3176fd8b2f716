#include <Spectra/SymGEigsShiftSolver.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<double>;

NormalModes by_full_matrix(const Statics& statics, std::size_t count) {
  const Matrix B = null_space(statics.dense_G());
  const auto restricted = [&B](const Matrix& A) { return product(transposed(B), product(A, B)); };
  const SymmetricPairs pairs = symmetric_pairs(restricted(statics.dense_K()), restricted(statics.dense_M()));
  Matrix shapes = product(B, pairs.vectors);
  NormalModes modes{.noise = 1e-12 * statics.size_of_K() / statics.size_of_M()};
  for (std::size_t k = 0; k < std::min(count, pairs.values.size()); ++k) {
    modes.omega2.push_back(pairs.values[k]);
    modes.shapes.emplace_back(shapes.column(k), shapes.column(k) + shapes.rows);
  }
  return modes;
}

/// y = (K + s M)^-1 x on the null space of G, in the form that Spectra asks for.
class Inverse {
 public:
  using Scalar = double;
  explicit Inverse(Statics& statics) : statics_(&statics), x_(statics.n()) {}
  Eigen::Index rows() const { return static_cast<Eigen::Index>(x_.size()); }
  Eigen::Index cols() const { return rows(); }
  void set_shift(double) {}  // the factors are those of the shift
  void perform_op(const double* x, double* y) const {
    std::copy_n(x, x_.size(), x_.begin());
    statics_->solve(x_);
    std::copy(x_.begin(), x_.end(), y);
  }

 private:
  Statics* statics_;
  mutable Vector x_;
};

/// y = M x.
class Masses {
 public:
  using Scalar = double;
  explicit Masses(const Statics& statics) : statics_(&statics), x_(statics.n()), y_(x_) {}
  Eigen::Index rows() const { return static_cast<Eigen::Index>(x_.size()); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* x, double* y) const {
    std::copy_n(x, x_.size(), x_.begin());
    statics_->M_times(x_, y_);
    std::copy(y_.begin(), y_.end(), y);
  }

 private:
  const Statics* statics_;
  mutable Vector x_, y_;
};

// The least of some shifts that make K + s M positive definite: then the values next to -s are the smallest.
double positive_shift(Statics& statics) {
  if (statics.factor(0)) return 0;
  double s = 1e-10 * std::max(statics.size_of_K() / statics.size_of_M(), 1e-290);
  for (int attempt = 0; attempt < 40; ++attempt, s *= 8)
    if (statics.factor(s)) return s;
  throw std::invalid_argument("K + s M is positive for no s: some coordinates have no mass");
}

NormalModes by_lanczos(Statics& statics, std::size_t count, std::size_t all) {
  const double s = positive_shift(statics);
  Inverse inverse(statics);
  Masses masses(statics);
  const auto wanted = static_cast<Eigen::Index>(count);
  const auto held = static_cast<Eigen::Index>(std::min(2 * count + 20, all));
  Spectra::SymGEigsShiftSolver<Inverse, Masses, Spectra::GEigsMode::ShiftInvert> solver(inverse, masses, wanted, held,
                                                                                        -s);
  solver.init();
  const auto found = solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::SmallestAlge);
  if (found < wanted) throw std::invalid_argument("the modes were not found: the method of Lanczos did not converge");
  const Eigen::VectorXd values = solver.eigenvalues();
  const Eigen::MatrixXd vectors = solver.eigenvectors();
  // Values are known up to a part of their distance from -s; without a shift there are none that are zero.
  NormalModes modes{.noise = 1e-6 * s};
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    modes.omega2.push_back(values(k));
    modes.shapes.emplace_back(vectors.col(k).begin(), vectors.col(k).end());
  }
  return modes;
}

}  // namespace

NormalModes normal_modes(Statics& statics, std::size_t count) {
  const std::size_t all = statics.n() - statics.rows().size();
  count = std::min(count, all);
  if (count == 0) return {};
  // A basis of the tangent space that may be carried along as a whole is as fast.
  const bool is_small = statics.n() <= static_cast<std::size_t>(kLimits.basis) || 2 * count > all;
  return is_small ? by_full_matrix(statics, count) : by_lanczos(statics, count, all);
}

}  // namespace cotangent
