#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/analyze/written_out/written_out.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

int analyze(const AnalyzeRequest& request) {
  const Model model = read_model(find_model(request.model), request.set, run_keys());
  const WrittenOut written(model);
  print(fmt::format("{}\n\n  coordinates         {}\n", model.title.empty() ? model.name : model.title,
                    written.coordinates().size()));
  return kDone;
}
