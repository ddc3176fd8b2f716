#pragma once

#include <string>
#include <vector>

#include "cotangent/analyze/dense/matrix.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The motion that a conserved momentum J(q, p) = a'p + q'A p generates, X = (J_p, -J_q) = (a + A'q, -A p). The linear
/// and angular momenta that find_symmetries() knows are of this form: a and A are values of J.
class SymmetryMotion {
 public:
  /// @param expression of J in the language of models.
  SymmetryMotion(const Model& model, std::string name, const std::string& expression);

  const std::string& name() const { return name_; }
  double J(const PhasePoint<double>& z) const;
  /// (J_q, J_p).
  std::vector<double> gradient(const PhasePoint<double>& z) const;
  std::vector<double> X(const PhasePoint<double>& z) const;
  /// X', which does not depend on z.
  Matrix derivative() const;

 private:
  std::size_t n() const { return a_.size(); }

  std::string name_;
  std::vector<double> a_;
  Matrix A_;
};

/// Those of all momenta that are known to be conserved everywhere; none where they were not sought.
std::vector<SymmetryMotion> symmetry_motions(const Model& model);

}  // namespace cotangent
