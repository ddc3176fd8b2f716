#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/analysis.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

int analyze(const AnalyzeRequest& request) {
  if (request.stability || request.equilibrium || request.relative_equilibrium) return analyze_motion(request);
  const Model model = read_model(find_model(request.model), request.set, run_keys(), {}, InitialCoverage::partial);
  Analysis analysis(model);
  analysis.add_brackets(request.brackets);
  const auto& title = model.title.empty() ? model.name : model.title;
  print(request.json ? analysis.json() + "\n" : fmt::format("{}\n\n{}", title, analysis.text(request.latex)));
  return kDone;
}
