#include <fmt/core.h>

#include <algorithm>

#include "cotangent/base/limits.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

bool is(const RunKey* key, RunKind kind) { return key && key->kind == kind; }

// 5 as "5".
std::string number_text(const DocumentValue& value) {
  if (value.kind() == DocumentValue::Kind::integer) return fmt::format("{}", value.integer());
  return fmt::format("{}", static_cast<double>(value.real()));
}

// ["energy", "position"] means "energy,position", and [5, "2*m"] means "5,2*m" where numbers are expected.
std::string joined(const DocumentEntry& entry, const RunKey* key) {
  std::string text;
  for (const auto& item : entry.value.items()) {
    if (!text.empty()) text += ',';
    text += is(key, RunKind::reals) && item.is_number()
                ? number_text(item)
                : expect_string(item, fmt::format("an item of '{}'", entry.name())).text();
  }
  return text;
}

RunValue run_value(Reading& reading, const DocumentEntry& entry, const RunKey* known) {
  const auto& [key, value] = entry;
  const std::string name = fmt::format("'{}'", key.text());
  if (is(known, RunKind::real)) return static_cast<double>(read_constant(reading.scope, value, name));
  if (is(known, RunKind::integer))
    return to_integer(read_constant(reading.scope, value, name), -kLimits.integer, kLimits.integer, "value of " + name,
                      value.where);
  if (is(known, RunKind::reals) && value.is_number()) return number_text(value);
  if (value.kind() == DocumentValue::Kind::boolean) return value.boolean();
  if (value.kind() == DocumentValue::Kind::integer) return value.integer();
  if (value.is_number()) return static_cast<double>(value.real());
  if (value.is_string()) return value.string().text();
  if (value.is_list()) return joined(entry, known);
  wrong_type(value, name, "a number, a string, true or false");
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
