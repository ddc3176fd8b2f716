#include "cotangent/analyze/dirac/imposed.hpp"

#include <fmt/format.h>

#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {

std::optional<ImposedConstraints> imposed_constraints(const Model& model) {
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
  for (const NamedRows& rows : elements->rows) result.families.emplace_back(rows.name, rows.count);
  return result;
}

std::vector<std::pair<std::string, Json>> json_of(const ImposedConstraints& found) {
  const std::int64_t r = found.rank();
  const auto redundant = Json::each(found.redundant, [](const RedundantConstraint& constraint) {
    return Json::object(
        {{"constraint", constraint.name},
         {"follows_from", Json::list({constraint.follows_from.begin(), constraint.follows_from.end()})}});
  });
  return {
      {"consistent", true},
      {"degrees_of_freedom", found.n - r},
      {"counts",
       Json::object(
           {{"primary", found.m}, {"total", found.m + 3 * r}, {"first_class", found.m - r}, {"second_class", 4 * r}})},
      {"multipliers", Json::object({{"fixed", r}, {"free", found.m - r}})},
      {"redundant", Json::long_list(redundant)},
      {"by_rank", true}};
}

std::string text_of(const ImposedConstraints& found) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", name, value);
  };
  const std::int64_t r = found.rank();
  row("method", "rank of R = G H_pp G' at the initial data: the system is too large for symbols");
  std::string families;
  for (const auto& [name, count] : found.families)
    families += fmt::format("{}{} ({})", families.empty() ? "" : ", ", name, count);
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
  return text;
}

}  // namespace cotangent
