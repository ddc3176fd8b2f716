#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/integrator/registry/method_name.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/report/page_data.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"
#include "cotangent/simulation/pace/time_grid.hpp"

namespace cotangent {
namespace {

void check_backend(const RunPlan& plan, const RunWords& words) {
  if (plan.backend != Backend::jit) return;
  if (!has_jit())
    words.refuse("backend", "this program was built without LLVM", "use " + words.spell("backend", "interpreter"));
  if (plan.precision != Precision::usual)
    words.refuse("backend", "'jit' computes in double precision only",
                 "leave it out with " + words.spell("precision", name_of(plan.precision)));
}

double unit(Precision precision) {
  return precision == Precision::quad ? static_cast<double>(epsilon<Quad>()) : epsilon<double>();
}

// An error that can be told from rounding errors of a step, with two digits.
double smallest_tolerance(Precision precision) {
  const double least = 10 * unit(precision), digit = std::pow(10, std::floor(std::log10(least)) - 1);
  return std::ceil(least / digit) * digit;
}

// A step that is shorter changes no time.
void expect_noticeable(const RunPlan& plan, const RunWords& words, double shortest) {
  if (plan.step && *plan.step <= shortest)
    words.refuse("step", fmt::format("a step of {} makes no difference to the time: it must be longer than {:.2g}",
                                     *plan.step, shortest));
}

void check_adaptive_steps(const RunPlan& plan, const RunWords& words) {
  const double relative = *plan.tolerance, least = smallest_tolerance(plan.precision);
  if (!(relative > 0 && relative < 1))
    words.refuse("tolerance", fmt::format("must be between 0 and 1, not {}", relative));
  if (relative < least)
    words.refuse(
        "tolerance",
        fmt::format("in {} precision rounding errors permit no less than {:.2g}", name_of(plan.precision), least),
        plan.precision == Precision::quad ? "" : "use " + words.spell("precision", "quad"));
  if (plan.absolute_tolerance && !(*plan.absolute_tolerance > 0))
    words.refuse("absolute-tolerance", fmt::format("must be positive, not {}", *plan.absolute_tolerance));
  if (plan.step && !(*plan.step > 0))
    words.refuse("step", fmt::format("the step must be positive, not {}", *plan.step));
  check_times(plan.adaptive().span(), plan.every, plan.sample);
  expect_noticeable(plan, words, shortest_step(plan.start, plan.adaptive().span(), unit(plan.precision)));
}

void check_times_of(const RunPlan& plan, const RunWords& words) {
  if (!plan.end)
    throw OptionError(
        fmt::format("the end is not given: use {}, or end = T in [run] of the model", words.spell("end", "T")));
  if (!plan.step && !plan.is_adaptive())
    throw OptionError(
        fmt::format("the step is not given: use {}, or step = H in [run] of the model, or {} for adaptive steps",
                    words.spell("step", "H"), words.spell("tolerance", "T")));
  try {
    if (plan.is_adaptive()) {
      check_adaptive_steps(plan, words);
    } else {
      static_cast<void>(TimeGrid<double>(plan.grid()));
      expect_noticeable(plan, words, unit(plan.precision) * std::max(std::abs(plan.start), std::abs(*plan.end)));
    }
  } catch (const TimeGridError& error) {
    // Of two that do not go together the one that was said last.
    const bool is_other = words.is_on_command_line(error.other()) && !words.is_on_command_line(error.option());
    words.refuse(is_other ? error.other() : error.option(), error.what());
  }
}

void check_projection(const RunPlan& plan, const RunWords& words) {
  const bool is_in_step = plan.projection == Projection::stage || plan.projection == Projection::symmetric;
  if (!plan.project_invariants.empty() && is_in_step)
    words.refuse("project-invariants",
                 fmt::format("the projection '{}' is part of a step, and invariants alone would lead away from the "
                             "constraints after it",
                             name_of(*plan.projection)),
                 fmt::format("use {} or {}", words.spell("projection", "both"), words.spell("projection", "joint")));
  const auto are_in_method = [&] {
    if (plan.method.empty()) return false;
    const MethodName method = parse_method_name(plan.method);
    return takes_names(method.word) && !method.arguments.empty();
  };
  if (words.is_given("project-invariants") && plan.project_invariants.empty() && !are_in_method())
    words.refuse("project-invariants", "names no invariant", "use energy, or names from [invariants] of the model");
  if (plan.project_above && !(*plan.project_above >= 0))
    words.refuse("project-above", fmt::format("must not be negative, but is {}", *plan.project_above));
}

void check_counts(const RunPlan& plan, const RunWords& words) {
  const auto expect_positive = [&](const char* option, std::int64_t count) {
    if (count < 1) words.refuse(option, fmt::format("must be at least 1, not {}", count));
  };
  expect_positive("project-every", plan.project_every);
  if (words.is_given("impetus-reset")) expect_positive("impetus-reset", plan.equations.impetus_reset);
  if (words.is_given("checkpoint-every")) expect_positive("checkpoint-every", plan.checkpoint_every);
}

void check_out(const RunWords& words, const char* option, const std::string& file) {
  if (file.empty()) return;
  const std::string ending = record_ending(file);
  if (!is_record_ending(ending))
    words.refuse(option, fmt::format("a record is a .csv, .npz or .h5 file, not '{}'", ending));
}

void check_record(const RunPlan& plan, const RunWords& words) {
  if (!plan.writes_to_stdout()) check_out(words, "out", plan.out);
  if (plan.writes_to_stdout() && plan.json)
    words.refuse("out", "the record and the summary would both go to standard output",
                 "leave out " + words.spell("json") + ", or name a file");
  check_out(words, "section-out", plan.section_out);
  if (words.is_given("record") && plan.record.empty())
    words.refuse("record", "names are missing", "for example " + words.spell("record", "coordinates,velocities"));
  if (plan.compression < 0 || plan.compression > 9)
    words.refuse("compression", fmt::format("must be between 0 and 9, not {}", plan.compression));
}

// Frequencies are those of samples at equal distances, which are all kept.
void check_periodogram(const RunPlan& plan, const RunWords& words) {
  const std::size_t count = plan.periodogram.size();
  if (words.is_given("periodogram") && count == 0)
    words.refuse("periodogram", "names are missing", "for example " + words.spell("periodogram", "x,energy"));
  if (count == 0) return;
  if (count > kLimits.signals)
    words.refuse("periodogram", fmt::format("{} names; there may be {}", count, kLimits.signals));
  if (plan.is_adaptive() && !plan.sample)
    words.refuse("periodogram", "the records of adaptive steps are not at equal distances of time",
                 "add " + words.spell("sample", "DT"));
  const double spacing = plan.sample ? *plan.sample : *plan.step * static_cast<double>(plan.every.value_or(1));
  if (const double records = std::abs(*plan.end - plan.start) / spacing; records > static_cast<double>(kLimits.samples))
    words.refuse("periodogram",
                 fmt::format("the run has {:.3g} records, and at most {} are kept", records, kLimits.samples),
                 fmt::format("add {} or {}", words.spell("every", "K"), words.spell("sample", "DT")));
}

}  // namespace

void check_report(const std::string& file, const RunWords& words) {
  if (file.empty()) {
    if (words.is_given("report")) words.refuse("report", "the file needs a name", "for example report.html");
    return;
  }
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending != ".html") words.refuse("report", fmt::format("a page is an .html file, not '{}'", ending));
  if (!has_page())
    words.refuse("report", "this program was built without the page of reports, because Node.js and npm were missing",
                 "install nodejs and npm, and build again");
}

void check_plan(const RunPlan& plan, const RunWords& words) {
  check_backend(plan, words);
  check_times_of(plan, words);
  check_projection(plan, words);
  check_record(plan, words);
  check_report(plan.report, words);
  check_counts(plan, words);
  check_periodogram(plan, words);
  const double above = plan.equations.impetus_reset_above;
  if (words.is_given("impetus-reset-above") && !(above > 0))
    words.refuse("impetus-reset-above", fmt::format("must be larger than 0, but is {}", above));
}

}  // namespace cotangent
