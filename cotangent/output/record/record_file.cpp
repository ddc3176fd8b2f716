#include "cotangent/output/record/record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "cotangent/output/json_reader.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/output/record/array_file.hpp"
#include "cotangent/output/record/csv_file.hpp"
#include "cotangent/output/record/read_record.hpp"

namespace cotangent {
namespace {

constexpr std::array kEndings{".csv", ".npz", ".h5"};

// The columns of all variables.
std::string header_of_variables(const Model& model) {
  RecordField field;
  for (const VariableColumn& column : variable_columns(model)) field.columns.push_back(column.name);
  return csv_header({field});
}

// Whether a file says that it is a record of a model with these variables.
bool is_record_of(const std::vector<std::string>& variables, const std::string& path) {
  const std::string text = record_description(path);
  if (text.empty()) return false;
  try {
    std::vector<std::string> stated;
    const JsonValue about = read_json(text);
    for (const JsonValue& name : about["variables"].items) stated.push_back(name.text);
    if (about["header"].kind == JsonValue::Kind::text) {
      std::string line;
      std::getline(std::ifstream(path), line);
      if (mark_of_header(line) != about["header"].text) return false;
    }
    return about["cotangent"].kind == JsonValue::Kind::text && stated == variables;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

std::string record_ending(const std::string& path) { return std::filesystem::path(path).extension().string(); }

bool is_record_ending(const std::string& ending) {
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

FileKind record_kind(const Model& model, const std::string& path) {
  const std::string ending = record_ending(path);
  const bool is_text = ending != ".npz" && ending != ".h5";
  FileKind kind{.name = "record of this model", .begin = is_text ? header_of_variables(model) : ""};
  if (is_text) {
    kind.then = ",\n";
    kind.may_be_stream = true;
  }
  kind.recognise = [variables = variable_names(model)](const std::string& file) {
    return is_record_of(variables, file);
  };
  return kind;
}

std::unique_ptr<RecordFile> open_record(const std::string& path, const FileKind& kind,
                                        const std::vector<RecordField>& fields, const RecordAbout& about,
                                        const RecordOptions& options, const std::optional<WrittenPart>& after) {
  const std::string ending = record_ending(path);
  if (ending == ".h5") return open_hdf5_file(path, kind, fields, about, options, after);
  if (ending == ".npz") return open_npz_file(path, kind, fields, about, options, after);
  return std::make_unique<CsvFile>(path, kind, fields, about, after);
}

std::vector<std::string> variable_names(const Model& model) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    names.push_back(shape.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shape, ",")));
  };
  for (const Coordinate& c : model.coordinates) add(c.name, c.shape);
  for (const State& u : model.states) add(u.name, u.shape);
  return names;
}

}  // namespace cotangent
