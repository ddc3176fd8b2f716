#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cotangent/analyze/dense/matrix.hpp"

namespace cotangent {

/// What becomes of small r with r' = A(t) r.
struct Fate {
  enum class Kind : std::uint8_t {
    decay,        ///< |r| shrinks exponentially
    bounded,      ///< it neither grows nor shrinks
    power,        ///< it grows as t^exponent
    exponential,  ///< it grows as exp(rate t)
    undecided,    ///< errors are as large as what would decide
  };
  Kind kind = Kind::bounded;
  double rate = 0, rate_error = 0;  ///< of log |r|, per unit of time
  double exponent = 0;              ///< |r| ~ t^exponent where there is no rate
};

/// "decay", "bounded", ...
const char* name_of(Fate::Kind kind);

/// The transition matrix of r' = A(t) r, r(t) = Psi(t) r(0), from A at equidistant times: by the classical Runge-Kutta
/// method, once with steps over two of them and once over four, whose difference gives an estimate of the error and a
/// better Psi [hlw06, II.1]. Psi is kept near one by a factor, whose logarithm is added up.
class Transition {
 public:
  /// @param basis an orthonormal one, as columns, of r that are meant, a subspace that Psi of a period leads to itself;
  /// none: of all.
  explicit Transition(double step, Matrix basis = {}) : step_(step), basis_(std::move(basis)) {}

  /// A at the next time; at the beginning first.
  void add(Matrix A);

  /// Psi exp(-log_factor()), between vectors of the basis, at the last time whose number is a multiple of four.
  Matrix psi() const { return in_basis(sum(fine_, 1.0 / 15, sum(fine_, -1, coarse_))); }
  double log_factor() const { return log_factor_; }
  double relative_error() const;
  double duration() const { return 4 * step_ * static_cast<double>(log_norms_.size()); }

  /// Where A(t) has the period duration(): the eigenvalues of Psi are Floquet's multipliers, and decide.
  std::vector<Complex> multipliers() const;
  Fate fate_of_periodic() const;

  /// Otherwise as far as was seen: the growth of the largest |Psi| from quarter to half to whole durations.
  Fate fate_as_seen() const;

 private:
  Matrix in_basis(const Matrix& psi) const { return basis_.rows == 0 ? psi : product(transposed(basis_), psi); }
  Matrix advance(const Matrix& psi, const Matrix& A_0, const Matrix& A_1, const Matrix& A_2, double h) const;

  double step_;
  Matrix basis_;
  std::vector<Matrix> window_;  // A at up to five times
  Matrix fine_, coarse_;
  double log_factor_ = 0;
  std::vector<double> log_norms_;  // of Psi, every four steps
};

}  // namespace cotangent
