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

std::vector<std::string> texts_of(const std::string& name, const DocumentValue& value) {
  if (!value.is_list()) refuse(value.where, fmt::format("'{}' is a list of strings", name));
  std::vector<std::string> texts;
  for (const DocumentValue& item : value.items()) texts.push_back(words_of(item));
  return texts;
}

const std::vector<std::string> kQuestions{"stability", "equilibrium"};

void set_option(ExperimentRun& run, const Excerpt& key, const DocumentValue& value) {
  if (!find_option(key.text())) {
    std::vector<std::string> names{"model", "set", "signals", "each", "question"};
    for (const Option& option : options()) names.push_back(option.name);
    const UnknownName unknown("option", key.text(), names);
    refuse(key.whole(), unknown.message(), unknown.suggestion());
  }
  std::erase_if(run.options, [&](const auto& option) { return option.first == key.text(); });
  if (const std::string text = words_of(value); !text.empty()) run.options.emplace_back(key.text(), text);
}

void read_question(ExperimentRun& run, const DocumentValue& value) {
  run.question = words_of(value);
  if (std::find(kQuestions.begin(), kQuestions.end(), run.question) != kQuestions.end()) return;
  const UnknownName unknown("question", run.question, kQuestions);
  refuse(value.where, unknown.message(), unknown.suggestion());
}

// Options of a run, over those that all runs have.
ExperimentRun read_run(const DocumentEntry& entry, ExperimentRun run) {
  run.name = entry.name();
  run.where = entry.key.whole();
  for (const auto& [key, value] : expect_table(entry).entries()) {
    if (key.text() == "model") {
      run.model = words_of(value);
    } else if (key.text() == "question") {
      read_question(run, value);
    } else if (key.text() == "set") {
      if (!value.is_list()) refuse(value.where, "'set' is a list: [\"p_y=-2\"]");
      for (const DocumentValue& item : value.items()) run.set.push_back(words_of(item));
    } else if (key.text() == "signals") {
      run.signals = texts_of(key.text(), value);
    } else if (key.text() != "each") {
      set_option(run, key, value);
    }
  }
  return run;
}

// A run, or a family of them: each = { N = [1, 2, 5] } makes the runs NAME_1, NAME_2 and NAME_5, where N is a
// parameter, an initial value or an option.
std::vector<ExperimentRun> read_runs(const DocumentEntry& entry, const ExperimentRun& common) {
  const ExperimentRun run = read_run(entry, common);
  const DocumentEntry* each = entry.value.find("each");
  if (!each) return {run};
  const auto& names = expect_table(*each).entries();
  if (names.size() != 1 || !names.front().value.is_list())
    refuse(each->value.where, "'each' has one name and a list of numbers: { N = [1, 2, 5] }");
  std::vector<ExperimentRun> runs;
  const auto& [key, values] = names.front();
  for (const DocumentValue& value : values.items()) {
    if (!value.is_number()) refuse(value.where, "a number is expected");
    ExperimentRun one = run;
    one.family = run.name;
    one.value = static_cast<double>(value.real());
    std::string suffix = words_of(value);
    std::replace_if(
        suffix.begin(), suffix.end(), [](char c) { return c == '.' || c == '-' || c == '+'; }, '_');
    one.name += "_" + suffix;
    if (find_option(key.text())) {
      set_option(one, key, value);
    } else {
      one.set.push_back(key.text() + "=" + words_of(value));
    }
    runs.push_back(std::move(one));
  }
  return runs;
}

std::string without_blanks(const std::string& text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

// "RUN: y", "RUN: x, y".
ExperimentPlot::Line read_line(const DocumentValue& value, const std::vector<ExperimentRun>& runs) {
  const std::string text = words_of(value);
  const auto colon = text.find(':');
  if (colon == text.npos) refuse(value.where, "a line is 'RUN: y' or 'RUN: x, y'");
  ExperimentPlot::Line line{.run = without_blanks(text.substr(0, colon)), .of = {}, .label = {}, .where = value.where};
  std::size_t begin = colon + 1;
  int depth = 0;  // of brackets: r[1,2]
  for (std::size_t k = begin; k <= text.size(); ++k) {
    if (k < text.size() && (text[k] == '[' || text[k] == ']')) depth += text[k] == '[' ? 1 : -1;
    if (k < text.size() && (text[k] != ',' || depth > 0)) continue;
    line.of.push_back(without_blanks(text.substr(begin, k - begin)));
    begin = k + 1;
  }
  const bool is_known = std::any_of(runs.begin(), runs.end(), [&](const ExperimentRun& run) {
    return run.question.empty() && (run.name == line.run || run.family == line.run);
  });
  if (!is_known || line.of.size() > 2 || line.of.front().empty()) {
    std::vector<std::string> names;
    for (const ExperimentRun& run : runs) names.push_back(run.family.empty() ? run.name : run.family);
    const UnknownName unknown("run", line.run, names);
    refuse(value.where, is_known ? "a line is 'RUN: y' or 'RUN: x, y'" : unknown.message(),
           is_known ? "" : unknown.suggestion());
  }
  return line;
}

ExperimentPlot read_plot(const DocumentValue& table, const std::vector<ExperimentRun>& runs) {
  if (!table.is_table()) refuse(table.where, "a plot is a table: [[plots]]");
  expect_known(table, {"title", "caption", "x", "y", "log", "lines", "labels"}, "key of a plot");
  ExperimentPlot plot{.title = text_of(table, "title"),
                      .caption = text_of(table, "caption"),
                      .x = text_of(table, "x"),
                      .y = text_of(table, "y"),
                      .lines = {}};
  const std::string log = text_of(table, "log");
  plot.is_log_x = log.find('x') != log.npos;
  plot.is_log_y = log.find('y') != log.npos;
  const DocumentEntry* lines = table.find("lines");
  if (!lines || !lines->value.is_list() || lines->value.items().empty())
    refuse(table.where, "a plot has 'lines': [\"RUN: energy\"]");
  for (const DocumentValue& item : lines->value.items()) plot.lines.push_back(read_line(item, runs));
  std::vector<std::string> labels;
  if (const DocumentEntry* entry = table.find("labels")) {
    labels = texts_of("labels", entry->value);
    if (labels.size() != plot.lines.size())
      refuse(entry->value.where, fmt::format("there are {} lines, and {} labels", plot.lines.size(), labels.size()));
  }
  const bool is_one = std::all_of(plot.lines.begin(), plot.lines.end(),
                                  [&](const auto& line) { return line.of == plot.lines.front().of; });
  for (std::size_t k = 0; k < plot.lines.size(); ++k) {
    ExperimentPlot::Line& line = plot.lines[k];
    line.label = line.run + (is_one ? "" : " " + line.of.back());
    std::replace(line.label.begin(), line.label.end(), '_', ' ');
    if (k < labels.size()) line.label = labels[k];
  }
  if (plot.x.empty()) plot.x = plot.lines.front().of.size() == 2 ? plot.lines.front().of.front() : "t";
  if (plot.y.empty() && is_one) plot.y = plot.lines.front().of.back();
  return plot;
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
  claim.is_of_time = claim.measured.find("_seconds") != std::string::npos;
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
  expect_known(document, {"title", "source", "slow", "also", "models", "common", "runs", "analyses", "plots", "claims"},
               "key of an experiment");
  Experiment experiment;
  experiment.name = name;
  experiment.title = text_of(document, "title");
  experiment.source = text_of(document, "source");
  if (const auto* slow = document.find("slow"))
    experiment.is_slow = slow->value.kind() == DocumentValue::Kind::boolean && slow->value.boolean();
  ExperimentRun common;
  if (const auto* entry = document.find("common")) common = read_run(*entry, {});
  if (const auto* also = document.find("also")) experiment.other_names = texts_of("also", also->value);
  ExperimentRun common_question = common;
  common_question.options.clear();  // an analysis has few
  common_question.question = "stability";
  for (const auto& [section, over] : {std::pair{"runs", &common}, std::pair{"analyses", &common_question}}) {
    const auto* entry = document.find(section);
    if (!entry) continue;
    for (const DocumentEntry& run : expect_table(*entry).entries())
      for (ExperimentRun& one : read_runs(run, *over)) {
        if (one.model.empty()) refuse(run.key.whole(), "a run needs a 'model'");
        if (const auto* models = document.find("models")) one.text = text_of(expect_table(*models), one.model);
        experiment.runs.push_back(std::move(one));
      }
  }
  if (const auto* entry = document.find("plots")) {
    if (!entry->value.is_list()) refuse(entry->value.where, "plots are a list of tables: [[plots]]");
    for (const DocumentValue& plot : entry->value.items()) experiment.plots.push_back(read_plot(plot, experiment.runs));
  }
  if (const auto* entry = document.find("claims")) {
    if (!entry->value.is_list()) refuse(entry->value.where, "claims are a list of tables: [[claims]]");
    for (const DocumentValue& claim : entry->value.items()) experiment.claims.push_back(read_claim(claim));
  }
  if (experiment.claims.empty()) refuse(document.where, "an experiment without claims shows nothing");
  return experiment;
}

std::vector<Experiment> find_experiments(const std::vector<std::pair<std::string, std::filesystem::path>>& known,
                                         const std::string& name) {
  std::vector<Experiment> found;
  std::vector<std::string> names;
  for (const auto& [one, file] : known) {
    Experiment experiment = read_experiment(file, one);
    names.push_back(one);
    names.insert(names.end(), experiment.other_names.begin(), experiment.other_names.end());
    if (experiment.is_called(name) || one.starts_with(name + "/")) found.push_back(std::move(experiment));
  }
  std::error_code ignored;
  if (found.empty() && std::filesystem::is_regular_file(name, ignored))
    found.push_back(read_experiment(name, std::filesystem::path(name).stem().string()));
  if (found.empty()) throw UnknownName("experiment", name, names);
  return found;
}

}  // namespace cotangent
