#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/analysis.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

int analyze(const AnalyzeRequest& request) {
  if (request.stability || request.equilibrium || request.relative_equilibrium) return analyze_motion(request);
  const auto read = [&](InitialCoverage initial) {
    return read_model(find_model(request.model), request.set, run_keys(), {}, initial);
  };
  const Model model = read(InitialCoverage::partial);
  Analysis analysis(
      model, [&] { return read(InitialCoverage::complete); }, !request.brackets.empty());
  for (const auto& text : request.brackets) static_cast<void>(analysis.bracket(text));
  const auto& title = model.title.empty() ? model.name : model.title;
  print(request.json ? analysis.json() + "\n" : fmt::format("{}\n\n{}", title, analysis.text(request.latex)));
  return kDone;
}
