#include "cotangent/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/run/parts/run_in.hpp"
#include "cotangent/simulation/pace/decimal.hpp"

namespace cotangent {

namespace {

// Of what needs the functions of a model in other numbers than double.
void expect_double(const RunPlan& plan, const RunWords& words) {
  const auto refuse = [&](const char* option, const char* what) {
    words.refuse(option, fmt::format("{} needs H and g in quad precision, but they are C++ functions of double", what));
  };
  if (plan.precision == Precision::quad) refuse("precision", "this");
  if (plan.certify) refuse("certify", "a certificate");
  if (plan.growth) refuse("growth", "the growth of errors");
}

}  // namespace

double Sample::operator[](std::string_view name) const {
  const auto found = std::find(names->begin(), names->end(), name);
  if (found == names->end()) throw UnknownName("column", name, *names);
  return values[static_cast<std::size_t>(found - names->begin())];
}

/// The part that does not depend on the type of numbers.
class Run::Body {
 public:
  virtual ~Body() = default;
  virtual const RunPlan& plan() const = 0;
  virtual const Notes& notes() const = 0;
  virtual Summary go() = 0;
  virtual bool step(double h) = 0;
  virtual Sample now() = 0;
  virtual void stop_if(const volatile std::sig_atomic_t* flag) = 0;

  std::function<void(const Sample&)> take;
  std::string json, table;
  double setup_seconds = 0;
};

template <class T>
class Run::BodyIn final : public Body, private Recorder<T> {
 public:
  BodyIn(Model model, RunWords words, const RunPlan& plan)
      : words_(std::move(words)),
        model_(std::move(model)),
        run_(model_, plan, words_, model_.notes),
        columns_(model_, run_.machine().manifold(), run_.watch().monitors()),
        names_(std::make_shared<const std::vector<std::string>>(columns_.names())) {
    run_.records().add(this);
  }

  const RunPlan& plan() const override { return run_.plan(); }
  const Notes& notes() const override { return run_.notes(); }

  Summary go() override {
    const RunReport<T> report = run_.report(run_(), this->setup_seconds);
    this->json = json_summary(report);
    this->table = table_summary(report);
    return report.summary;
  }

  bool step(double h) override {
    const T length = decimal<T>(h);
    Point<T>& z = run_.point();
    Integrator<T>& integrator = *run_.machine().map.integrator;
    MonitorSet<T>& monitors = run_.watch().monitors();
    if (!is_begun_) {
      settle_redundancy(run_.machine().manifold(), z.state());
      integrator.begin(z);
      monitors.start(z, length);
      is_begun_ = true;
    }
    if (!integrator.step(z, length, next_).ok) return false;
    monitors.follow({z, next_, length});
    swap(z, next_);
    return true;
  }

  void stop_if(const volatile std::sig_atomic_t* flag) override { run_.simulation().interrupted = flag; }

  Sample now() override {
    MonitorSet<T>& monitors = run_.watch().monitors();
    if (!is_begun_) monitors.start(run_.point());
    return sample(run_.point(), monitors);
  }

 private:
  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override {
    if (this->take) this->take(sample(z, monitors));
  }

  Sample sample(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
    Sample sample{static_cast<double>(z.t), names_, {}};
    for (const T& x : columns_(z, monitors)) sample.values.push_back(static_cast<double>(x));
    return sample;
  }

  RunWords words_;
  Model model_;
  RunIn<T> run_;
  PointColumns<T> columns_;
  std::shared_ptr<const std::vector<std::string>> names_;
  Point<T> next_;
  bool is_begun_ = false;
};

Run::Run(const Model& shared, const RunPlan& options) {
  const auto start = std::chrono::steady_clock::now();
  Model model = branch(shared);
  RunWords words;
  for (const auto& [option, text] : words_of(options)) words.on_command_line(option, text);
  RunPlan plan = plan_run(words, model, model.notes);
  settle_words(plan, words, model, model.notes);
  check_plan(plan, words);
  if (model.functions) expect_double(plan, words);
  model = planned_model(std::move(model), plan, words);
  if (plan.precision == Precision::quad) {
    body_ = std::make_unique<BodyIn<Quad>>(std::move(model), std::move(words), plan);
  } else {
    body_ = std::make_unique<BodyIn<double>>(std::move(model), std::move(words), plan);
  }
  body_->setup_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const RunPlan& Run::plan() const { return body_->plan(); }
const Notes& Run::notes() const { return body_->notes(); }
void Run::on_sample(std::function<void(const Sample&)> take) { body_->take = std::move(take); }
void Run::stop_if(const volatile std::sig_atomic_t* flag) { body_->stop_if(flag); }
Summary Run::operator()() { return body_->go(); }
std::string Run::json() const { return body_->json; }
std::string Run::table() const { return body_->table; }
bool Run::step(double h) { return body_->step(h); }
Sample Run::now() { return body_->now(); }

std::vector<Sample> Run::samples() {
  std::vector<Sample> all;
  const auto other = body_->take;
  body_->take = [&](const Sample& sample) {
    all.push_back(sample);
    if (other) other(sample);
  };
  static_cast<void>(body_->go());
  body_->take = other;
  return all;
}

}  // namespace cotangent
