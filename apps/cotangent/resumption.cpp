#include "resumption.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/base/fingerprint.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/pace/time_grid.hpp"

using namespace cotangent;

namespace {

std::string target_of(const Model& model, const Assignment& assignment) {
  std::string text = model.graph->symbol(assignment.target).name;
  for (const Expr& index : assignment.indices) text += fmt::format("[{}]", to_string(index));
  for (const Loop& loop : assignment.loops)
    text += fmt::format(" {} in {}..{}", model.graph->symbol(loop.index).name, to_string(loop.lo), to_string(loop.hi));
  return text;
}

// Parameters and initial values, which --set may change, as a text. Equal texts of one file are equal data.
std::string model_data(const Model& model) {
  std::string text;
  for (const Parameter& parameter : model.parameters) {
    text += fmt::format("{} {}", parameter.name, to_string(parameter.value));
    for (const std::int64_t size : parameter.shape) text += fmt::format(" {}", size);
    for (const Quad entry : parameter.table) text += fmt::format(" {}", to_string(entry));
    text += '\n';
  }
  // Where two assign one entry, the later one holds.
  std::map<std::string, std::string> initial;
  for (const Assignment& assignment : model.initial)
    initial[target_of(model, assignment)] = to_string(assignment.value);
  for (const auto& [target, value] : initial) text += fmt::format("{} = {}\n", target, value);
  return text;
}

void expect_model(const RunRequest& request, const RememberedRun& run) {
  std::string text;
  try {
    text = read_text(find_model(request.model).string());
  } catch (const FileError& error) {
    throw UsageError(fmt::format("{}: name the model of the checkpoint {}", error.what(), *request.resume));
  }
  if (fingerprint(text) == run.plan.model.fingerprint) return;
  throw UsageError(
      fmt::format("the model {} is not that of the checkpoint {}: its text has changed since, or it is another one; "
                  "start a new run, or restore it",
                  request.model, *request.resume));
}

// Values that are set again must lead to the same numbers.
void expect_data(const RunRequest& request, const RememberedRun& run) {
  const auto& set = run.plan.model.set;
  if (request.set.empty() || request.set == set) return;
  const auto file = find_model(request.model);
  const auto data = [&](const auto& values) {
    return model_data(read_model(file, values, {}, {}, InitialCoverage::partial));
  };
  if (data(request.set) == data(set)) return;
  throw UsageError(fmt::format("--set {}: the run that is resumed has {}; leave it out, or start a new run",
                               fmt::join(request.set, " --set "),
                               set.empty() ? "none" : fmt::format("--set {}", fmt::join(set, " --set "))));
}

std::string fingerprint_of_record(const RunPlan& plan, const RunWords& words) {
  std::ifstream file(plan.reference, std::ios::binary);
  if (!file) words.refuse("reference", FileError("read", plan.reference, errno).what());
  Fingerprint hash;
  std::string piece(std::size_t{1} << 16, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    hash.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
  return fmt::format("{:016x}", hash.value());
}

void expect_record(const RunPlan& plan, const RunWords& words, const RememberedRun& run) {
  if (!run.record || fingerprint_of_record(plan, words) == run.record) return;
  words.refuse("reference",
               fmt::format("{} is not the record that the run was compared with: its text has changed since, or it is "
                           "another one",
                           plan.reference),
               "restore it, or start a new run");
}

std::optional<WrittenPart> kept_part(const std::optional<WrittenFile>& before, const std::string& now) {
  if (!before || now.empty() || before->path != resolve(now)) return std::nullopt;
  return before->part;
}

}  // namespace

WrittenParts Resumption::kept(const RunPlan& plan) const {
  return {kept_part(run.out, plan.out), kept_part(run.section_out, plan.section_out)};
}

std::optional<Resumption> read_resumption(RunRequest& request) {
  if (!request.resume) return std::nullopt;
  Resumption resumption;
  RememberedRun& run = resumption.run;
  try {
    resumption.archive = read_checkpoint(*request.resume);
    resumption.archive("asked", run);
  } catch (const FileError& error) {
    request.words.refuse("resume", error.what());
  } catch (const CheckpointError& error) {
    request.words.refuse("resume", error.what());
  } catch (const ArchiveError& error) {
    request.words.refuse("resume", fmt::format("{}: {}", *request.resume, error.what()));
  }
  if (request.model.empty()) request.model = run.plan.model.file;
  expect_model(request, run);
  expect_data(request, run);
  request.set = run.plan.model.set;
  if (request.initial_from || !request.initial_arrays.empty())
    throw UsageError("a run that is resumed goes on from its checkpoint: leave out --initial-from and --initial-array");
  // A file that was named in another folder is still that file.
  if (run.out) run.plan.out = run.out->path;
  if (run.section_out) run.plan.section_out = run.section_out->path;
  return resumption;
}

void check_resumption(const Resumption& resumption, const RunPlan& plan, const RunWords& words) {
  const RememberedRun& run = resumption.run;
  expect_record(plan, words, run);
  const TimeSpan before{run.plan.start, *run.plan.end};
  if (before.is_before(*plan.end, run.time))
    words.refuse("end", fmt::format("the run that is resumed is at t = {} already", run.time),
                 before.sign() > 0 ? "give a later time" : "give an earlier time: it goes backwards");
  const std::string changed = words.is_on_command_line("sample") ? "sample" : "every";
  if (!plan.is_adaptive()) {
    const double was = std::abs(TimeGrid<double>(run.plan.grid()).step()),
                 is = std::abs(TimeGrid<double>(plan.grid()).step());
    if (was != is)
      words.refuse(changed, fmt::format("would change the step of the run that is resumed, {}, to {}", was, is));
  }
  if (!plan.periodogram.empty() && (run.plan.sample != plan.sample || run.plan.every != plan.every))
    words.refuse(changed, "the periodogram of a run needs records at equal distances of time");
}

Notes resumption_notes(const Resumption& resumption, const RunPlan& plan, const RunWords& words) {
  const RememberedRun& run = resumption.run;
  Notes notes{fmt::format("the run goes on from t = {} ({})", run.time, *words.text("resume"))};
  if (!TimeSpan{run.plan.start, *run.plan.end}.is_before(run.time, *plan.end))
    notes.emplace_back("it has reached its end before; --end T goes further");
  if (run.program != COTANGENT_VERSION)
    notes.push_back(
        fmt::format("the checkpoint was written by version {}, and this is {}: numbers may differ in their "
                    "last digits from those of one run",
                    run.program, COTANGENT_VERSION));
  return notes;
}

RememberedRun remember(RunPlan asked, const RunWords& words) {
  RememberedRun run;
  if (asked.has_record()) {
    run.record = fingerprint_of_record(asked, words);
    asked.reference = resolve(asked.reference);
  }
  run.program = COTANGENT_VERSION;
  run.asked = std::move(asked);
  return run;
}
