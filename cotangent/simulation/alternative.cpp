#include "cotangent/simulation/alternative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/standard.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/random_points.hpp"
#include "cotangent/manifold/regular_elements.hpp"

namespace cotangent {
namespace {

// In extended precision: what is equal must differ from what is nearly so.
using Number = Quad;
using Vector = std::vector<Number>;

constexpr int kPoints = 6;
constexpr double kTolerance = 1e-10;  // relative

/// The motion of one Hamiltonian.
class Motion {
 public:
  explicit Motion(const Model& model)
      : system_(regular_elements(model, notes_), Backend::interpreter), manifold(system_), standard_(manifold) {}

  struct Values {
    Number H = 0;
    Vector q_dot, p_dot, H_q;
  };

  // False if the multipliers are not determined there.
  bool at(const PhasePoint<Number>& z, Values& values) {
    values.q_dot = values.p_dot = values.H_q = Vector(z.q.size());
    Vector s_dot(z.s.size());
    values.H = system_.at(z).H();
    system_.at(z).H_q(values.H_q);
    return standard_.field(z, values.q_dot.data(), values.p_dot.data(), s_dot.data());
  }

 private:
  std::vector<std::string> notes_;
  System<Number> system_;

 public:
  Manifold<Number> manifold;

 private:
  Standard<Number> standard_;
};

Number largest(const Vector& x) {
  Number result = 0;
  for (const Number value : x) result = std::max(result, std::abs(value));
  return result;
}

struct Difference {
  Number value = 0, scale = 0;
  std::size_t at = 0;

  bool is_too_large() const { return !(value <= kTolerance * scale); }
};

Difference difference(const Vector& a, const Vector& b) {
  Difference result{0, largest(a) + largest(b)};
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (std::abs(a[j] - b[j]) <= result.value) continue;
    result.value = std::abs(a[j] - b[j]);
    result.at = j;
  }
  return result;
}

// "x = 0.6, y = -0.8, p_x = 0.4, ...": where it was.
std::string printed(const Model& model, const PhasePoint<Number>& z) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> words;
  const std::size_t shown = std::min(z.q.size(), kMost);
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
  explicit Comparison(const Model& model) : model_(model), given_(model), alternative_(with_alternative(model)) {}

  AlternativeReport run() {
    const PhasePoint<Number> start = make_initial_data(model_, given_.manifold).z;
    compare(start);
    RandomPoints<Number> near(model_, given_.manifold, start);
    for (int k = 1; k < kPoints; ++k)
      if (const auto z = near.next()) compare(*z);
    return report_;
  }

 private:
  void compare(const PhasePoint<Number>& z) {
    Motion::Values H, other;
    if (!given_.at(z, H)) return;  // a point where the motion is not determined
    if (!alternative_.at(z, other)) refuse(z, "does not determine the multipliers");
    ++report_.points;

    const Number energy = std::abs(other.H - H.H);
    Number magnitude = std::abs(H.H) + std::abs(other.H);
    for (std::size_t j = 0; j < z.p.size(); ++j) magnitude += std::abs(z.p[j] * H.q_dot[j]);
    if (!(energy <= kTolerance * magnitude))
      refuse(z, fmt::format("is {:.10g} where the Hamiltonian is {:.10g}, a difference of {:.3g},",
                            static_cast<double>(other.H), static_cast<double>(H.H), static_cast<double>(energy)));

    const Difference velocity = difference(other.q_dot, H.q_dot);
    if (velocity.is_too_large()) refuse(z, about("velocity of", velocity));
    Difference force = difference(other.p_dot, H.p_dot);
    force.scale += largest(H.H_q) + largest(other.H_q);
    if (force.is_too_large()) refuse(z, about("rate of p_", force));

    report_.energy = std::max(report_.energy, static_cast<double>(energy));
    report_.velocity = std::max(report_.velocity, static_cast<double>(velocity.value));
    report_.force = std::max(report_.force, static_cast<double>(force.value));
  }

  std::string about(const char* what, const Difference& found) const {
    const bool is_prefix = std::string_view(what).ends_with('_');
    return fmt::format("equals the Hamiltonian, but the {}{}{} differs by {:.3g}", what, is_prefix ? "" : " ",
                       entry_name(model_, static_cast<std::int64_t>(found.at)), static_cast<double>(found.value));
  }

  [[noreturn]] void refuse(const PhasePoint<Number>& z, const std::string& what) const {
    throw refusal(model_, model_.alternative_where,
                  fmt::format("the alternative Hamiltonian {} at {}", what, printed(model_, z)),
                  "on the constraint manifold both must give the same motion");
  }

  const Model& model_;
  Motion given_, alternative_;
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
