#include "benchmarks/peers/program_run.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/model/reader.hpp"

namespace cotangent::peers {

ProgramRun::ProgramRun(const Task& task, const PlanWords& options)
    : model_(read_model(std::string(COTANGENT_SOURCE_DIR "/") + task.model, task.set)),
      run_(make(task, options)),
      start_(run_->point()) {}

Summary ProgramRun::operator()() {
  run_->point() = start_;
  Summary summary = (*run_)();
  if (summary.outcome != Outcome::done) throw std::runtime_error("cotangent: the run failed");
  return summary;
}

Vector ProgramRun::end() const {
  const PhasePoint<double>& z = run_->point().state();
  Vector end = z.q;
  end.insert(end.end(), z.p.begin(), z.p.end());
  return end;
}

std::unique_ptr<RunIn<double>> ProgramRun::make(const Task& task, const PlanWords& options) {
  for (const auto& [option, text] : options) words_.on_command_line(option, text);
  words_.on_command_line("end", fmt::format("{:.17g}", task.end));
  Notes notes;
  RunPlan plan = plan_run(words_, model_, notes);
  settle_words(plan, words_, model_, notes);
  check_plan(plan, words_);
  model_ = planned_model(std::move(model_), plan, words_);
  return std::make_unique<RunIn<double>>(model_, plan, words_, notes);
}

}  // namespace cotangent::peers
