#include "cotangent/run/reproduce/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cotangent/base/file.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/reading/document.hpp"
#include "cotangent/run/options/option_table.hpp"

namespace cotangent {
namespace {

[[noreturn]] void refuse(const Location& place, const std::string& message, const std::string& suggestion = {}) {
  throw ModelError(place, message, suggestion);
}

void expect_known(const DocumentValue& table, const std::vector<std::string>& names, const char* noun) {
  for (const DocumentEntry& entry : table.entries())
    if (std::find(names.begin(), names.end(), entry.name()) == names.end()) {
      const UnknownName unknown(noun, entry.name(), names);
      refuse(entry.key.whole(), unknown.message(), unknown.suggestion());
    }
}

const DocumentValue& expect_table(const DocumentEntry& entry) {
  if (!entry.value.is_table()) refuse(entry.value.where, fmt::format("'{}' must be a table", entry.name()));
  return entry.value;
}

std::string text_of(const DocumentValue& table, std::string_view key) {
  const DocumentEntry* entry = table.find(key);
  if (!entry) return {};
  if (!entry->value.is_string()) refuse(entry->value.where, fmt::format("'{}' must be a string", key));
  return entry->value.string().text();
}

std::optional<double> number_of(const DocumentValue& table, std::string_view key) {
  const DocumentEntry* entry = table.find(key);
  if (!entry) return std::nullopt;
  if (!entry->value.is_number()) refuse(entry->value.where, fmt::format("'{}' must be a number", key));
  return static_cast<double>(entry->value.real());
}

// As it would be typed.
std::string words_of(const DocumentValue& value) {
  switch (value.kind()) {
    case DocumentValue::Kind::boolean:
      return value.boolean() ? "true" : "";
    case DocumentValue::Kind::integer:
      return std::to_string(value.integer());
    case DocumentValue::Kind::real:
      return fmt::format("{}", static_cast<double>(value.real()));
    case DocumentValue::Kind::string:
      return value.string().text();
    case DocumentValue::Kind::list: {
      std::string all;
      for (const DocumentValue& item : value.items()) all += (all.empty() ? "" : ",") + words_of(item);
      return all;
    }
    default:
      refuse(value.where, "a string, a number, true, false or a list is expected");
  }
}

// Options of a run, over those that all runs have.
ExperimentRun read_run(const DocumentEntry& entry, ExperimentRun run) {
  run.name = entry.name();
  run.where = entry.key.whole();
  for (const auto& [key, value] : expect_table(entry).entries()) {
    if (key.text() == "model") {
      run.model = words_of(value);
    } else if (key.text() == "set") {
      if (!value.is_list()) refuse(value.where, "'set' is a list: [\"p_y=-2\"]");
      for (const DocumentValue& item : value.items()) run.set.push_back(words_of(item));
    } else if (!find_option(key.text())) {
      std::vector<std::string> names{"model", "set"};
      for (const Option& option : options()) names.push_back(option.name);
      const UnknownName unknown("option", key.text(), names);
      refuse(key.whole(), unknown.message(), unknown.suggestion());
    } else {
      std::erase_if(run.options, [&](const auto& option) { return option.first == key.text(); });
      if (const std::string text = words_of(value); !text.empty()) run.options.emplace_back(key.text(), text);
    }
  }
  return run;
}

// What a claim allows: printed +- tolerance, or +- a part of it, or within a factor; or bounds alone.
void read_bounds(const DocumentValue& table, Claim& claim) {
  claim.printed = number_of(table, "printed");
  const auto tolerance = number_of(table, "tolerance"), relative = number_of(table, "relative"),
             factor = number_of(table, "factor"), least = number_of(table, "at_least"),
             most = number_of(table, "at_most");
  claim.least = -infinity<double>();
  claim.most = infinity<double>();
  std::vector<std::string> words;
  const auto narrow = [&](double from, double to, std::string text) {
    claim.least = std::max(claim.least, from);
    claim.most = std::min(claim.most, to);
    words.push_back(std::move(text));
  };
  if ((tolerance || relative || factor) && !claim.printed)
    refuse(table.where, "a tolerance needs the number that is 'printed'");
  if (tolerance) narrow(*claim.printed - *tolerance, *claim.printed + *tolerance, fmt::format("+- {:g}", *tolerance));
  if (relative) {
    const double width = *relative * std::abs(*claim.printed);
    narrow(*claim.printed - width, *claim.printed + width, fmt::format("+- {:g} %", 100 * *relative));
  }
  if (factor) {
    const double one = *claim.printed / *factor, other = *claim.printed * *factor;
    narrow(std::min(one, other), std::max(one, other), fmt::format("within a factor of {:g}", *factor));
  }
  if (least) narrow(*least, infinity<double>(), fmt::format("at least {:g}", *least));
  if (most) narrow(-infinity<double>(), *most, fmt::format("at most {:g}", *most));
  claim.tolerance = fmt::format("{}", fmt::join(words, ", "));
  if (words.empty() && !claim.measured.empty())
    refuse(table.where, "the claim allows everything",
           "add 'tolerance', 'relative', 'factor', 'at_least' or 'at_most'");
}

Claim read_claim(const DocumentValue& table) {
  if (!table.is_table()) refuse(table.where, "a claim is a table: [[claims]]");
  expect_known(table,
               {"claim", "measured", "printed", "tolerance", "relative", "factor", "at_least", "at_most", "known",
                "not_checkable"},
               "key of a claim");
  Claim claim;
  claim.where = table.where;
  claim.text = text_of(table, "claim");
  if (claim.text.empty()) refuse(table.where, "'claim' is missing: what the paper says");
  claim.measured = text_of(table, "measured");
  if (const DocumentEntry* entry = table.find("measured")) claim.where = entry->value.text_place();
  claim.remark = text_of(table, "not_checkable");
  if (claim.measured.empty() == claim.remark.empty())
    refuse(table.where, "a claim has either 'measured', an expression, or 'not_checkable', a reason");
  if (table.find("known")) {
    claim.remark = text_of(table, "known");
    claim.is_known = true;
  }
  read_bounds(table, claim);
  return claim;
}

}  // namespace

Experiment read_experiment(const std::filesystem::path& file, const std::string& name) {
  const auto source = std::make_shared<const SourceText>(file.string(), read_text(file.string(), kLimits.file_bytes));
  const DocumentValue document = parse_document(source);
  expect_known(document, {"title", "source", "slow", "common", "runs", "claims"}, "key of an experiment");
  Experiment experiment;
  experiment.name = name;
  experiment.title = text_of(document, "title");
  experiment.source = text_of(document, "source");
  if (const auto* slow = document.find("slow"))
    experiment.is_slow = slow->value.kind() == DocumentValue::Kind::boolean && slow->value.boolean();
  ExperimentRun common;
  if (const auto* entry = document.find("common")) common = read_run(*entry, {});
  if (const auto* entry = document.find("runs"))
    for (const DocumentEntry& run : expect_table(*entry).entries()) {
      experiment.runs.push_back(read_run(run, common));
      if (experiment.runs.back().model.empty()) refuse(run.key.whole(), "a run needs a 'model'");
    }
  if (const auto* entry = document.find("claims")) {
    if (!entry->value.is_list()) refuse(entry->value.where, "claims are a list of tables: [[claims]]");
    for (const DocumentValue& claim : entry->value.items()) experiment.claims.push_back(read_claim(claim));
  }
  if (experiment.claims.empty()) refuse(document.where, "an experiment without claims shows nothing");
  return experiment;
}

}  // namespace cotangent
