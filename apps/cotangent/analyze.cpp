#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/analyze/dirac/report.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

int analyze(const AnalyzeRequest& request) {
  const Model model = read_model(find_model(request.model), request.set, run_keys(), {}, InitialCoverage::partial);
  DiracAlgorithm analysis(model);
  DiracReport report{analysis, {}, {}};
  for (const auto& text : request.brackets) report.brackets.push_back(analysis.bracket(text));
  if (!report.brackets.empty() && analysis.is_settled()) report.laws = analysis.check_laws();
  if (request.json) {
    std::vector<std::pair<std::string, Json>> members{{"model", model.name}, {"title", model.title}};
    for (auto& member : json_of(report)) members.push_back(std::move(member));
    print(Json::object(members).text() + "\n");
  } else {
    print(fmt::format("{}\n\n{}", model.title.empty() ? model.name : model.title, text_of(report, request.latex)));
  }
  return kDone;
}
