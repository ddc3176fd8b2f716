#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "cotangent/base/file.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/output/record/csv_file.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/report/page_data.hpp"
#include "cotangent/report/terminal_plot.hpp"
#include "cotangent/run/initial_files.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/parts/record_about.hpp"
#include "cotangent/run/parts/run_in.hpp"
#include "initial_data.hpp"
#include "messages.hpp"
#include "resumption.hpp"
#include "signals.hpp"

using namespace cotangent;

namespace {

// When the program began: the processor time that it had spent before, loading its libraries, and the time on the
// clock.
double seconds_so_far() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}
const double seconds_before_start = seconds_so_far();
const auto start_of_program = std::chrono::steady_clock::now();

double program_seconds() {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_of_program;
  return seconds_before_start + since.count();
}

struct File {
  const char* what;
  std::string path;
};

// Refuses a run that would write a file twice, over one that it reads (the same file, however it is spelt) or that it
// prints to, over one of another kind, or where there is no place for one.
void check_files(const Model& model, const RunPlan& plan, const RunWords& words,
                 const std::vector<std::string>& initial) {
  std::vector<File> others{{"the model", plan.model.file}};
  if (plan.has_record()) others.push_back({"the reference", plan.reference});
  for (const std::string& file : initial) others.push_back({"initial data", file});
  // The kind of a record has the names of all variables: it is made only where there is one.
  const auto check = [&](const char* option, const std::string& path, const char* what, const auto& make_kind) {
    if (path.empty()) return;
    for (const File& other : others)
      if (is_same_file(path, other.path))
        words.refuse(option, fmt::format("'{}' is the file of {}", path, other.what), "use another name");
    for (const auto& [descriptor, stream] : {std::pair(STDOUT_FILENO, "output"), std::pair(STDERR_FILENO, "error")})
      if (is_open_file(descriptor, path))
        words.refuse(option, fmt::format("standard {} goes to '{}'", stream, path), "use another name");
    others.push_back({what, path});
    try {
      find_place(path, make_kind());
    } catch (const FileError& error) {
      words.refuse(option, error.what());
    }
  };
  const auto check_record = [&](const char* option, const std::string& path, const char* what) {
    check(option, path, what, [&] { return record_kind(model, path); });
    if (record_ending(path) == ".csv") others.push_back({"the description of a record", description_beside(path)});
  };
  if (!plan.writes_to_stdout()) check_record("out", plan.out, "the trajectory");
  if (!plan.section.empty()) check_record("section-out", plan.section_out, "the section");
  check("report", plan.report, "the page", [] { return kPageKind; });
  if (words.is_given("checkpoint") && plan.checkpoint.empty()) words.refuse("checkpoint", "a checkpoint needs a name");
  check("checkpoint", plan.checkpoint, "the checkpoint", [] { return kCheckpointKind; });
}

// Unless they go into JSON or nobody wants them.
void print_notes(const RunPlan& plan, const Notes& notes) {
  if (plan.quiet || plan.json) return;
  for (const auto& note : notes) say(fmt::format("note: {}\n", with_flags(note)));
}

// The checkpoints of a run.
class Keeper {
 public:
  /// Takes the place of the file, if there is to be one.
  Keeper(const RunPlan& plan, const RunWords& words, RememberedRun run) : run_(std::move(run)) {
    if (plan.checkpoint.empty()) return;
    try {
      file_.emplace(plan.checkpoint, kCheckpointKind);
    } catch (const FileError& error) {
      words.refuse("checkpoint", error.what());
    }
  }

  explicit operator bool() const { return file_.has_value(); }

  // Writes one: the run as it was asked for, its signals, and its state.
  template <class T>
  void keep(RunIn<T>& run, double time, const std::function<void(Archive&)>& state) {
    const auto file = [](const std::string& path, const std::optional<WrittenPart>& part) {
      return part && path != "-" ? std::optional(WrittenFile{resolve(path), *part}) : std::nullopt;
    };
    const WrittenParts written = run.records().written();
    run_.time = time;
    run_.out = file(run.plan().out, written.out);
    run_.section_out = file(run.plan().section_out, written.section_out);
    Archive archive;
    archive("asked", run_);
    run.records().signals_state(archive);
    state(archive);
    file_->replace(checkpoint_text(archive));
    is_kept_ = true;
  }

  // How a run that has ended early goes on.
  std::string advice(const RunPlan& plan) const {
    return is_kept_ ? fmt::format("cotangent run --resume {} goes on from t = {:g}", plan.checkpoint, run_.time) : "";
  }

 private:
  RememberedRun run_;
  std::optional<ReplacedFile> file_;
  bool is_kept_ = false;
};

// The time loop, with a bar while it goes and with a clean end if it is interrupted.
template <class T>
Summary advance(RunIn<T>& run) {
  ProgressBar bar(stderr);
  if (is_terminal(stderr) && !run.plan().json && !run.plan().quiet)
    run.simulation().progress = [&bar](const Progress& progress) { bar.draw(progress); };
  const InterruptGuard guard;
  run.simulation().interrupted = guard.flag();
  Summary summary = run();
  bar.clear();
  return summary;
}

// Warnings, and what went wrong.
void say_end(const RunPlan& plan, const Summary& summary, const std::string& advice) {
  if (!plan.json && !plan.quiet)
    for (const auto& warning : summary.warnings) say(fmt::format("warning: {}\n", with_flags(warning.text)));
  if (summary.failure) say(fmt::format("error: {}\n", with_flags(describe(*summary.failure))));
  if (summary.outcome == Outcome::done || plan.quiet) return;
  if (summary.outcome == Outcome::interrupted)
    say(fmt::format("interrupted at t = {:g}, after {}{}{}\n", summary.time,
                    plural(static_cast<std::size_t>(summary.steps), "step"), advice.empty() ? "" : "; ", advice));
  else if (!advice.empty())
    say(advice + '\n');
}

template <class T>
std::string page_of(RunIn<T>& run, const RunReport<T>& report, const std::string& command) {
  const RunRecords<T>& records = run.records();
  const PageOrigin origin{"run", "cotangent " COTANGENT_VERSION, command};
  PageData page{origin, report.model};
  page.runs = {Json::raw(with_flags(page_run(report, *records.shown(), records.shown_section()).text()))};
  return page_with(page.text());
}

template <class T>
void print_plot(const PageRecord<T>& record, const RunPlan& plan) {
  const bool has_terminal = is_terminal(plan.writes_to_stdout() ? stderr : stdout);
  const std::string text = terminal_plot(record, has_terminal ? terminal_width(stdout) : 80, has_terminal);
  plan.writes_to_stdout() ? say(text) : print(text);
}

template <class T>
int run_in_precision(const Model& model, const RunPlan& plan, const RunWords& words, RememberedRun remembered,
                     Resumption* resumption, const std::string& command) {
  Notes notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, plan, words)) notes.push_back(std::move(note));
  RunIn<T> run(model, plan, words, std::move(notes), resumption ? resumption->kept(plan) : WrittenParts());
  print_notes(plan, run.notes());
  std::optional<ReplacedFile> page;
  if (!plan.report.empty()) page.emplace(plan.report, kPageKind);
  remembered.plan = run.plan();
  if (remembered.plan.has_record()) remembered.plan.reference = resolve(remembered.plan.reference);
  Keeper keeper(plan, words, std::move(remembered));
  Checkpoints& checkpoints = run.simulation().checkpoints;
  if (keeper)
    checkpoints.keep = [&](double time, const std::function<void(Archive&)>& state) { keeper.keep(run, time, state); };
  if (resumption) {
    run.records().signals_state(resumption->archive);
    checkpoints.from = &resumption->archive;
  }
  Summary summary = advance(run);
  const double setup_seconds = program_seconds() - summary.wall_seconds;
  const RunReport<T> report = run.report(std::move(summary), setup_seconds);
  std::optional<OutputError> unprinted;
  try {
    // Where the record takes standard output the table goes to standard error.
    const auto show = [&](const std::string& text) { plan.writes_to_stdout() ? say(text) : print(text); };
    if (plan.json || !plan.quiet) show(with_flags(plan.json ? json_summary(report) : table_summary(report)));
  } catch (const OutputError& error) {
    unprinted = error;
  }
  if (plan.plot && !plan.json && !unprinted) print_plot(*run.records().shown(), plan);
  if (page) page->replace(page_of(run, report, command));
  say_end(plan, report.summary, keeper.advice(plan));
  if (unprinted) throw *unprinted;
  return report.summary.outcome == Outcome::done ? kDone : kFailed;
}

// The run of a record, with options that are given in the place of those that it had.
std::optional<RecordedModel> read_recorded_run(RunRequest& request) {
  if (!request.from) return std::nullopt;
  if (!request.model.empty() || request.resume)
    throw UsageError("the run of a record has a model: leave out MODEL and --resume");
  RecordedModel recorded;
  try {
    const std::string description = record_facts(*request.from).description;
    if (description.empty()) throw std::runtime_error(*request.from + " does not say what run it is a record of");
    recorded = recorded_model(description);
  } catch (const std::runtime_error& error) {
    request.words.refuse("from", error.what());
  }
  RunWords& words = request.words;
  const auto is_given = [&](const char* option) { return words.is_on_command_line(option); };
  // What went with an option that is replaced goes with it.
  const std::vector<std::pair<bool, std::vector<std::string>>> replaced{
      {is_given("method"), {"formulation", "projection", "controller", "solver"}},
      {is_given("formulation"), {"projection"}},
      {is_given("step") && !is_given("tolerance"), {"tolerance", "absolute-tolerance", "controller"}},
      {is_given("tolerance"), {"step"}},
      {is_given("every"), {"sample"}},
      {is_given("sample"), {"every"}}};
  std::vector<std::string> dropped;
  for (const auto& [is_so, options] : replaced)
    if (is_so) dropped.insert(dropped.end(), options.begin(), options.end());
  for (const auto& [option, text] : recorded.options)
    if (!words.is_on_command_line(option) && std::find(dropped.begin(), dropped.end(), option) == dropped.end())
      words.on_command_line(option, text);
  recorded.set.insert(recorded.set.end(), request.set.begin(), request.set.end());
  request.set = recorded.set;
  if (recorded.file.empty()) recorded.file = recorded.name + ".toml";
  if (!words.is_on_command_line("checkpoint")) return recorded;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(recorded.file, ignored) || read_text(recorded.file) != recorded.text)
    words.refuse("checkpoint", fmt::format("the model of the record is no longer {}", recorded.file),
                 "restore it, or leave out " + flag("checkpoint"));
  return recorded;
}

}  // namespace

int run(RunRequest request) {
  std::optional<Resumption> resumption = read_resumption(request);
  const std::optional<RecordedModel> recorded = read_recorded_run(request);
  const std::filesystem::path file = recorded ? std::filesystem::path(recorded->file) : find_model(request.model);
  const Tables tables = resumption ? resumption->run.plan.model.tables : recorded ? recorded->tables : Tables();
  Model model = recorded ? read_model_text(recorded->text, recorded->file, request.set, run_keys(), tables,
                                           InitialCoverage::partial)
                         : read_model(file, request.set, run_keys(), tables, InitialCoverage::partial);
  const std::string mark = fingerprint(model.source->text());
  model = runnable(std::move(model));
  const auto frame_time = resumption ? std::nullopt : set_initial_data(request, model);
  RunWords& words = request.words;
  RunPlan plan = resumption ? plan_resumed_run(words, model, resumption->run.plan, resumption->run.asked)
                            : plan_run(words, model, model.notes);
  plan.model = {resolve(file.string()), request.set, mark, model.tables};
  if (const double reached = frame_time.value_or(plan.start); reached != plan.start)
    model.notes.push_back(fmt::format("the initial data are those of {} at t = {}, and the run begins at t = {}",
                                      *request.initial_from, reached, plan.start));
  const RunPlan asked = resumption ? resumption->run.asked : plan;
  settle_words(plan, words, model, model.notes);
  check_plan(plan, words);
  check_files(model, plan, words, initial_files(request));
  if (resumption) check_resumption(*resumption, plan, words);
  RememberedRun remembered = plan.checkpoint.empty() ? RememberedRun() : remember(asked, words);
  remembered.variables = variable_names(model);
  model = planned_model(std::move(model), plan, words);
  const auto in_precision = [&](auto zero) {
    return run_in_precision<decltype(zero)>(model, plan, words, remembered, resumption ? &*resumption : nullptr,
                                            request.command);
  };
  try {
    return plan.precision == Precision::quad ? in_precision(Quad(0)) : in_precision(0.0);
  } catch (const ArchiveError& error) {
    words.refuse("resume", fmt::format("{}: {}", *request.resume, error.what()));
  }
}
