#include "cotangent/analyze/dirac/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/analyze/dirac/printed.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

// An expression, and the same in LaTeX, as members of an object.
void append_expression(Members& members, Expr e) {
  members.emplace_back("expression", printed(e));
  if (is_readable(e)) members.emplace_back("latex", to_latex(e));
}

const char* class_word(const DiracAlgorithm& analysis, const DiracConstraint& chi) {
  if (!analysis.is_settled()) return "none";
  return chi.is_first_class ? "first" : "second";
}

const char* kind_word(Consistency consistency) {
  static constexpr const char* words[] = {"satisfied", "new constraint", "multiplier", "contradiction"};
  return words[static_cast<std::size_t>(consistency)];
}

Json json_of(const DiracAlgorithm& analysis, const DiracConstraint& chi) {
  Members members{{"name", chi.name}};
  append_expression(members, chi.value);
  members.emplace_back("generation", chi.generation);
  members.emplace_back("class", class_word(analysis, chi));
  if (!chi.parent.empty()) members.emplace_back("parent", chi.parent);
  members.emplace_back("gauge", chi.is_gauge);
  members.emplace_back("consistency", kind_word(chi.consistency));
  members.emplace_back("outcome", chi.outcome);
  if (!chi.remark.empty()) members.emplace_back("remark", chi.remark);
  if (chi.is_first_class) members.emplace_back("first_class_combination", printed(chi.combination));
  return Json::object(members);
}

Json json_of(const DiracMultiplier& u) {
  Members members{{"name", printed(u.symbol)}, {"constraint", u.constraint}, {"fixed", u.value.valid()}};
  if (u.value.valid()) append_expression(members, u.value);
  return Json::object(members);
}

Json json_of(const GaugeTransformation& transformation) {
  Members changes;
  for (const auto& [name, change] : transformation.changes) changes.emplace_back(name, printed(change));
  return Json::object({{"parameter", transformation.parameter},
                       {"chain", Json::list(Json::each(transformation.chain, [](Expr G) { return Json(printed(G)); }))},
                       {"closed", transformation.is_closed},
                       {"changes", Json::object(changes)}});
}

Json or_null(std::optional<int> count) { return count ? Json(*count) : Json(std::numeric_limits<double>::quiet_NaN()); }

Json json_of(const ExprMatrix& matrix) {
  return Json::long_list(Json::each(
      matrix, [](const auto& row) { return Json::list(Json::each(row, [](Expr e) { return Json(printed(e)); })); }));
}

}  // namespace

Members json_of(const DiracReport& report) {
  const DiracAlgorithm& analysis = report.analysis;
  const auto& constraints = analysis.constraints();
  const auto primary = std::count_if(constraints.begin(), constraints.end(),
                                     [](const auto& chi) { return chi.generation == 1 && !chi.is_gauge; });
  const int free = analysis.free_multipliers();
  Members members{{"consistent", analysis.is_consistent()}};
  members.emplace_back("degrees_of_freedom", or_null(analysis.degrees_of_freedom()));
  const auto if_settled = [&](int count) { return analysis.is_settled() ? std::optional(count) : std::nullopt; };
  members.emplace_back("counts", Json::object({{"primary", static_cast<std::int64_t>(primary)},
                                               {"total", static_cast<std::int64_t>(constraints.size())},
                                               {"first_class", or_null(if_settled(analysis.first_class()))},
                                               {"second_class", or_null(if_settled(analysis.second_class()))}}));
  if (const auto rank = analysis.canonical().hessian_rank)
    members.emplace_back(
        "hessian",
        Json::object({{"rank", *rank}, {"size", static_cast<std::int64_t>(analysis.canonical().velocities)}}));
  Members hamiltonian;
  append_expression(hamiltonian, analysis.canonical().H);
  members.emplace_back("hamiltonian", Json::object(hamiltonian));
  members.emplace_back(
      "constraints", Json::long_list(Json::each(constraints, [&](const auto& chi) { return json_of(analysis, chi); })));
  const auto fixed = static_cast<std::int64_t>(analysis.multipliers().size()) - free;
  members.emplace_back(
      "multipliers",
      Json::object(
          {{"fixed", fixed},
           {"free", free},
           {"all", Json::long_list(Json::each(analysis.multipliers(), [](const auto& u) { return json_of(u); }))}}));
  if (analysis.is_settled()) {
    members.emplace_back("matrix", json_of(analysis.matrix()));
    members.emplace_back(
        "gauge_transformations",
        Json::long_list(Json::each(analysis.gauge_transformations(), [](const auto& G) { return json_of(G); })));
  }
  if (!report.brackets.empty()) {
    Members brackets;
    for (const DiracBracket& bracket : report.brackets) {
      Members found;
      if (bracket.expression.valid()) append_expression(found, bracket.expression);
      if (bracket.value) found.emplace_back("value", static_cast<double>(*bracket.value));
      brackets.emplace_back(bracket.text, Json::object(found));
    }
    members.emplace_back("brackets", Json::object(brackets));
    members.emplace_back("bracket_laws", Json::object({{"antisymmetry", static_cast<double>(report.laws.antisymmetry)},
                                                       {"jacobi", static_cast<double>(report.laws.jacobi)},
                                                       {"casimirs", static_cast<double>(report.laws.casimirs)}}));
  }
  if (!analysis.undecided().empty()) members.emplace_back("undecided", analysis.undecided());
  const Margin& margin = analysis.margin();
  members.emplace_back("margin",
                       Json::object({{"largest_zero", static_cast<double>(margin.largest_zero)},
                                     {"smallest_nonzero", static_cast<double>(margin.smallest_nonzero)},
                                     {"smallest_pivot", static_cast<double>(margin.smallest_pivot)},
                                     {"largest_dropped_pivot", static_cast<double>(margin.largest_dropped)}}));
  members.emplace_back("notes", Json::long_list({analysis.notes().begin(), analysis.notes().end()}));
  return members;
}

std::string text_of(const DiracReport& report, bool latex) {
  const DiracAlgorithm& analysis = report.analysis;
  const Canonical& canonical = analysis.canonical();
  const auto print = [&](Expr e) { return latex && is_readable(e) ? "$" + to_latex(e) + "$" : printed(e); };
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<19} {}\n", name, value);
  };
  if (canonical.hessian_rank)
    row("Hessian L_vv",
        fmt::format("rank {} of {}{}", *canonical.hessian_rank, canonical.velocities,
                    *canonical.hessian_rank < static_cast<int>(canonical.velocities) ? ": singular" : ""));
  row("H", print(canonical.H));
  text += "\nConstraints\n";
  for (const auto& chi : analysis.constraints()) {
    row(chi.name, print(chi.value) + " = 0");
    const std::string origin = chi.is_gauge && chi.parent.empty() ? "gauge condition"
                               : chi.parent.empty()               ? "primary"
                                                    : fmt::format("generation {}, from {}", chi.generation, chi.parent);
    std::string kind;
    if (analysis.is_settled()) kind = chi.is_first_class ? ", first class" : ", second class";
    row("", fmt::format("{}{}; {}", origin, kind, chi.outcome));
    if (!chi.remark.empty()) row("", chi.remark);
    if (chi.is_first_class && !(chi.combination == chi.value)) row("", "first class: " + print(chi.combination));
  }
  if (analysis.constraints().empty()) row("none", "the system is regular");
  if (analysis.is_settled() && !analysis.multipliers().empty()) {
    text += "\nMultipliers of H_T = H + sum of u times primary constraints\n";
    for (const auto& u : analysis.multipliers()) row(printed(u.symbol), u.value.valid() ? print(u.value) : "free");
  }
  if (analysis.is_settled() && !analysis.gauge_transformations().empty()) {
    text += "\nGauge transformations\n";
    for (const auto& [parameter, chain, is_closed, changes] : analysis.gauge_transformations()) {
      std::string generator;
      for (std::size_t j = 0; j < chain.size(); ++j)
        generator += fmt::format("{}{}{}*({})", j == 0 ? "" : " + ", parameter, std::string(chain.size() - 1 - j, '\''),
                                 print(chain[j]));
      row(parameter, generator);
      for (const auto& [name, change] : changes) row("", fmt::format("delta {} = {}", name, print(change)));
      if (!is_closed)
        row("",
            "the chain does not close on primary first-class constraints: no symmetry of the action by this "
            "construction");
    }
  }
  if (!report.brackets.empty()) {
    text += "\nDirac brackets on the constraint surface\n";
    for (const auto& bracket : report.brackets) {
      const std::string value =
          bracket.value ? fmt::format("{:.12g}", static_cast<double>(*bracket.value)) : "no point found";
      row("{" + bracket.text + "}",
          bracket.expression.valid() ? fmt::format("{}   (= {})", print(bracket.expression), value) : value);
    }
    row("verified",
        fmt::format(
            "at random points: antisymmetry to {:.0e}, Jacobi identity to {:.0e}, constraints as Casimirs to {:.0e}",
            static_cast<double>(report.laws.antisymmetry), static_cast<double>(report.laws.jacobi),
            static_cast<double>(report.laws.casimirs)));
  }
  text += "\nResult\n";
  if (!analysis.is_consistent()) {
    row("consistent", "no: the equations of motion have no solution");
  } else if (!analysis.undecided().empty()) {
    row("undecided", analysis.undecided());
  } else {
    row("constraints", fmt::format("{}: {} first class, {} second class", analysis.constraints().size(),
                                   analysis.first_class(), analysis.second_class()));
    row("multipliers",
        fmt::format("{} fixed, {} free", static_cast<int>(analysis.multipliers().size()) - analysis.free_multipliers(),
                    analysis.free_multipliers()));
    const auto dof = analysis.degrees_of_freedom();
    row("degrees of freedom", dof ? std::to_string(*dof) : "undetermined");
  }
  const Margin& margin = analysis.margin();
  const auto below = [](const Quad& size) {
    return size > 0 ? fmt::format("below {:.0e}", static_cast<double>(size)) : std::string("exact");
  };
  row("decided by values", fmt::format("zeros {}, others above {:.0e}; pivots above {:.0e}, rests {}",
                                       below(margin.largest_zero), static_cast<double>(margin.smallest_nonzero),
                                       static_cast<double>(margin.smallest_pivot), below(margin.largest_dropped)));
  for (const auto& note : analysis.notes()) text += fmt::format("  note: {}\n", note);
  return text;
}

}  // namespace cotangent
