#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/analysis.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"
#include "page_file.hpp"

using namespace cotangent;

int analyze(const AnalyzeRequest& request) {
  if (request.stability || request.equilibrium || request.relative_equilibrium) return analyze_motion(request);
  const Model model = read_model(find_model(request.model), request.set, run_keys(), {}, InitialCoverage::partial);
  PageFile page(request.report, "analyze", request.command);
  Analysis analysis(model);
  analysis.add_brackets(request.brackets);
  const auto& title = model.title.empty() ? model.name : model.title;
  print(request.json ? analysis.json() + "\n" : fmt::format("{}\n\n{}", title, analysis.text(request.latex)));
  if (page) page.write({.origin = page.origin(), .model = &model, .analysis = Json::raw(analysis.json())});
  return kDone;
}
