#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

// Keys whose value is a number, and may therefore be an expression.
constexpr std::array<std::string_view, 8> kRealKeys{"step",   "end",           "tolerance", "absolute-tolerance",
                                                    "sample", "project-above", "gauge",     "impetus-reset-above"};
constexpr std::array<std::string_view, 5> kIntegerKeys{"every", "project-every", "impetus-reset", "seed", "threads"};
// One whose value is several numbers, in a text with commas.
constexpr std::string_view kNumbersKey = "baumgarte";

constexpr std::int64_t kMaxRunInteger = std::int64_t{1} << 53;

bool contains(const auto& keys, std::string_view key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

Quad number(Reading& reading, const DocumentEntry& entry) {
  const auto& value = entry.value;
  if (!value.is_string()) return plain_number(value, fmt::format("'{}'", entry.name()));
  const Syntax syntax = parse_expression(value.string());
  return resolve_number(reading.scope, syntax, syntax.root(), kForParameter);
}

// 5 as "5".
std::string number_text(const DocumentValue& value) {
  if (value.kind() == DocumentValue::Kind::integer) return fmt::format("{}", value.integer());
  return fmt::format("{}", static_cast<double>(value.real()));
}

bool is_number(const DocumentValue& value) {
  return value.kind() == DocumentValue::Kind::integer || value.kind() == DocumentValue::Kind::real;
}

// ["energy", "position"] means "energy,position", and [5, "2*m"] means "5,2*m" where numbers are expected.
std::string joined(const DocumentEntry& entry) {
  std::string text;
  for (const auto& item : entry.value.items()) {
    if (!text.empty()) text += ',';
    text += entry.name() == kNumbersKey && is_number(item)
                ? number_text(item)
                : expect_string(item, fmt::format("an item of '{}'", entry.name())).text();
  }
  return text;
}

RunValue run_value(Reading& reading, const DocumentEntry& entry) {
  const auto& [key, value] = entry;
  if (contains(kRealKeys, key.text())) return static_cast<double>(number(reading, entry));
  if (contains(kIntegerKeys, key.text()))
    return to_integer(number(reading, entry), -kMaxRunInteger, kMaxRunInteger, fmt::format("value of '{}'", key.text()),
                      value.where);
  if (key.text() == kNumbersKey && is_number(value)) return number_text(value);
  switch (value.kind()) {
    case DocumentValue::Kind::boolean:
      return value.boolean();
    case DocumentValue::Kind::integer:
      return value.integer();
    case DocumentValue::Kind::real:
      return static_cast<double>(value.real());
    case DocumentValue::Kind::string:
      return value.string().text();
    case DocumentValue::Kind::list:
      return joined(entry);
    case DocumentValue::Kind::date:
    case DocumentValue::Kind::table:
      break;
  }
  wrong_type(value, fmt::format("'{}'", key.text()), "a number, a string, true or false");
}

}  // namespace

void read_run(Reading& reading) {
  for (const auto& entry : reading.entries("run")) {
    reading.model.run[entry.name()] = run_value(reading, entry);
    reading.model.run_places[entry.name()] = {entry.key.whole(), entry.value.text_place()};
  }
}

}  // namespace cotangent
