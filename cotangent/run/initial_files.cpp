#include "cotangent/run/initial_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/output/csv_reader.hpp"
#include "cotangent/output/npy_reader.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {
namespace {

// Entries of one name, which may have initial values.
struct Variable {
  std::string prefix, name;  // "p_", "r"
  std::vector<std::int64_t> shape;
  std::int64_t offset;
  bool is_state;

  std::string full_name() const { return prefix + name; }
  std::int64_t size() const {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) size *= n;
    return size;
  }
};

std::vector<Variable> variables(const Model& model, const std::vector<std::string>& prefixes) {
  std::vector<Variable> all;
  for (const std::string& prefix : prefixes)
    for (const Coordinate& c : model.coordinates) all.push_back({prefix, c.name, c.shape, c.offset, false});
  for (const State& state : model.states) all.push_back({"", state.name, state.shape, state.offset, true});
  return all;
}

// One that may have initial values, by its full name.
Variable find_variable(const Model& model, const std::string& name) {
  const std::vector<Variable> all = variables(model, {"", "p_", "v_"});
  std::vector<std::string> names;
  for (const Variable& variable : all) names.push_back(variable.full_name());
  expect_name("coordinate, momentum, velocity or state", name, names);
  return *std::find_if(all.begin(), all.end(), [&](const Variable& one) { return one.full_name() == name; });
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

void expect_finite(Quad x, const std::string& name, const std::string& where) {
  if (!isfinite(x)) throw std::runtime_error(fmt::format("{}: '{}' is not a finite number", where, name));
}

// In the order of the model, from one in which the last index runs fastest.
template <class X>
InitialTable in_order(const Variable& variable, const std::vector<X>& values, const std::string& file) {
  InitialTable table{variable.full_name(), std::vector<Quad>(values.size())};
  const auto places = entries_in_reading_order(variable.shape, 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    expect_finite(static_cast<Quad>(values[k]), variable.full_name(), file);
    table.values[static_cast<std::size_t>(places[k])] = static_cast<Quad>(values[k]);
  }
  return table;
}

}  // namespace

std::vector<InitialTable> initial_from_point(const Model& model, std::span<const Quad> q, std::span<const Quad> p,
                                             std::span<const Quad> s) {
  std::vector<InitialTable> tables;
  for (const Variable& variable : variables(model, {"", "p_"})) {
    const auto part =
        (variable.is_state         ? s
         : variable.prefix.empty() ? q
                                   : p)
            .subspan(static_cast<std::size_t>(variable.offset), static_cast<std::size_t>(variable.size()));
    tables.push_back({variable.full_name(), {part.begin(), part.end()}});
    for (const Quad x : part) expect_finite(x, variable.full_name(), "the point");
  }
  return tables;
}

InitialFrame initial_from_record(const Model& model, const std::filesystem::path& file) {
  const CsvTable<Quad> record = read_last_row(file);
  std::unordered_map<std::string, Quad> values;
  for (std::size_t k = 0; k < record.names.size(); ++k) values.emplace(record.names[k], record.columns[k][0]);
  const std::string where = fmt::format("{}, line {}", file.string(), record.lines[0]);

  InitialFrame frame;
  std::vector<std::string> missing;
  const auto find = [&](const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) missing.push_back(fmt::format("'{}'", name));
    const Quad value = found == values.end() ? Quad(0) : found->second;
    expect_finite(value, name, where);
    return value;
  };
  frame.time = static_cast<double>(find("t"));
  for (const Variable& variable : variables(model, {"", "p_"})) {
    InitialTable table{variable.full_name(), {}};
    for (std::int64_t j = variable.offset; j < variable.offset + variable.size(); ++j)
      table.values.push_back(
          find(variable.prefix + (variable.is_state ? state_entry_name(model, j) : entry_name(model, j))));
    frame.tables.push_back(std::move(table));
  }
  if (!missing.empty()) {
    const std::size_t count = missing.size();
    if (count > kLimits.names) missing.resize(kLimits.names);
    throw std::runtime_error(fmt::format("{} has no column {}{}", file.string(), fmt::join(missing, ", "),
                                         count > missing.size() ? fmt::format(", ... ({} are missing)", count) : ""));
  }
  return frame;
}

InitialTable initial_table(const Model& model, const std::string& name, std::span<const std::int64_t> shape,
                           std::span<const double> values) {
  const Variable variable = find_variable(model, name);
  const std::vector<std::int64_t> given(shape.begin(), shape.end());
  if (given != variable.shape)
    throw std::invalid_argument(fmt::format("the initial values of {} have the shape {}, and it is {}", name,
                                            shape_text(given),
                                            variable.shape.empty() ? "a number" : shape_text(variable.shape)));
  return in_order(variable, std::vector<double>(values.begin(), values.end()), "initial values");
}

InitialTable initial_array(const Model& model, const std::string& name, const std::filesystem::path& file) {
  const Variable variable = find_variable(model, name);
  const auto expected = [&](const std::string& found) {
    return std::runtime_error(
        fmt::format("{} has {}, and {} is {}", file.string(), found, name,
                    variable.shape.empty() ? "a number" : fmt::format("an array {}", shape_text(variable.shape))));
  };
  if (file.extension() == ".npy") {
    const NpyArray array = read_npy(file, variable.size());
    if (array.shape != variable.shape) throw expected(fmt::format("the shape {}", shape_text(array.shape)));
    return in_order(variable, array.values, file.string());
  }
  const CsvRows rows = read_rows(file, variable.size());
  const auto count = static_cast<std::int64_t>(rows.values.size()), columns = static_cast<std::int64_t>(rows.columns);
  const bool is_line = variable.shape.size() <= 1 && columns == 1;
  const std::int64_t width = variable.shape.empty() ? 1 : variable.shape.back();
  if (count != variable.size() || !(is_line || columns == width))
    throw expected(columns == 0 ? "no numbers"
                                : fmt::format("{} of {}", plural(static_cast<std::size_t>(count / columns), "line"),
                                              plural(static_cast<std::size_t>(columns), "number")));
  return in_order(variable, rows.values, file.string());
}

}  // namespace cotangent
