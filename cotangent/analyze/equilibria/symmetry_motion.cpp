#include "cotangent/analyze/equilibria/symmetry_motion.hpp"

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/discovery/symmetry.hpp"
#include "cotangent/monitor/expressions.hpp"

namespace cotangent {

SymmetryMotion::SymmetryMotion(const Model& model, std::string name, const std::string& expression)
    : name_(std::move(name)), a_(static_cast<std::size_t>(model.dimension())), A_(n(), n()) {
  const Model own = branch(model);
  Expressions<double> value(own, read_expression(own, expression), Backend::interpreter);
  PhasePoint<double> z(model.dimension());
  for (std::size_t j = 0; j < n(); ++j) {
    z.p[j] = 1;
    a_[j] = value(z).front();
    for (std::size_t i = 0; i < n(); ++i) {
      z.q[i] = 1;
      A_(i, j) = value(z).front() - a_[j];
      z.q[i] = 0;
    }
    z.p[j] = 0;
  }
}

std::vector<double> SymmetryMotion::gradient(const PhasePoint<double>& z) const {
  std::vector<double> result(2 * n());
  for (std::size_t j = 0; j < n(); ++j) {
    result[n() + j] += a_[j];
    for (std::size_t i = 0; i < n(); ++i) {
      result[i] += A_(i, j) * z.p[j];
      result[n() + j] += A_(i, j) * z.q[i];
    }
  }
  return result;
}

double SymmetryMotion::J(const PhasePoint<double>& z) const {
  const std::vector<double> slope = gradient(z);
  double sum = 0;
  for (std::size_t j = 0; j < n(); ++j) sum += slope[n() + j] * z.p[j];
  return sum;
}

std::vector<double> SymmetryMotion::X(const PhasePoint<double>& z) const {
  const std::vector<double> slope = gradient(z);
  std::vector<double> result(2 * n());
  for (std::size_t j = 0; j < n(); ++j) {
    result[j] = slope[n() + j];
    result[n() + j] = -slope[j];
  }
  return result;
}

Matrix SymmetryMotion::derivative() const {
  Matrix result(2 * n(), 2 * n());
  for (std::size_t j = 0; j < n(); ++j)
    for (std::size_t i = 0; i < n(); ++i) {
      result(j, i) = A_(i, j);
      result(n() + i, n() + j) = -A_(i, j);
    }
  return result;
}

std::vector<SymmetryMotion> symmetry_motions(const Model& model) {
  std::vector<std::string> notes;
  System<Quad> system(regular_elements(model, notes), Backend::interpreter);
  Manifold<Quad> manifold(system);
  const auto start = make_initial_data(model, manifold);
  std::vector<SymmetryMotion> result;
  for (const auto& momentum : find_symmetries(model, manifold, start.z).momenta)
    if (!momentum.is_local) result.emplace_back(model, momentum.name, momentum.expression);
  return result;
}

}  // namespace cotangent
