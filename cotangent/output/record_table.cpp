#include "cotangent/output/record_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {
namespace {

// Words for all fields of some parts.
struct Group {
  std::string_view word, letter;
  std::vector<RecordPart> parts;
  bool is_usual = false;  ///< part of what is recorded unless something is chosen: not refused where there is none
};

const std::vector<Group>& groups() {
  using enum RecordPart;
  static const std::vector<Group> all{{"coordinates", "q", {q}, true},
                                      {"momenta", "p", {p}, true},
                                      {"states", "s", {s}, true},
                                      {"velocities", "v", {velocity}},
                                      {"multipliers", "lambda", {multiplier}},
                                      {"residuals", "", {g, psi}},
                                      {"observables", "", {observable}, true},
                                      {"monitors", "", {monitor}, true},
                                      {"impetus", "", {own_second, striction}},
                                      {"chart", "", {own_first, own_second}}};
  return all;
}

// What is watched constraint by constraint, or number by number, is g_rod and p_star_x in a record, watched or not.
// Monitors call it g.rod and impetuses.x: these spellings are understood as well.
std::string record_name(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kinds{
      {{"g.", "g_"}, {"psi.", "psi_"}, {"impetuses.", "p_star_"}, {"strictions.", "striction_"}}};
  for (const auto& [watched, recorded] : kinds)
    if (name.starts_with(watched)) return std::string(recorded) + name.substr(watched.size());
  return name;
}

// What is monitored comes last; some of it for the second time.
template <class Rows>
auto first_monitored(const Rows& rows) {
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
    const auto same = [&](const auto& other) { return other.name == row.name && other.part == row.part; };
    return row.part == RecordPart::monitor || row.part == RecordPart::signal ||
           &*std::find_if(rows.begin(), rows.end(), same) != &row;
  });
}

}  // namespace

RecordTable::RecordTable(const Model& model, const Elements& elements, const std::vector<std::string>& monitors,
                         const OwnNames& own)
    : model_(model), elements_(elements) {
  add_variables("", RecordPart::q);
  add_variables("p_", RecordPart::p);
  add_variables("", RecordPart::s);
  add_variables("v_", RecordPart::velocity);
  add_rows("lambda_", RecordPart::multiplier);
  if (elements.n > 0) all_.push_back({"hamiltonian", RecordPart::hamiltonian, {}});
  add_rows("g_", RecordPart::g);
  add_rows("psi_", RecordPart::psi);
  if (own.has_impetus) {
    add_variables("p_star_", RecordPart::own_second);
    add_rows("striction_", RecordPart::striction);
  }
  if (!own.first.empty()) all_.push_back({own.first, RecordPart::own_first, {own.size}});
  if (!own.second.empty()) all_.push_back({own.second, RecordPart::own_second, {own.size}});
  add_rows("", RecordPart::observable);
  for (std::size_t k = 0; k < monitors.size(); ++k) {
    const std::string name = record_name(monitors[k]), array = name.substr(0, name.find('['));
    const bool is_part = name != monitors[k];
    const auto known = std::ranges::find(all_, array, &Row::name);
    if (!is_part || known == all_.end()) {
      all_.push_back({name, is_part ? RecordPart::signal : RecordPart::monitor, {}, static_cast<std::int64_t>(k)});
    } else if (std::find_if(known + 1, all_.end(), [&](const Row& row) { return row.name == array; }) == all_.end()) {
      all_.push_back(Row(*known));  // once more, at the place of what is monitored
    }
  }
}

void RecordTable::add_variables(const char* prefix, RecordPart part) {
  if (part == RecordPart::s) {
    for (const State& u : model_.states) all_.push_back({u.name, part, u.shape, u.offset});
    return;
  }
  for (const Coordinate& c : model_.coordinates) all_.push_back({prefix + c.name, part, c.shape, c.offset});
}

void RecordTable::add_rows(const char* prefix, RecordPart part) {
  const bool is_observable = part == RecordPart::observable;
  const auto& rows = is_observable ? elements_.observable_rows : elements_.rows;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const NamedValues* values = is_observable                   ? &model_.observables[k]
                                : k < model_.constraints.size() ? &model_.constraints[k]
                                                                : nullptr;
    all_.push_back({prefix + rows[k].name, part, {}, rows[k].first, &rows[k], values});
  }
}

std::string RecordTable::column_name(const Row& row, std::int64_t place) const {
  if (row.rows ? !row.rows->is_indexed() : row.shape.empty()) return row.name;
  std::string name;
  if (row.rows) {
    name = row.rows->row_name(place);
  } else if (row.part == RecordPart::s) {
    name = state_entry_name(model_, place);
  } else if (row.part == RecordPart::own_first || row.part == RecordPart::own_second) {
    if (!row.name.starts_with("p_star_")) return row.name + '[' + std::to_string(place + 1) + ']';
    name = entry_name(model_, place);
  } else {
    name = entry_name(model_, place);
  }
  return row.name + name.substr(name.find('['));
}

RecordField RecordTable::field(const Row& row) const {
  RecordField field{row.name, row.part, row.shape};
  if (row.rows) {
    field.shape = row.values ? list_shape(*row.values, *row.rows) : std::vector<std::int64_t>{row.rows->count};
    field.places.resize(static_cast<std::size_t>(row.rows->count));
    std::iota(field.places.begin(), field.places.end(), row.first);
  } else {
    field.places = entries_in_reading_order(row.shape, row.first);
  }
  field.columns.reserve(field.size());
  for (const std::int64_t place : field.places) field.columns.push_back(column_name(row, place));
  return field;
}

std::optional<RecordField> RecordTable::find(const std::string& given) const {
  const std::string name = record_name(given);
  for (const Row& row : all_)
    if (row.name == name) return field(row);
  const auto bracket = name.find('[');
  if (bracket == name.npos) return std::nullopt;
  std::string compact = name;
  std::erase(compact, ' ');
  for (const Row& row : all_) {
    if (row.name != compact.substr(0, bracket)) continue;
    const RecordField array = field(row);
    const auto found = std::find(array.columns.begin(), array.columns.end(), compact);
    if (found == array.columns.end()) continue;
    const std::int64_t place = array.places[static_cast<std::size_t>(found - array.columns.begin())];
    return RecordField{compact, array.part, {}, {place}, {compact}};
  }
  return std::nullopt;
}

std::vector<RecordField> RecordTable::usual() const {
  using enum RecordPart;
  std::vector<RecordField> fields;
  const auto monitored = first_monitored(all_);
  for (auto row = all_.begin(); row != all_.end(); ++row)
    if (row >= monitored || row->part == q || row->part == p || row->part == s || row->part == observable)
      fields.push_back(field(*row));
  return fields;
}

std::vector<RecordField> RecordTable::choose(const std::vector<std::string>& list) const {
  std::vector<RecordField> fields;
  std::set<std::string> chosen;
  const auto add = [&](RecordField field) {
    if (chosen.insert(field.name).second) fields.push_back(std::move(field));
  };
  for (const std::string& name : list) {
    if (name == "t") continue;  // every record has it
    if (auto field = find(name)) {
      add(std::move(*field));
      continue;
    }
    const auto group = std::find_if(groups().begin(), groups().end(),
                                    [&](const Group& one) { return one.word == name || one.letter == name; });
    const auto size = fields.size();
    bool is_known = group != groups().end() && group->is_usual;
    if (group != groups().end() && group->word == "monitors")
      for (auto row = first_monitored(all_); row != all_.end(); ++row) add(field(*row));
    for (const Row& row : all_) {
      if (group == groups().end() ||
          std::find(group->parts.begin(), group->parts.end(), row.part) == group->parts.end())
        continue;
      // p* and theta share a half of the variables.
      if (row.part == RecordPart::own_second && row.name.starts_with("p_star_") != (name == "impetus")) continue;
      add(field(row));
      is_known = true;
    }
    if (fields.size() == size && !is_known) refuse("column", name, true);
  }
  return fields;
}

std::vector<RecordField> RecordTable::signals(const std::vector<std::string>& list) const {
  std::vector<RecordField> fields;
  for (const std::string& name : list) {
    auto field = find(name);
    if (!field || field->size() != 1) refuse("signal", name, false);
    if (field->part == RecordPart::monitor) field->part = RecordPart::signal;
    fields.push_back(std::move(*field));
  }
  return fields;
}

void RecordTable::refuse(const char* kind, const std::string& name, bool has_words) const {
  std::vector<std::string> names;
  for (const Row& row : all_) names.push_back(row.name);
  if (has_words) {
    for (const Group& group : groups())
      for (const Row& row : all_)
        if (std::find(group.parts.begin(), group.parts.end(), row.part) != group.parts.end()) {
          names.emplace_back(group.word);
          break;
        }
  } else if (const auto bracket = name.find('['); bracket != name.npos) {
    // The numbers of an array, one of which was probably meant.
    for (const Row& row : all_)
      if (row.name == name.substr(0, bracket)) names = field(row).columns;
  }
  std::sort(names.begin(), names.end());
  throw UnknownName(kind, name, names);
}

}  // namespace cotangent
