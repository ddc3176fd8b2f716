#include <fmt/core.h>

#include <algorithm>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

// Up to there all integers are doubles.
constexpr std::int64_t kMaxRunInteger = std::int64_t{1} << 53;

bool is(const RunKey* key, RunKind kind) { return key && key->kind == kind; }

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
std::string joined(const DocumentEntry& entry, const RunKey* key) {
  std::string text;
  for (const auto& item : entry.value.items()) {
    if (!text.empty()) text += ',';
    text += is(key, RunKind::reals) && is_number(item)
                ? number_text(item)
                : expect_string(item, fmt::format("an item of '{}'", entry.name())).text();
  }
  return text;
}

RunValue run_value(Reading& reading, const DocumentEntry& entry, const RunKey* known) {
  const auto& [key, value] = entry;
  if (is(known, RunKind::real)) return static_cast<double>(number(reading, entry));
  if (is(known, RunKind::integer))
    return to_integer(number(reading, entry), -kMaxRunInteger, kMaxRunInteger, fmt::format("value of '{}'", key.text()),
                      value.where);
  if (is(known, RunKind::reals) && is_number(value)) return number_text(value);
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
      return joined(entry, known);
    case DocumentValue::Kind::date:
    case DocumentValue::Kind::table:
      break;
  }
  wrong_type(value, fmt::format("'{}'", key.text()), "a number, a string, true or false");
}

}  // namespace

void read_run(Reading& reading, std::span<const RunKey> keys) {
  for (const auto& entry : reading.entries("run")) {
    const auto known =
        std::find_if(keys.begin(), keys.end(), [&](const RunKey& key) { return key.name == entry.name(); });
    reading.model.run[entry.name()] = run_value(reading, entry, known == keys.end() ? nullptr : &*known);
    reading.model.run_places[entry.name()] = {entry.key.whole(), entry.value.text_place()};
  }
}

}  // namespace cotangent
