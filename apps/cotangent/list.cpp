#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/projection/projection.hpp"
#include "cotangent/run/reproduce/experiment.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

// Facts with names, the same for people and for JSON; the first one is the name. Truths are "yes" and "no" in a sheet,
// a letter or nothing in the overview.
struct Fact {
  std::string name;
  std::string text;
  enum class Kind { text, integer, truth } kind = Kind::text;
  char letter = ' ';
};
using Sheet = std::vector<Fact>;

Fact truth(std::string name, bool value, char letter) {
  return {std::move(name), value ? "yes" : "no", Fact::Kind::truth, letter};
}

// @param sheet const or not.
template <class S>
auto& text_of(S& sheet, std::string_view name) {
  return std::find_if(sheet.begin(), sheet.end(), [&](const Fact& fact) { return fact.name == name; })->text;
}

Sheet method_sheet(const Method<double>& method) {
  const MethodFacts& facts = method.facts;
  return {{"name", facts.name},
          {"family", method.family->pattern},
          {"order", std::to_string(facts.order), Fact::Kind::integer},
          truth("symmetric", facts.symmetric, 'r'),
          truth("symplectic", facts.symplectic, 's'),
          truth("keeps quadratic", facts.keeps_quadratic, 'q'),
          truth("keeps energy", facts.keeps_energy, 'e'),
          truth("keeps g", facts.keeps_position, 'g'),
          truth("keeps G H_p", facts.keeps_momentum, 'p'),
          truth("estimates its error", facts.error_order > 0, 'h'),
          {"kind", describe(facts.kind)},
          {"formulations", fmt::format("{}", fmt::join(facts.formulations, ", "))},
          {"applies to", facts.applies_to},
          {"reference", facts.reference},
          {"description", facts.description}};
}

std::vector<Sheet> method_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& method : methods<double>()) sheets.push_back(method_sheet(method));
  return sheets;
}

// One for each family: its first member, with what is said of all of them.
std::vector<Sheet> family_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& family : method_families<double>()) {
    Sheet sheet = method_sheet(find_method<double>(family.members.front()));
    text_of(sheet, "name") = family.pattern;
    if (!family.order.empty()) text_of(sheet, "order") = family.order;
    if (!family.description.empty()) text_of(sheet, "description") = family.description;
    text_of(sheet, "description") += fmt::format(" [{}]", text_of(sheet, "reference"));
    sheets.push_back(std::move(sheet));
  }
  return sheets;
}

std::vector<Sheet> formulation_sheets() {
  std::vector<Sheet> sheets;
  const auto add = [&](const FormulationFacts& facts) {
    sheets.push_back({{"name", facts.name},
                      {"description", with_flags(facts.description)},
                      {"variables", facts.variables},
                      truth("hamiltonian", facts.hamiltonian, 's'),
                      truth("keeps g", facts.keeps_g, 'g'),
                      truth("keeps psi", facts.keeps_psi, 'p'),
                      truth("keeps H", facts.keeps_H, 'e'),
                      {"off the manifold", facts.residuals},
                      {"derivatives", facts.derivatives},
                      {"moving, forces", facts.moving},
                      {"applies to", facts.applies_to},
                      {"reference", facts.reference}});
  };
  add(direct_facts());
  for (const auto& entry : formulations<double>()) add(entry.facts);
  return sheets;
}

std::vector<Sheet> projection_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& facts : projections())
    sheets.push_back({{"name", facts.name},
                      {"description", facts.description},
                      {"holds afterwards", facts.rows},
                      {"moves", facts.moves},
                      {"nearest in", facts.metrics},
                      {"keeps of a method", facts.keeps}});
  return sheets;
}

std::vector<Sheet> monitor_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& facts : monitors())
    sheets.push_back({{"name", facts.name}, {"description", with_flags(facts.description)}});
  return sheets;
}

std::vector<Sheet> model_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& file : model_files()) {
    std::string title;
    try {
      title = read_model(file, {}, {}, {}, InitialCoverage::partial).title;
    } catch (const ModelError& error) {
      title = "cannot be read: " + error.message();
    }
    sheets.push_back({{"name", file.stem().string()}, {"title", title}, {"file", file.string()}});
  }
  return sheets;
}

std::vector<Sheet> experiment_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& [name, file] : experiment_files()) {
    const Experiment experiment = read_experiment(file, name);
    sheets.push_back({{"name", name},
                      {"claims", std::to_string(experiment.claims.size()), Fact::Kind::integer},
                      {"title", experiment.title}});
  }
  return sheets;
}

// The columns as wide as they need to be, the last one open.
std::string table_of(const std::vector<Sheet>& sheets) {
  std::string text;
  if (sheets.empty()) return text;
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < sheets.front().size(); ++column) {
    std::size_t width = sheets.front()[column].name.size();
    for (const auto& sheet : sheets) width = std::max(width, sheet[column].text.size());
    widths.push_back(width);
  }
  const auto add_row = [&](const Sheet& sheet, std::string Fact::*cell) {
    for (std::size_t column = 0; column + 1 < sheet.size(); ++column)
      text += fmt::format("{:<{}}  ", sheet[column].*cell, widths[column]);
    text += sheet.back().*cell + '\n';
  };
  add_row(sheets.front(), &Fact::name);
  for (const auto& sheet : sheets) add_row(sheet, &Fact::text);
  return text;
}

// "order 4" before the letters, where there are orders; as wide as the widest.
std::string order_of(const Sheet& sheet, const std::vector<Sheet>& all) {
  const auto find = [](const Sheet& one) {
    return std::find_if(one.begin(), one.end(), [](const Fact& fact) { return fact.kind == Fact::Kind::integer; });
  };
  const auto found = find(sheet);
  if (found == sheet.end()) return {};
  std::size_t width = 0;
  for (const Sheet& other : all) width = std::max(width, find(other)->text.size());
  return fmt::format("{} {:<{}}  ", found->name, found->text, width);
}

std::string letters_of(const Sheet& sheet) {
  std::string letters;
  for (const Fact& fact : sheet)
    if (fact.kind == Fact::Kind::truth) letters += fmt::format("{} ", fact.text == "yes" ? fact.letter : '.');
  return letters;
}

// A line each, under what they apply to.
std::string overview_of(const std::string& what, const std::vector<Sheet>& sheets) {
  std::string text;
  std::vector<std::string> legend, headings;
  std::size_t width = 0;
  for (const Fact& fact : sheets.front())
    if (fact.kind == Fact::Kind::truth) legend.push_back(fmt::format("{} {}", fact.letter, fact.name));
  for (const auto& sheet : sheets) {
    width = std::max(width, sheet.front().text.size());
    const std::string& heading = text_of(sheet, "applies to");
    if (std::find(headings.begin(), headings.end(), heading) == headings.end()) headings.push_back(heading);
  }
  for (const auto& heading : headings) {
    text += "for " + wrapped(heading, 4);
    for (const auto& sheet : sheets) {
      if (text_of(sheet, "applies to") != heading) continue;
      const std::string begin =
          fmt::format("  {:<{}}  {}{} ", sheet.front().text, width, order_of(sheet, sheets), letters_of(sheet));
      text += begin + wrapped(text_of(sheet, "description"), begin.size());
    }
  }
  text += '\n' + wrapped(fmt::format("{}", fmt::join(legend, ", ")), 0);
  return text + fmt::format("`cotangent list {} NAME` prints everything about one of them.\n", what);
}

// All facts, one under the other.
std::string all_facts(const Sheet& sheet) {
  std::string text = sheet.front().text + '\n';
  std::size_t width = 0;
  for (const auto& fact : sheet) width = std::max(width, fact.name.size());
  for (std::size_t k = 1; k < sheet.size(); ++k)
    text += fmt::format("  {:<{}}  ", sheet[k].name, width) + wrapped(sheet[k].text, width + 4);
  return text;
}

Json json_of(const Fact& fact) {
  if (fact.kind == Fact::Kind::integer) return std::stoi(fact.text);
  if (fact.kind == Fact::Kind::truth) return fact.text == "yes";
  return fact.text;
}

Json json_of(const Sheet& sheet) {
  std::vector<std::pair<std::string, Json>> members;
  for (const auto& fact : sheet) {
    members.emplace_back(fact.name, json_of(fact));
    std::replace(members.back().first.begin(), members.back().first.end(), ' ', '_');
  }
  return Json::object(members);
}

[[noreturn]] void refuse(const UnknownName& unknown) {
  throw ModelError("command line", unknown.message(), unknown.suggestion());
}

// A method need not be among those that are listed.
Sheet chosen_method(const std::string& name) {
  try {
    return method_sheet(find_method<double>(name));
  } catch (const UnknownName& unknown) {
    refuse(unknown);
  } catch (const std::invalid_argument& refusal) {
    throw ModelError("command line", refusal.what());
  }
}

// The one with that name.
std::vector<Sheet> chosen(const std::vector<Sheet>& sheets, const std::string& what, const std::string& name) {
  if (what == "methods") return {chosen_method(name)};
  std::vector<std::string> names;
  for (const auto& sheet : sheets) {
    if (sheet.front().text == name) return {sheet};
    names.push_back(sheet.front().text);
  }
  refuse(UnknownName(what.substr(0, what.size() - 1), name, names));
}

}  // namespace

int list(const ListRequest& request) {
  using MakeSheets = std::vector<Sheet> (*)();
  const std::pair<std::string, MakeSheets> lists[]{
      {"methods", method_sheets},         {"formulations", formulation_sheets},
      {"projections", projection_sheets}, {"monitors", monitor_sheets},
      {"models", model_sheets},           {"experiments", experiment_sheets}};
  std::vector<std::string> names;
  for (const auto& [name, sheets] : lists) {
    names.push_back(name);
    if (name != request.what) continue;
    const std::vector<Sheet> all = sheets();
    const std::vector<Sheet> shown = request.name.empty() ? all : chosen(all, name, request.name);
    if (request.json) {
      const auto json = [](const Sheet& sheet) { return json_of(sheet); };
      print(Json::long_list(Json::each(shown, json)).text() + '\n');
    } else if (!request.name.empty()) {
      print(all_facts(shown.front()));
    } else if (name == "methods") {
      print(overview_of(name, family_sheets()));
    } else if (name == "formulations") {
      print(overview_of(name, shown));
    } else if (name == "projections") {
      for (const Sheet& sheet : shown) print(all_facts(sheet));
    } else {
      print(table_of(shown));
    }
    return kDone;
  }
  refuse(UnknownName("list of", request.what, names));
}
