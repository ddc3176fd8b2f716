#include "cotangent/run/parts/record_about.hpp"

#include <stdexcept>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/json_reader.hpp"
#include "cotangent/run/options/option_table.hpp"

namespace cotangent {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

// Options that say what is done with a run; all others say what it is.
bool is_of_run(const std::string& option) {
  return option != "out" && option != "section-out" && option != "compression" && option != "checkpoint-every" &&
         find_option(option)->later != Later::anew;
}

Json initial_tables(const std::vector<InitialTable>& tables) {
  Members members;
  for (const InitialTable& table : tables)
    members.emplace_back(table.name, Json::list(Json::each(table.values, [](Quad x) { return Json(x); })));
  return Json::object(members);
}

Json texts(const std::vector<std::string>& all) {
  return Json::list(Json::each(all, [](const std::string& text) { return Json(text); }));
}

}  // namespace

RecordAbout about_record(const Model& model, const RunPlan& plan, const std::vector<RecordField>& fields,
                         std::string_view option) {
  RecordAbout about;
  if (model.source && !model.functions) about.model = model.source->text();
  about.variables = variable_names(model);
  RunPlan told = plan;
  if (told.has_record()) told.reference = resolve(told.reference);
  Members options;
  for (const auto& [name, text] : words_of(told))
    if (is_of_run(name)) options.emplace_back(name, text);
  std::vector<Json> columns{Json::object({{"name", "t"}, {"shape", Json::list({})}})};
  for (const RecordField& field : fields)
    columns.push_back(
        Json::object({{"name", field.name},
                      {"shape", Json::list(Json::each(field.shape, [](std::int64_t size) { return Json(size); }))}}));
  const std::string file = plan.model.file;
  about.description = Json::object({{"cotangent", COTANGENT_VERSION},
                                    {"record", option == "out" ? "trajectory" : "section"},
                                    {"model", Json::object({{"name", model.name},
                                                            {"title", model.title},
                                                            {"file", file},
                                                            {"set", texts(model.set)},
                                                            {"initial", initial_tables(model.tables)},
                                                            {"text", about.model}})},
                                    {"variables", texts(about.variables)},
                                    {"method", plan.method},
                                    {"formulation", plan.formulation},
                                    {"projection", plan.projection ? name_of(*plan.projection) : "none"},
                                    {"precision", name_of(plan.precision)},
                                    {"options", Json::object(options)},
                                    {"columns", Json::long_list(columns)}})
                          .text();
  return about;
}

RecordedModel recorded_model(const std::string& description) {
  const JsonValue about = read_json(description);
  const JsonValue& model = about["model"];
  RecordedModel recorded{model["name"].text, model["file"].text, model["text"].text, {}, {}, {}};
  if (recorded.text.empty()) throw std::runtime_error("the record has no text of its model");
  for (const JsonValue& text : model["set"].items) recorded.set.push_back(text.text);
  for (const auto& [name, values] : model["initial"].members) {
    InitialTable table{name, {}};
    for (const JsonValue& x : values.items) table.values.push_back(strtoflt128(x.text.c_str(), nullptr));
    recorded.tables.push_back(std::move(table));
  }
  for (const auto& [name, value] : about["options"].members) recorded.options.emplace_back(name, value.text);
  return recorded;
}

}  // namespace cotangent
