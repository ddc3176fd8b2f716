#include "cotangent/analyze/dirac/imposed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "cotangent/analyze/dirac/bracket_text.hpp"
#include "cotangent/analyze/dirac/evaluation.hpp"
#include "cotangent/analyze/dirac/printed.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

using Numbers = std::vector<double>;

struct PhaseGradient {
  Numbers q, p;
};

double dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Numbers operator-(Numbers a) {
  for (double& x : a) x = -x;
  return a;
}

// With (x, y) = C^-1 ({g_a, g}, {psi_a, g}):   R y = G g_p,   R x = S y - {psi, g}.
double dirac_bracket(Manifold<double>& manifold, const PhasePoint<double>& z, const PhaseGradient& f,
                     const PhaseGradient& g) {
  System<double>& system = manifold.system();
  const std::size_t n = f.q.size(), m = static_cast<std::size_t>(system.m());
  HiddenConstraint<double> psi(system);
  psi.at(z);
  static_cast<void>(manifold.matrix().factor(z));
  Numbers y(m), x(m), psi_g(m), Gx(n);
  PhaseGradient psi_y{Numbers(n), Numbers(n)};
  psi.G_times(g.p, y);
  manifold.matrix().solve(y.data());
  psi.gradient(y.data(), psi_y.q.data(), psi_y.p.data());
  psi.along(psi_y.p.data(), (-psi_y.q).data(), Time::held, x.data());
  psi.along(g.p.data(), (-g.q).data(), Time::held, psi_g.data());
  for (std::size_t a = 0; a < m; ++a) x[a] -= psi_g[a];
  manifold.matrix().solve(x.data());
  psi.Gt_times(x, Gx);
  return dot(f.q, g.p) - dot(f.p, g.q) + dot(f.p, Gx) - dot(f.q, psi_y.p) + dot(f.p, psi_y.q);
}

// Values and derivatives of functions at a point of phase space.
class Functions {
 public:
  Functions(const Model& model, const PhasePoint<double>& z) : written_(model) {
    const auto& coordinates = written_.coordinates();
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      at_[coordinates[k].q.id()] = z.q[k];
      at_[coordinates[k].p.id()] = z.p[k];
    }
    at_[written_.t().id()] = z.t;
  }

  std::pair<PhaseGradient, PhaseGradient> gradients(const std::string& text) {
    const auto [f, g] = read_bracket(written_, text);
    for (const auto& parameter : written_.parameters()) at_[parameter.symbol.id()] = parameter.value;
    return {gradient_of(f), gradient_of(g)};
  }

 private:
  PhaseGradient gradient_of(Expr f) const {
    std::vector<Expr> q, p;
    for (const auto& c : written_.coordinates()) q.push_back(c.q), p.push_back(c.p);
    return {values(gradient(f, q)), values(gradient(f, p))};
  }
  Numbers values(const std::vector<Expr>& all) const {
    Numbers result;
    for (const Sized& x : Evaluation(all)(at_)) result.push_back(static_cast<double>(x.value));
    return result;
  }

  WrittenOut written_;
  SymbolValues at_;
};

std::int64_t redundant_rows(const std::vector<RedundantConstraint>& redundant, const std::string& family) {
  return std::count_if(redundant.begin(), redundant.end(), [&](const RedundantConstraint& constraint) {
    return constraint.name.substr(0, constraint.name.find('[')) == family;
  });
}

}  // namespace

std::optional<ImposedConstraints> imposed_constraints(const Model& model, const std::vector<std::string>& brackets) {
  if (model.dynamics == Dynamics::equations || model.constraints.empty() || !model.primary_constraints.empty() ||
      !model.gauge.empty())
    return std::nullopt;
  std::vector<std::string> completed, notes;
  const auto elements = regular_elements(model, completed);
  if (!completed.empty()) return std::nullopt;
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const auto start = make_start(model, manifold, InitialPolicy::project, notes);
  ImposedConstraints result{.n = elements->n, .m = elements->m, .redundant = redundant_constraints(manifold, start.z)};
  for (const Constraint& g : model.constraints) {
    const auto rows = std::find_if(elements->rows.begin(), elements->rows.end(),
                                   [&](const NamedRows& named) { return named.name == g.name; });
    result.families.push_back({.name = g.name,
                               .expression = printed(g.components.front()),
                               .count = rows->count,
                               .rank = rows->count - redundant_rows(result.redundant, g.name)});
  }
  if (brackets.empty()) return result;
  Functions functions(model, start.z);
  for (const std::string& text : brackets) {
    const auto [f, g] = functions.gradients(text);
    result.brackets.emplace_back(text, dirac_bracket(manifold, start.z, f, g));
  }
  return result;
}

namespace {

// The constraints of four generations, family by family.
Json constraints_of(const ImposedConstraints& found) {
  std::vector<Json> all;
  const auto add = [&](const std::string& name, const std::string& expression, int generation, const char* kind,
                       std::int64_t count) {
    if (count > 0)
      all.push_back(Json::object(
          {{"name", name}, {"expression", expression}, {"generation", generation}, {"class", kind}, {"count", count}}));
  };
  for (const auto& family : found.families) {
    const std::string& name = family.name;
    add("p_lambda_" + name, "p_lambda_" + name, 1, "second", family.rank);
    add("p_lambda_" + name, "p_lambda_" + name, 1, "first", family.count - family.rank);
    add(name, family.expression, 2, "second", family.rank);
    add("psi_" + name, "G H_p + g_t", 3, "second", family.rank);
    add("lambda_" + name, "b - R lambda", 4, "second", family.rank);
  }
  return Json::long_list(all);
}

}  // namespace

std::vector<std::pair<std::string, Json>> json_of(const ImposedConstraints& found) {
  const std::int64_t r = found.rank();
  const auto redundant = Json::each(found.redundant, [](const RedundantConstraint& constraint) {
    return Json::object(
        {{"constraint", constraint.name},
         {"follows_from", Json::list({constraint.follows_from.begin(), constraint.follows_from.end()})}});
  });
  std::vector<std::pair<std::string, Json>> members{
      {"consistent", true},
      {"degrees_of_freedom", found.n - r},
      {"counts",
       Json::object(
           {{"primary", found.m}, {"total", found.m + 3 * r}, {"first_class", found.m - r}, {"second_class", 4 * r}})},
      {"constraints", constraints_of(found)},
      {"multipliers", Json::object({{"fixed", r}, {"free", found.m - r}})},
      {"redundant", Json::long_list(redundant)},
      {"by_rank", true}};
  std::vector<std::pair<std::string, Json>> brackets;
  for (const auto& [text, value] : found.brackets) brackets.emplace_back(text, Json::object({{"value", value}}));
  if (!brackets.empty()) members.emplace_back("brackets", Json::object(brackets));
  return members;
}

std::string text_of(const ImposedConstraints& found) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", name, value);
  };
  const std::int64_t r = found.rank();
  row("method", "rank of R = G H_pp G' at the initial data: the system is too large for symbols");
  std::string families;
  for (const auto& family : found.families)
    families += fmt::format("{}{} ({})", families.empty() ? "" : ", ", family.name, family.count);
  row("imposed", families);
  for (const auto& constraint : found.redundant) row("redundant", describe(constraint));
  row("generation 1", fmt::format("p_lambda = 0: {}", found.m));
  row("generation 2", fmt::format("g = 0: {}", r));
  row("generation 3", fmt::format("G H_p + g_t = 0: {}", r));
  row("generation 4", fmt::format("b - R lambda = 0: {}", r));
  text += "\nResult\n";
  row("constraints", fmt::format("{}: {} first class, {} second class", found.m + 3 * r, found.m - r, 4 * r));
  row("multipliers", fmt::format("{} fixed, {} free", r, found.m - r));
  row("degrees of freedom", std::to_string(found.n - r));
  if (!found.brackets.empty()) text += "\nDirac brackets at the initial point\n";
  for (const auto& [functions, value] : found.brackets) row("{" + functions + "} ", fmt::format("{:.15g}", value));
  return text;
}

}  // namespace cotangent
