#include "cotangent/model/building/model_builder.hpp"

#include <algorithm>

namespace cotangent {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

// Names are keys as they are, entries such as x[3] and derivatives such as u'' in quotes.
std::string key_of(const std::string& variable) {
  return variable.find_first_of("['") == variable.npos ? variable : quoted(variable);
}

std::string family(const Loops& each, const char* what, const std::string& text) {
  return "{ each = " + quoted(joined(each, &Index::loop)) + ", " + what + " = " + quoted(text) + " }";
}

std::string row(const std::vector<Term>& entries) {
  return "[" + joined(entries, [](const Term& entry) { return quoted(entry.text()); }) + "]";
}

}  // namespace

void ModelBuilder::add(const std::string& section, const std::string& key, const std::string& value, bool is_list) {
  std::vector<Entry>& entries = sections_[section];
  const auto same = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return is_list && entry.is_list && entry.key == key; });
  if (same != entries.end()) {
    same->values.push_back(value);
  } else {
    entries.push_back({key, {value}, is_list});
  }
}

void ModelBuilder::assign(const std::string& section, const std::string& key, const Term& value, const Loops& each) {
  if (each.empty()) {
    add(section, key_of(key), quoted(value.text()));
  } else {
    // Named values are one family; what is assigned to arrays may come in parts.
    const bool is_variable = section != "observables" && section != "invariants" && section != "definitions";
    add(section, key_of(key), family(each, "value", value.text()), is_variable);
  }
}

Term ModelBuilder::parameter(const std::string& name, const Term& value) {
  add("parameters", name, quoted(value.text()));
  return Term::named(name);
}

Term ModelBuilder::table(const std::string& name, const std::vector<Term>& entries) {
  add("parameters", name, row(entries));
  return Term::named(name);
}

Term ModelBuilder::table(const std::string& name, const std::vector<std::vector<Term>>& rows) {
  add("parameters", name, "[" + joined(rows, row) + "]");
  return Term::named(name);
}

Term ModelBuilder::declare(const std::string& section, const std::string& list, const std::string& name,
                           const Shape& shape) {
  const std::string sizes = joined(shape, &Term::text);
  add(section, list, quoted(shape.empty() ? name : name + "[" + sizes + "]"), true);
  return Term::named(name);
}

CoordinateTerm ModelBuilder::coordinate(const std::string& name, const Shape& shape) {
  some_coordinate_ = declare("system", "coordinates", name, shape);
  const std::string ones = joined(shape, [](const Term&) { return std::string("1"); });
  if (!shape.empty()) some_coordinate_ = Term::named(name + "[" + ones + "]");
  return CoordinateTerm(name);
}

Term ModelBuilder::state(const std::string& name, const Shape& shape) {
  return declare("system", "states", name, shape);
}

Term ModelBuilder::minimal(const std::string& name, const Shape& shape) {
  return declare("minimal", "coordinates", name, shape);
}

Term ModelBuilder::constraint(const std::string& name, const Relation& equation, const Loops& each) {
  const std::string sign = equation.sign == "==" ? "=" : equation.sign;
  const std::string text = equation.left.text() + " " + sign + " " + equation.right.text();
  add("constraints", name, each.empty() ? quoted(text) : family(each, "equation", text));
  return Term::named("lambda_" + name);
}

Term ModelBuilder::definition(const std::string& name, const Term& value, const Loops& each) {
  assign("definitions", name, value, each);
  return Term::named(name);
}

bool ModelBuilder::has_mechanics() const {
  if (sections_.contains("constraints")) return true;
  const auto system = sections_.find("system");
  return system != sections_.end() &&
         std::any_of(system->second.begin(), system->second.end(), [](const Entry& entry) { return !entry.is_list; });
}

std::string ModelBuilder::text() const {
  std::string text;
  if (!title_.empty()) text += "title = " + quoted(title_) + "\n";
  for (const char* section : {"parameters", "definitions", "system", "constraints", "forces", "equations", "minimal",
                              "minimal.guess", "observables", "invariants", "exact", "initial"}) {
    const auto found = sections_.find(section);
    if (found == sections_.end()) continue;
    text += std::string(text.empty() ? "" : "\n") + "[" + section + "]\n";
    for (const Entry& entry : found->second) {
      const std::string values = joined(entry.values, std::identity());
      text += entry.key + " = " + (entry.is_list ? "[" + values + "]" : values) + "\n";
    }
  }
  return text;
}

}  // namespace cotangent
