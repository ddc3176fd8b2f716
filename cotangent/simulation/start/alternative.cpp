#include "cotangent/simulation/start/alternative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/field/standard.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/random_points.hpp"
#include "cotangent/manifold/regular_elements.hpp"

namespace cotangent {
namespace {

// In extended precision: what is equal must differ from what is nearly so.
using Number = Quad;
using Vector = std::vector<Number>;

/// The motion of one Hamiltonian.
struct Motion {
  explicit Motion(const Model& model)
      : system(regular_elements(model, notes), Backend::interpreter), manifold(system), standard(manifold) {}

  // Evaluates everything at z. False if the multipliers are not determined there.
  bool look(const PhasePoint<Number>& z) {
    q_dot = p_dot = H_q = Vector(z.q.size());
    Vector s_dot(z.s.size());
    H = system.at(z).H();
    system.at(z).H_q(H_q);
    return standard.field(z, q_dot.data(), p_dot.data(), s_dot.data());
  }

  std::vector<std::string> notes;
  System<Number> system;
  Manifold<Number> manifold;
  Standard<Number> standard;
  Number H = 0;
  Vector q_dot, p_dot, H_q;
};

// The largest |a_j - b_j|, and which one it is.
struct Difference {
  Difference(const Vector& a, const Vector& b) {
    for (std::size_t j = 0; j < a.size(); ++j)
      if (const Number here = std::abs(a[j] - b[j]); !(here <= value)) value = here, at = static_cast<std::int64_t>(j);
  }

  // The constants of a model may be rounded in either form.
  bool is_too_large(const Number& scale) const { return !(value <= kSameNumbers * scale); }

  Number value = 0;
  std::int64_t at = 0;
};

// "x = 0.6, y = -0.8, p_x = 0.4, ...": where it was.
std::string printed(const Model& model, const PhasePoint<Number>& z) {
  std::vector<std::string> words;
  const std::size_t shown = std::min(z.q.size(), kLimits.names);
  for (const auto& [prefix, values] : {std::pair("", &z.q), std::pair("p_", &z.p)})
    for (std::size_t j = 0; j < shown; ++j)
      words.push_back(fmt::format("{}{} = {:.6g}", prefix, entry_name(model, static_cast<std::int64_t>(j)),
                                  static_cast<double>((*values)[j])));
  return fmt::format("{}{}, t = {:g}", fmt::join(words, ", "), shown < z.q.size() ? ", ..." : "",
                     static_cast<double>(z.t));
}

/// Compares both Hamiltonians point by point.
class Comparison {
 public:
  explicit Comparison(const Model& model) : model_(model), given_(model), other_(with_alternative(model)) {}

  AlternativeReport run() {
    const PhasePoint<Number> start = make_initial_data(model_, given_.manifold).z;
    compare(start);
    RandomPoints<Number> near(model_, given_.manifold, start);
    for (int k = 1; k < kEnoughPoints; ++k)
      if (const auto z = near.next()) compare(*z);
    return report_;
  }

 private:
  void compare(const PhasePoint<Number>& z) {
    if (!given_.look(z)) return;  // a point where the motion is not determined
    if (!other_.look(z)) refuse(z, "does not determine the multipliers");
    ++report_.points;

    const Difference energy({other_.H}, {given_.H});
    if (energy.is_too_large(std::abs(given_.H) + std::abs(other_.H) + sum_of_products(z.p, given_.q_dot)))
      refuse(z, fmt::format("is {:.10g} where the Hamiltonian is {:.10g}, a difference of {:.3g},",
                            static_cast<double>(other_.H), static_cast<double>(given_.H),
                            static_cast<double>(energy.value)));
    const auto sizes = [this](Vector Motion::*x) { return largest_of(given_.*x) + largest_of(other_.*x); };
    const auto refuse_about = [&](const char* what, const Difference& found) {
      refuse(z, fmt::format("equals the Hamiltonian, but the {}{} differs by {:.3g}", what,
                            entry_name(model_, found.at), static_cast<double>(found.value)));
    };
    const Difference velocity(other_.q_dot, given_.q_dot), force(other_.p_dot, given_.p_dot);
    if (velocity.is_too_large(sizes(&Motion::q_dot))) refuse_about("velocity of ", velocity);
    if (force.is_too_large(sizes(&Motion::p_dot) + sizes(&Motion::H_q))) refuse_about("rate of p_", force);

    const auto note = [](double& most, const Difference& found) {
      most = std::max(most, static_cast<double>(found.value));
    };
    note(report_.energy, energy);
    note(report_.velocity, velocity);
    note(report_.force, force);
  }

  [[noreturn]] void refuse(const PhasePoint<Number>& z, const std::string& what) const {
    throw refusal(model_, model_.alternative_where,
                  fmt::format("the alternative Hamiltonian {} at {}", what, printed(model_, z)),
                  "on the constraint manifold both must give the same motion");
  }

  const Model& model_;
  Motion given_, other_;
  AlternativeReport report_;
};

}  // namespace

AlternativeReport check_alternative(const Model& model) { return Comparison(model).run(); }

Model with_alternative(const Model& model) {
  Model result = model;
  result.energy = model.alternative;
  result.energy_where = model.alternative_where;
  return result;
}

}  // namespace cotangent
