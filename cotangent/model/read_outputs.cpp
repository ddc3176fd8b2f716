#include <fmt/core.h>

#include "cotangent/model/resolve.hpp"
#include "cotangent/model/sections.hpp"

namespace cotangent {
namespace {

void read_section(Reading& reading, std::string_view section, const Purpose& purpose,
                  std::vector<NamedValues>& values) {
  for (const auto& entry : reading.entries(section)) {
    const std::string what = fmt::format("'{}' in [{}]", entry.name(), section);
    const FamilyText text = family_text(entry, what, "value");
    values.push_back(read_family(reading.scope, entry.name(), text, [&] {
      return text.value->is_list() ? read_vector(reading.scope, *text.value, purpose, what)
                                   : read_value(reading.scope, *text.value, purpose, what);
    }));
    values.back().where = text.value->text_place();
  }
}

}  // namespace

void declare_outputs(Reading& reading) {
  for (const auto& [section, kind] :
       {std::pair{"observables", NameKind::observable}, std::pair{"invariants", NameKind::invariant}}) {
    for (const auto& entry : reading.entries(section)) {
      check_name(entry, describe(kind));
      reading.scope.declare(entry.name(), {.kind = kind, .where = entry.key.whole()});
    }
  }
}

void read_outputs(Reading& reading) {
  read_section(reading, "observables", kFor.observable, reading.model.observables);
  read_section(reading, "invariants", kFor.invariant, reading.model.invariants);
}

}  // namespace cotangent
