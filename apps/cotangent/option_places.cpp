#include "option_places.hpp"

#include <fmt/format.h>

#include <memory>

#include "errors.hpp"

using namespace cotangent;

void OptionPlaces::on_command_line(const std::string& option, const std::string& text) { command_line_[option] = text; }

void OptionPlaces::in_model(const std::string& option, const RunPlace& place) { model_[option] = place; }

bool OptionPlaces::is_on_command_line(const std::string& option) const { return command_line_.contains(option); }

std::string OptionPlaces::name(const std::string& option) const {
  if (is_on_command_line(option)) return "--" + option;
  return fmt::format("'{}' {}", option, checkpoint_.contains(option) ? "of the checkpoint" : "in [run]");
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
    throw ModelError(place->second.value, message, suggestion);
  throw UsageError(suggestion.empty() ? message : message + "; " + suggestion);
}

void OptionPlaces::refuse_key(const std::string& key, const std::string& message, const std::string& suggestion) const {
  throw ModelError(model_.at(key).key, message, suggestion);
}
