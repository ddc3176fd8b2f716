#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "commands.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/run/initial_files.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/parts/run_in.hpp"
#include "initial_data.hpp"
#include "resumption.hpp"

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

// Links lead to one file; what does not exist yet is told by its folder and its name.
bool is_same(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  const std::filesystem::path first = whole(a);
  return !error && first == whole(b) && !error;
}

struct File {
  const char* what;
  std::string path;
};

// Refuses a run that would write a file twice, over one that it reads (the same file, however it is spelt), or where
// there is no place for one.
void check_files(const RunPlan& plan, const RunWords& words, const std::vector<std::string>& initial) {
  std::vector<File> others{{"the model", plan.model.file}};
  if (plan.has_record()) others.push_back({"the reference", plan.reference});
  for (const std::string& file : initial) others.push_back({"initial data", file});
  const auto check = [&](const char* option, const std::string& path, const char* what) {
    if (path.empty()) return;
    for (const File& other : others)
      if (is_same(path, other.path))
        words.refuse(option, fmt::format("'{}' is the file of {}", path, other.what), "use another name");
    others.push_back({what, path});
  };
  check("out", plan.out, "the trajectory");
  if (!plan.section.empty()) check("section-out", plan.section_out, "the section");
  check("checkpoint", plan.checkpoint, "the checkpoint");
  if (!words.is_given("checkpoint")) return;
  try {
    expect_writable(plan.checkpoint);
  } catch (const CheckpointError& error) {
    words.refuse("checkpoint", error.what());
  }
}

volatile std::sig_atomic_t interrupted = 0;

// While it lives, Ctrl-C and a request to terminate (SIGTERM) ask for a clean end instead of killing the program; a
// second one kills it.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_[2] = {};
};

// Unless they go into JSON or nobody wants them.
void print_notes(const RunPlan& plan, const Notes& notes) {
  if (plan.quiet || plan.json) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", with_flags(note));
}

// Writes a checkpoint: what the run is, its signals, and its state.
template <class T>
void keep_checkpoint(RememberedRun& remembered, RunIn<T>& run, const std::function<void(Archive&)>& state) {
  const auto file = [](const std::string& path, const std::optional<WrittenPart>& part) {
    return part ? std::optional(WrittenFile{absolute(path), *part}) : std::nullopt;
  };
  const WrittenParts written = run.records().written();
  remembered.time = static_cast<double>(run.point()->t);
  remembered.out = file(run.plan().out, written.out);
  remembered.section_out = file(run.plan().section_out, written.section_out);
  Archive archive;
  archive("asked", remembered);
  run.records().signals_state(archive);
  state(archive);
  write_checkpoint(run.plan().checkpoint, archive);
}

// The time loop, with a bar while it goes and with a clean end if it is interrupted.
template <class T>
Summary advance(RunIn<T>& run) {
  ProgressBar bar(stderr);
  if (is_terminal(stderr) && !run.plan().json && !run.plan().quiet)
    run.simulation().progress = [&bar](const Progress& progress) { bar.draw(progress); };
  const InterruptGuard guard;
  run.simulation().interrupted = &interrupted;
  Summary summary = run();
  bar.clear();
  return summary;
}

// The table or JSON, warnings, and what went wrong.
template <class T>
void print_report(const RunPlan& plan, const RunReport<T>& report) {
  if (plan.json) {
    fmt::print("{}", with_flags(json_summary(report)));
  } else if (!plan.quiet) {
    fmt::print("{}", with_flags(table_summary(report)));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  const Summary& summary = report.summary;
  if (!plan.json && !plan.quiet)
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", with_flags(warning.text));
  if (summary.failure) fmt::print(stderr, "error: {}\n", with_flags(describe(*summary.failure)));
  if (summary.outcome == Outcome::interrupted && !plan.quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps{}\n", summary.time, summary.steps,
               plan.checkpoint.empty() ? "" : fmt::format("; cotangent run --resume {} goes on", plan.checkpoint));
}

template <class T>
int run_in_precision(const Model& model, const RunPlan& plan, const RunWords& words, RememberedRun remembered,
                     Resumption* resumption) {
  Notes notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, plan, words)) notes.push_back(std::move(note));
  RunIn<T> run(model, plan, words, std::move(notes), resumption ? resumption->kept(plan) : WrittenParts());
  print_notes(plan, run.notes());
  remembered.plan = run.plan();
  if (remembered.plan.has_record()) remembered.plan.reference = absolute(remembered.plan.reference);
  Checkpoints& checkpoints = run.simulation().checkpoints;
  if (!plan.checkpoint.empty())
    checkpoints.keep = [&](const std::function<void(Archive&)>& state) { keep_checkpoint(remembered, run, state); };
  if (resumption) {
    run.records().signals_state(resumption->archive);
    checkpoints.from = &resumption->archive;
  }
  Summary summary = advance(run);
  const double setup_seconds = program_seconds() - summary.wall_seconds;
  const RunReport<T> report = run.report(std::move(summary), setup_seconds);
  print_report(run.plan(), report);
  return report.summary.outcome == Outcome::done ? kDone : kFailed;
}

}  // namespace

int run(RunRequest request) {
  std::optional<Resumption> resumption = read_resumption(request);
  const std::filesystem::path file = find_model(request.model);
  Model model = read_model(file, request.set, run_keys(), resumption ? resumption->run.plan.model.tables : Tables());
  const auto frame_time = resumption ? std::nullopt : set_initial_data(request, model);
  RunWords& words = request.words;
  RunPlan plan = resumption ? plan_resumed_run(words, model, resumption->run.plan, resumption->run.asked)
                            : plan_run(words, model, model.notes);
  plan.model = {absolute(file.string()), request.set, fingerprint(read_text(file.string())), model.tables};
  if (const double reached = frame_time.value_or(plan.start); reached != plan.start)
    model.notes.push_back(fmt::format("the initial data are those of {} at t = {}, and the run begins at t = {}",
                                      *request.initial_from, reached, plan.start));
  const RunPlan asked = resumption ? resumption->run.asked : plan;
  settle_words(plan, words, model, model.notes);
  check_plan(plan, words);
  check_files(plan, words, initial_files(request));
  if (resumption) check_resumption(*resumption, plan, words);
  RememberedRun remembered = plan.checkpoint.empty() ? RememberedRun() : remember(asked, words);
  remembered.variables = variables_of(model);
  model = planned_model(std::move(model), plan, words);
  const auto in_precision = [&](auto zero) {
    return run_in_precision<decltype(zero)>(model, plan, words, remembered, resumption ? &*resumption : nullptr);
  };
  try {
    return plan.precision == Precision::quad ? in_precision(Quad(0)) : in_precision(0.0);
  } catch (const ArchiveError& error) {
    words.refuse("resume", fmt::format("{}: {}", *request.resume, error.what()));
  }
}
