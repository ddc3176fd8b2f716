#include "cotangent/model/reader.hpp"

#include <fmt/core.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

namespace fs = std::filesystem;

Override parse_override(const std::string& text) {
  const auto source = std::make_shared<const SourceText>("`set`", text);
  const std::string& all = source->text();
  const Location whole{source, {0, all.size()}};
  const auto sign = all.find('=');
  if (sign == all.npos || sign == 0) throw ModelError(whole, "expected NAME=VALUE", "for example N=100");
  const auto name_end = all.find_last_not_of(' ', sign - 1);
  const auto name_begin = std::min(all.find_first_not_of(' '), sign);
  Override result;
  result.name = Excerpt(source, {name_begin, name_end == all.npos ? sign : std::max(name_begin, name_end + 1)});
  result.value = DocumentValue(Excerpt(source, {sign + 1, all.size()}));
  return result;
}

// Every override that is not a parameter is an initial value of something.
void check_overrides(const Reading& reading) {
  for (const auto& override : reading.overrides) {
    if (override.used) continue;
    const std::string& text = override.name.text();
    const std::string name = text.substr(0, text.find('['));
    std::vector<std::string> candidates;
    for (const auto& parameter : reading.model.parameters) candidates.push_back(parameter.name);
    for (const auto& c : reading.model.coordinates)
      for (const char* prefix : {"", "p_", "v_"}) candidates.push_back(prefix + c.name);
    for (const auto& state : reading.model.states) candidates.push_back(state.name);
    if (std::ranges::count(candidates, name) > 0) continue;
    const DocumentValue* run = reading.section("run");
    const bool option = run && run->find(name);
    throw ModelError(override.name.whole(), fmt::format("the model has no parameter and no initial value '{}'", name),
                     option ? fmt::format("'{}' is an option of [run]", name) : did_you_mean(name, candidates));
  }
}

void read_title(Reading& reading) {
  const DocumentEntry* title = reading.document.find("title");
  if (title) reading.model.title = printable(expect_string(title->value, "'title'").text());
}

void note_unused_parameters(Reading& reading) {
  for (const auto& entry : reading.entries("parameters"))
    if (!reading.scope.is_used(entry.name()))
      reading.scope.note(entry.key.whole(), fmt::format("nothing uses the parameter '{}'", entry.name()));
}

// Sections that are misspelt or come later, before their absence leads to other errors.
void check_sections(const Reading& reading) {
  for (const auto& entry : reading.document.entries())
    for (const auto later : kLaterSections)
      if (entry.name() == later) not_yet(entry.key.whole(), fmt::format("[{}] is", later));
  check_keys(reading.document, kSections, {}, "a model file");
}

std::string missing_file_advice(const fs::path& file) {
  std::vector<std::string> neighbours;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml") neighbours.push_back(entry.path().filename().string());
  const std::string best = closest_name(file.filename().string(), neighbours);
  return best.empty() ? "" : fmt::format("did you mean '{}'?", (file.parent_path() / best).string());
}

std::string read_file(const fs::path& file) {
  const std::string name = file.string();
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found)
    throw ModelError(name, "there is no such file", missing_file_advice(file));
  if (fs::is_directory(status)) throw ModelError(name, "this is a folder, not a model file");
  try {
    return read_text(name, kLimits.file_bytes);
  } catch (const FileError& refusal) {
    throw ModelError(name, "the file cannot be read: " + refusal.reason());
  }
}

}  // namespace

Model read_model(const fs::path& file, const Overrides& overrides, std::span<const RunKey> run,
                 const std::vector<InitialTable>& tables, InitialCoverage initial) {
  return read_model_text(read_file(file), file.string(), overrides, run, tables, initial);
}

Model read_model_text(std::string text, std::string file_name, const Overrides& overrides, std::span<const RunKey> run,
                      const std::vector<InitialTable>& tables, InitialCoverage initial) {
  if (text.size() > kLimits.file_bytes)
    throw ModelError(file_name, fmt::format("the text is larger than {} MiB", kLimits.file_bytes >> 20));
  Reading reading;
  reading.model.name = fs::path(file_name).stem().string();
  reading.source = std::make_shared<const SourceText>(std::move(file_name), std::move(text));
  reading.model.source = reading.source;
  reading.model.set = overrides;
  reading.model.tables = tables;
  reading.document = parse_document(reading.source);
  for (const auto& override : overrides) reading.overrides.push_back(parse_override(override));

  check_sections(reading);
  read_title(reading);
  reading.model.t = reading.scope.time();
  read_parameters(reading);
  read_variables(reading);
  declare_minimal(reading);
  declare_constraints(reading);
  declare_outputs(reading);
  read_definitions(reading);
  read_dynamics(reading);
  read_constraints(reading);
  read_definitions_with_multipliers(reading);
  read_dirac(reading);
  read_forces(reading);
  read_equations(reading);
  read_minimal(reading);
  declare_hamiltonian(reading);
  read_outputs(reading);
  read_exact(reading);
  read_picture(reading);
  check_overrides(reading);
  read_initial(reading, initial);
  read_run(reading, run);
  note_unused_parameters(reading);
  reading.model.notes = reading.scope.notes();
  reading.model.places = std::move(reading.scope.places());
  return std::move(reading.model);
}

Expr read_expression(const Model& model, std::string text) {
  const auto source = std::make_shared<const SourceText>("expression", std::move(text));
  Scope scope(model);
  return Resolver(scope, parse_expression(Excerpt(source, {0, source->text().size()})), kFor.anything).number();
}

}  // namespace cotangent
