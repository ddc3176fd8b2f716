#include "cotangent/run/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/run/reproduce/reproduce_page.hpp"
#include "messages.hpp"
#include "page_file.hpp"
#include "signals.hpp"

using namespace cotangent;

namespace {

std::vector<Experiment> find_experiments(const std::string& name) {
  try {
    return cotangent::find_experiments(experiment_files(), name);
  } catch (const UnknownName& unknown) {
    throw UsageError(unknown.what());
  }
}

void print_list(const std::vector<Experiment>& experiments, bool json) {
  if (json) {
    print(Json::long_list(Json::each(experiments,
                                     [](const Experiment& experiment) {
                                       const auto claims = static_cast<std::int64_t>(experiment.claims.size());
                                       return Json::object({{"name", experiment.name},
                                                            {"title", experiment.title},
                                                            {"source", experiment.source},
                                                            {"claims", claims},
                                                            {"slow", experiment.is_slow}});
                                     }))
              .text() +
          "\n");
    return;
  }
  std::size_t width = 0;
  for (const Experiment& experiment : experiments) width = std::max(width, experiment.name.size());
  std::string text;
  for (const Experiment& experiment : experiments)
    text += fmt::format("{:<{}}  {:>3} claims{}  {}\n", experiment.name, width, experiment.claims.size(),
                        experiment.is_slow ? ", slow" : "      ", experiment.title);
  print(text);
}

}  // namespace

int reproduce(const ReproduceRequest& request) {
  std::vector<Experiment> experiments;
  const bool is_everything = request.all || request.quick || (request.list && request.names.empty());
  if (!is_everything && request.names.empty())
    throw UsageError("name an experiment, or use --all; cotangent reproduce --list says what there is");
  if (is_everything) {
    for (const auto& [name, file] : experiment_files()) experiments.push_back(read_experiment(file, name));
    if (request.quick) std::erase_if(experiments, [](const Experiment& experiment) { return experiment.is_slow; });
  }
  for (const std::string& name : request.names)
    for (Experiment& experiment : find_experiments(name)) experiments.push_back(std::move(experiment));
  if (request.list) {
    print_list(experiments, request.json);
    return kDone;
  }
  PageFile page(request.report, "reproduce", request.command);
  const InterruptGuard guard;
  ReproduceOptions options{.find_model = [](const std::string& name) { return find_model(name); },
                           .threads = request.threads,
                           .makes_plots = static_cast<bool>(page),
                           .stop = guard.flag()};
  const bool shows = is_terminal(stderr) && !request.json;
  if (shows)
    options.progress = [](std::int64_t done, std::int64_t of, const std::string& now) {
      show_progress(fmt::format("{} of {} runs, now {}", done, of, now));
    };
  const Reproductions result = reproduce(experiments, options);
  if (shows) show_progress();
  if (result.is_interrupted) {
    say("interrupted: no claim was checked\n");
    return kFailed;
  }
  print(request.json ? result.json() : result.table());
  if (page) page.write(page_of(result, page.origin()));
  const bool is_all_well =
      std::none_of(result.claims.begin(), result.claims.end(), [](const auto& claim) { return claim.is_surprise(); });
  return is_all_well ? kDone : kFailed;
}
