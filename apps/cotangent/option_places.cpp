#include "option_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "errors.hpp"

using namespace cotangent;

namespace {

std::string read_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The key at "file:line:column".
Location key_at(const std::string& place) {
  const auto second = place.rfind(':'), first = place.rfind(':', second - 1);
  const SourceText::Position position{std::strtoull(place.c_str() + first + 1, nullptr, 10),
                                      std::strtoull(place.c_str() + second + 1, nullptr, 10)};
  const std::string file = place.substr(0, first);
  const auto source = std::make_shared<const SourceText>(file, read_text(file));
  const std::size_t begin = source->offset(position);
  const std::size_t end = std::min(source->text().find_first_of(" \t=\n", begin), source->text().size());
  return {source, {begin, end}};
}

}  // namespace

void OptionPlaces::on_command_line(const std::string& option, const std::string& text) { command_line_[option] = text; }

void OptionPlaces::in_model(const std::string& option, const std::string& place) { model_[option] = place; }

bool OptionPlaces::is_on_command_line(const std::string& option) const { return command_line_.contains(option); }

std::string OptionPlaces::name(const std::string& option) const {
  return is_on_command_line(option) ? "--" + option : fmt::format("'{}' in [run]", option);
}

void OptionPlaces::refuse(const std::string& option, const std::string& message, const std::string& suggestion,
                          std::pair<std::size_t, std::size_t> columns) const {
  if (const auto given = command_line_.find(option); given != command_line_.end()) {
    const auto source = std::make_shared<const SourceText>("--" + option, given->second);
    const std::size_t begin = source->offset({1, columns.first});
    const std::size_t end =
        columns.second == 0 ? source->text().size() : source->offset({1, columns.first + columns.second});
    throw ModelError(Location{source, {begin, end}}, message, suggestion);
  }
  if (const auto place = model_.find(option); place != model_.end())
    throw ModelError(key_at(place->second), message, suggestion);
  throw UsageError(suggestion.empty() ? message : message + "; " + suggestion);
}
