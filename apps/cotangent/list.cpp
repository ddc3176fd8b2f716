#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/model/unknown_name.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/output/json_writer.hpp"
#include "cotangent/projection/projection.hpp"
#include "errors.hpp"
#include "models_folder.hpp"

using namespace cotangent;

namespace {

// Facts with names, the same for the table and for JSON. Truths are "yes" and "no" in the table.
struct Fact {
  std::string name;
  std::string text;
  enum class Kind { text, integer, truth } kind = Kind::text;
};
using Sheet = std::vector<Fact>;

Fact truth(std::string name, bool value) { return {std::move(name), value ? "yes" : "no", Fact::Kind::truth}; }

std::vector<Sheet> method_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& [facts, name, family] : methods<double>())
    sheets.push_back({{"name", facts.name},
                      {"order", std::to_string(facts.order), Fact::Kind::integer},
                      truth("symmetric", facts.symmetric),
                      truth("symplectic", facts.symplectic),
                      truth("keeps g", facts.keeps_position),
                      truth("keeps G H_p", facts.keeps_momentum),
                      {"formulations", fmt::format("{}", fmt::join(facts.formulations, ", "))},
                      {"applies to", facts.applies_to},
                      {"reference", facts.reference},
                      {"description", facts.description}});
  return sheets;
}

std::vector<Sheet> formulation_sheets() {
  std::vector<Sheet> sheets;
  const auto add = [&](const FormulationFacts& facts) {
    sheets.push_back({{"name", facts.name},
                      {"description", facts.description},
                      {"variables", facts.variables},
                      truth("hamiltonian", facts.hamiltonian),
                      truth("keeps g", facts.keeps_g),
                      truth("keeps psi", facts.keeps_psi),
                      truth("keeps H", facts.keeps_H),
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
  for (const auto& facts : projections()) sheets.push_back({{"name", facts.name}, {"description", facts.description}});
  return sheets;
}

std::vector<Sheet> monitor_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& facts : monitors()) sheets.push_back({{"name", facts.name}, {"description", facts.description}});
  return sheets;
}

std::vector<Sheet> model_sheets() {
  std::vector<Sheet> sheets;
  for (const auto& file : model_files()) {
    std::string title;
    try {
      title = read_model(file).title;
    } catch (const ModelError& error) {
      title = "cannot be read: " + error.message();
    }
    sheets.push_back({{"name", file.stem().string()}, {"title", title}, {"file", file.string()}});
  }
  return sheets;
}

// The columns as wide as they need to be, the last one open.
void print_table(const std::vector<Sheet>& sheets) {
  if (sheets.empty()) return;
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < sheets.front().size(); ++column) {
    std::size_t width = sheets.front()[column].name.size();
    for (const auto& sheet : sheets) width = std::max(width, sheet[column].text.size());
    widths.push_back(width);
  }
  const auto print_row = [&](const Sheet& sheet, std::string Fact::*cell) {
    for (std::size_t column = 0; column + 1 < sheet.size(); ++column)
      fmt::print("{:<{}}  ", sheet[column].*cell, widths[column]);
    fmt::print("{}\n", sheet.back().*cell);
  };
  print_row(sheets.front(), &Fact::name);
  for (const auto& sheet : sheets) print_row(sheet, &Fact::text);
}

// A paragraph each: facts that are sentences.
void print_sheets(const std::vector<Sheet>& sheets) {
  for (const auto& sheet : sheets) {
    fmt::print("{}  {}\n", sheet[0].text, sheet[1].text);
    std::size_t width = 0;
    for (const auto& fact : sheet) width = std::max(width, fact.name.size());
    for (std::size_t k = 2; k < sheet.size(); ++k) fmt::print("    {:<{}}  {}\n", sheet[k].name, width, sheet[k].text);
  }
}

void print_json(const std::vector<Sheet>& sheets) {
  JsonWriter json;
  json.begin_long_list();
  for (const auto& sheet : sheets) {
    json.begin_object();
    for (const auto& fact : sheet) {
      std::string key = fact.name;
      std::replace(key.begin(), key.end(), ' ', '_');
      json.key(key);
      switch (fact.kind) {
        case Fact::Kind::text:
          json.value(fact.text);
          break;
        case Fact::Kind::integer:
          json.value(std::stoi(fact.text));
          break;
        case Fact::Kind::truth:
          json.value(fact.text == "yes");
          break;
      }
    }
    json.end_object();
  }
  json.end_list();
  fmt::print("{}\n", json.text());
}

struct ListOptions {
  std::string what;
  bool json = false;
};

const std::vector<std::pair<std::string, std::vector<Sheet> (*)()>>& lists() {
  static const std::vector<std::pair<std::string, std::vector<Sheet> (*)()>> all{{"methods", method_sheets},
                                                                                 {"formulations", formulation_sheets},
                                                                                 {"projections", projection_sheets},
                                                                                 {"monitors", monitor_sheets},
                                                                                 {"models", model_sheets}};
  return all;
}

int list(const ListOptions& options) {
  std::vector<std::string> names;
  for (const auto& [name, sheets] : lists()) {
    names.push_back(name);
    if (name != options.what) continue;
    if (options.json) {
      print_json(sheets());
    } else if (name == "formulations") {
      print_sheets(sheets());
    } else {
      print_table(sheets());
    }
    return kDone;
  }
  const UnknownName unknown("list of", options.what, names);
  throw ModelError("command line", unknown.message(), unknown.suggestion());
}

}  // namespace

Command add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "what the program has, with fact sheets");
  auto options = std::make_shared<ListOptions>();
  command->add_option("WHAT", options->what, "methods, formulations, projections, monitors or models")->required();
  command->add_flag("--json", options->json, "print JSON, and nothing else, on standard output");
  return [options] { return list(*options); };
}
