#include "cotangent/run/options/run_words.hpp"

#include <fmt/format.h>

#include <memory>

namespace cotangent {

std::string RunWords::spell_plainly(std::string_view option, std::string_view value) {
  return value.empty() ? std::string(option) : fmt::format("{} = {}", option, value);
}

const std::string* RunWords::text(const std::string& option) const {
  const auto found = command_line_.find(option);
  return found == command_line_.end() ? nullptr : &found->second;
}

std::string RunWords::name(const std::string& option) const {
  if (is_on_command_line(option) || !is_given(option)) return spell(option);
  return fmt::format("'{}' {}", option, checkpoint_.contains(option) ? "of the checkpoint" : "in [run]");
}

void RunWords::refuse(const std::string& option, const std::string& message, const std::string& suggestion,
                      std::pair<std::size_t, std::size_t> columns) const {
  if (const std::string* given = text(option)) {
    const auto source = std::make_shared<const SourceText>(spell(option), *given);
    const std::size_t begin = source->offset({1, columns.first});
    const std::size_t end =
        columns.second == 0 ? source->text().size() : source->offset({1, columns.first + columns.second});
    throw ModelError(Location{source, {begin, end}}, message, suggestion);
  }
  if (const auto place = model_.find(option); place != model_.end())
    throw ModelError(place->second.value, message, suggestion);
  throw OptionError(fmt::format("{}: {}{}{}", name(option), message, suggestion.empty() ? "" : "; ", suggestion));
}

}  // namespace cotangent
