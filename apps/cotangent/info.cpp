#include <fmt/format.h>

#include <stdexcept>

#include "commands.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/json_reader.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/output/wrapped.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

constexpr std::size_t kIndent = 15;

void add_line(std::string& text, std::string_view what, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<{}}{}", what, kIndent - 2, wrapped(value, kIndent));
}

std::string column_text(const RecordFacts::Column& column) {
  return column.shape.empty() ? column.name : fmt::format("{}[{}]", column.name, fmt::join(column.shape, ","));
}

std::string certificate_text(const JsonValue& certificate) {
  if (certificate.kind != JsonValue::Kind::object) return {};
  std::vector<std::string> verdicts;
  for (const JsonValue& finding : certificate["structures"].items)
    verdicts.push_back(fmt::format("{} {}", finding["structure"].text, finding["verdict"].text));
  return fmt::format("{}{}: {}", certificate["holds"].truth ? "holds" : "does not hold",
                     certificate["complete"].truth ? "" : ", not complete", fmt::join(verdicts, ", "));
}

std::string facts_text(const std::string& file, const RecordFacts& facts) {
  const JsonValue about = facts.description.empty() ? JsonValue() : read_json(facts.description);
  const bool is_ours = about["cotangent"].kind == JsonValue::Kind::text;
  std::string text = fmt::format(
      "{}: {}{}\n", file, facts.kind,
      is_ours ? fmt::format(", the {} of a run of cotangent {}", about["record"].text, about["cotangent"].text)
              : ", without a description of its run");
  if (is_ours) {
    const JsonValue& model = about["model"];
    std::vector<std::string> options, set;
    for (const auto& [name, value] : about["options"].members)
      options.push_back(fmt::format("{} = {}", name, value.text));
    for (const JsonValue& value : model["set"].items) set.push_back(value.text);
    add_line(text, "model",
             fmt::format("{}{}{}", model["name"].text, model["title"].text.empty() ? "" : ": ", model["title"].text));
    add_line(text, "file", model["file"].text);
    add_line(text, "set", fmt::format("{}", fmt::join(set, ", ")));
    add_line(text, "method",
             fmt::format("{}, {}, projection {}, {} precision", about["method"].text, about["formulation"].text,
                         about["projection"].text, about["precision"].text));
    add_line(text, "options", fmt::format("{}", fmt::join(options, ", ")));
  }
  std::vector<std::string> columns;
  for (const auto& column : facts.columns) columns.push_back(column_text(column));
  add_line(text, "columns", fmt::format("{}", fmt::join(columns, ", ")));
  add_line(text, "records",
           facts.rows > 0 ? fmt::format("{}, t = {:g} to {:g}", facts.rows, facts.first, facts.last) : "none");
  if (!is_ours) return text;
  const JsonValue result = facts.result.empty() ? about["result"] : read_json(facts.result);
  if (result.kind != JsonValue::Kind::object) {
    add_line(text, "end", "not known: the run goes on, or its process was ended");
    return text;
  }
  add_line(text, "end", fmt::format("{}, {} steps", result["status"].text, result["steps"].text));
  add_line(text, "certificate", certificate_text(result["certificate"]));
  return text;
}

std::string facts_json(const std::string& file, const RecordFacts& facts) {
  const auto or_null = [](const std::string& text) { return Json::raw(text.empty() ? "null" : text); };
  std::string result = facts.result;
  const auto shape = [](std::int64_t size) { return Json(size); };
  return Json::object({{"file", file},
                       {"kind", facts.kind},
                       {"records", facts.rows},
                       {"first", facts.rows > 0 ? std::optional(facts.first) : std::nullopt},
                       {"last", facts.rows > 0 ? std::optional(facts.last) : std::nullopt},
                       {"columns", Json::long_list(Json::each(
                                       facts.columns,
                                       [&](const RecordFacts::Column& column) {
                                         return Json::object({{"name", column.name},
                                                              {"shape", Json::list(Json::each(column.shape, shape))}});
                                       }))},
                       {"description", or_null(facts.description)},
                       {"result", or_null(result)}})
             .text() +
         '\n';
}

}  // namespace

int info(const InfoRequest& request) {
  try {
    const RecordFacts facts = record_facts(request.record);
    print(request.json ? facts_json(request.record, facts) : facts_text(request.record, facts));
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  return kDone;
}
