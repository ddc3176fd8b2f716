#include "resumption.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cotangent/model/reader.hpp"
#include "cotangent/simulation/time_grid.hpp"
#include "errors.hpp"
#include "model_data.hpp"
#include "models_folder.hpp"
#include "reference_choice.hpp"
#include "resumed_options.hpp"

using namespace cotangent;

namespace fs = std::filesystem;

namespace {

void expect_model(const RunOptions& options, const RememberedRun& run) {
  std::string text;
  try {
    text = read_text(find_model(options.model).string());
  } catch (const CheckpointError& error) {
    throw UsageError(fmt::format("{}: name the model of the checkpoint {}", error.what(), *options.resume));
  }
  if (fingerprint(text) == run.fingerprint) return;
  throw UsageError(
      fmt::format("the model {} is not that of the checkpoint {}: its text has changed since, or it is another one; "
                  "start a new run, or restore it",
                  options.model, *options.resume));
}

// What is set again must lead to the same numbers.
void expect_data(const RunOptions& options, const RememberedRun& run) {
  if (options.set.empty() || options.set == run.set) return;
  const auto file = find_model(options.model);
  if (model_data(read_model(file, options.set)) == model_data(read_model(file, run.set))) return;
  throw UsageError(fmt::format("--set {}: the run that is resumed has {}; leave it out, or start a new run",
                               fmt::join(options.set, " --set "),
                               run.set.empty() ? "none" : fmt::format("--set {}", fmt::join(run.set, " --set "))));
}

std::string fingerprint_of_record(const RunOptions& options) {
  try {
    return fingerprint(read_text(*options.reference));
  } catch (const CheckpointError& error) {
    options.places.refuse("reference", error.what());
  }
}

void expect_record(const RunOptions& options, const RememberedRun& run) {
  if (!run.record || fingerprint_of_record(options) == run.record) return;
  options.places.refuse("reference",
                        fmt::format("{} is not the record that the run was compared with: its text has changed since, "
                                    "or it is another one",
                                    *options.reference),
                        "restore it, or start a new run");
}

// A file that was named in another folder is still that file.
void take_file(RunOptions& options, const char* name, std::optional<std::string> RunOptions::*member,
               const std::optional<WrittenFile>& file) {
  if (!file || options.*member) return;
  options.*member = file->path;
  options.places.in_checkpoint(name);
}

}  // namespace

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

std::optional<WrittenPart> Resumption::kept(const std::optional<WrittenFile>& before,
                                            const std::optional<std::string>& now) {
  if (!before || !now || before->path != absolute(*now)) return std::nullopt;
  return before->part;
}

std::optional<Resumption> read_resumption(RunOptions& options) {
  if (!options.resume) return std::nullopt;
  Resumption resumption;
  try {
    resumption.archive = read_checkpoint(*options.resume);
    resumption.archive("asked", resumption.run);
  } catch (const CheckpointError& error) {
    options.places.refuse("resume", error.what());
  } catch (const ArchiveError& error) {
    options.places.refuse("resume", fmt::format("{}: {}", *options.resume, error.what()));
  }
  const RememberedRun& run = resumption.run;
  if (options.model.empty()) options.model = run.model;
  expect_model(options, run);
  expect_data(options, run);
  options.set = run.set;
  take_file(options, "out", &RunOptions::out, run.out);
  take_file(options, "section-out", &RunOptions::section_out, run.section_out);
  return resumption;
}

void check_resumption(const Resumption& resumption, const RunOptions& options, const RunChoices& choices) {
  const RememberedRun& run = resumption.run;
  expect_record(options, run);
  if (*options.end < run.time)
    options.places.refuse("end", fmt::format("the run that is resumed is at t = {} already", run.time),
                          "give a later time");
  const auto remembered = [&](const char* name) -> std::optional<double> {
    const auto text = run.given(name);
    return text ? std::optional(std::strtod(text->c_str(), nullptr)) : std::nullopt;
  };
  const std::string changed = options.places.is_on_command_line("sample") ? "sample" : "every";
  if (!choices.adaptive) {
    TimeGridOptions before = choices.grid;
    before.every.reset();
    before.sample = remembered("sample");
    const double was = TimeGrid<double>(before).step(), is = TimeGrid<double>(choices.grid).step();
    if (was != is)
      options.places.refuse(changed,
                            fmt::format("would change the step of the run that is resumed, {}, to {}", was, is));
  }
  const auto every = remembered("every");
  const bool same = remembered("sample") == options.sample &&
                    every == (options.every ? std::optional(static_cast<double>(*options.every)) : std::nullopt);
  if (options.periodogram && !same)
    options.places.refuse(changed, "the periodogram of a run needs records at equal distances of time");
}

std::vector<std::string> resumption_notes(const Resumption& resumption, const RunOptions& options) {
  const RememberedRun& run = resumption.run;
  std::vector<std::string> notes{fmt::format("the run goes on from t = {} ({})", run.time, *options.resume)};
  if (*options.end <= run.time) notes.emplace_back("it has reached its end before; --end T goes further");
  if (run.program != COTANGENT_VERSION)
    notes.push_back(
        fmt::format("the checkpoint was written by version {}, and this is {}: numbers may differ in their "
                    "last digits from those of one run",
                    run.program, COTANGENT_VERSION));
  return notes;
}

RememberedRun remember(RunOptions options, const std::string& precision) {
  RememberedRun run;
  if (is_record(options)) {
    run.record = fingerprint_of_record(options);
    options.reference = absolute(*options.reference);
  }
  run.program = COTANGENT_VERSION;
  run.precision = precision;
  run.model = absolute(find_model(options.model).string());
  run.fingerprint = fingerprint(read_text(run.model));
  run.set = options.set;
  run.options = remembered_options(options);
  return run;
}
