#include "cotangent/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/report/choose_picture.hpp"
#include "cotangent/report/page_data.hpp"
#include "cotangent/run/parts/run_in.hpp"
#include "cotangent/simulation/dense_output.hpp"
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

RunWords as_words(const RunPlan& options) {
  RunWords words;
  for (const auto& [option, text] : words_of(options)) words.on_command_line(option, text);
  return words;
}

// Takes the place of the file, if there is to be one.
std::optional<ReplacedFile> place_of_page(const std::string& file, const RunWords& words) {
  if (file.empty()) return std::nullopt;
  try {
    return std::make_optional<ReplacedFile>(file, kPageKind);
  } catch (const FileError& error) {
    words.refuse("report", error.what());
  }
}

// The steps between records, forwards or backwards.
class StepPlaces {
 public:
  explicit StepPlaces(const SampleRows& rows) {
    for (std::size_t k = 0; k < rows.count(); ++k) times_.push_back(rows.numbers[k * rows.names.size()]);
    sign_ = times_.back() < times_.front() ? -1 : 1;
  }

  std::size_t count() const { return times_.size() - 1; }

  std::size_t place_of(double t) const {
    if (count() == 0 || !(sign_ * t >= sign_ * times_.front() && sign_ * t <= sign_ * times_.back()))
      throw std::invalid_argument(
          fmt::format("the time {} is outside of the run, from {} to {}", t, times_.front(), times_.back()));
    const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t,
                                        [this](double a, double b) { return sign_ * a < sign_ * b; });
    return static_cast<std::size_t>(after - times_.begin()) - 1;
  }

 private:
  std::vector<double> times_;
  int sign_;
};

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
  virtual RunPoint point() = 0;
  virtual std::vector<double> between(const SampleRows& rows, std::span<const double> times) = 0;
  virtual const std::vector<std::string>& names() const = 0;
  virtual void choose(const std::optional<std::vector<std::string>>& names) = 0;
  virtual const Summary& summary() const = 0;
  virtual std::string json() const = 0;
  virtual std::string table() const = 0;
  virtual std::string page(const SampleRows& rows) = 0;
  virtual void stop_if(const volatile std::sig_atomic_t* flag) = 0;

  std::function<void(const Sample&)> take;
  std::optional<std::vector<double>> rows;  // the numbers of records, the time first, where they are wanted
  double setup_seconds = 0;
};

template <class T>
class Run::BodyIn final : public Body, private Recorder<T> {
 public:
  BodyIn(Model model, RunWords words, const RunPlan& plan)
      : words_(std::move(words)),
        model_(std::move(model)),
        file_of_page_(place_of_page(plan.report, words_)),
        run_(model_, plan, words_, model_.notes),
        variables_(variable_columns(model_)),
        columns_(model_, run_.machine().manifold(), run_.watch().monitors()),
        values_(run_.machine().manifold()),
        names_(std::make_shared<const std::vector<std::string>>(columns_.names())) {
    run_.records().add(this);
  }

  const RunPlan& plan() const override { return run_.plan(); }
  const Notes& notes() const override { return run_.notes(); }

  Summary go() override {
    report_.reset();
    report_.emplace(run_.report(run_(), this->setup_seconds));
    if (file_of_page_) file_of_page_->replace(page_of(*run_.records().shown(), run_.records().shown_section()));
    return report_->summary;
  }

  const Summary& summary() const override {
    COTANGENT_CHECK(report_.has_value());
    return report_->summary;
  }
  std::string json() const override { return report_ ? json_summary(*report_) : ""; }
  std::string table() const override { return report_ ? table_summary(*report_) : ""; }
  const std::vector<std::string>& names() const override { return columns_.names(); }

  std::string page(const SampleRows& records) override {
    if (!has_page()) throw std::runtime_error("this program was built without the page: Node.js and npm were missing");
    const std::vector<std::string>& columns = columns_.names();
    if (!report_ || records.count() == 0 || !std::ranges::equal(columns, std::span(records.names).subspan(1)))
      throw std::invalid_argument("a page needs a run that was made, with all its columns");
    PhasePoint<T> z = run_.point();
    set_point(z, records, 0);
    Notes notes;  // the run goes without the picture that they are about
    Manifold<T>& manifold = run_.machine().manifold();
    PageRecord<T> shown(model_, manifold, run_.watch().monitors(),
                        choose_picture(model_, manifold, z, plan().chosen_backend(), notes));
    std::vector<T> row(columns.size());
    for (std::size_t k = 0; k < records.count(); ++k) {
      set_point(z, records, k);
      const double* numbers = records.numbers.data() + k * records.names.size() + 1;
      std::transform(numbers, numbers + row.size(), row.begin(), [](double x) { return T(x); });
      shown.take(z, row);
    }
    shown.finish();
    return page_of(shown, nullptr);
  }

  void choose(const std::optional<std::vector<std::string>>& names) override {
    chosen_.reset();
    if (names) chosen_.emplace(model_, run_.machine().manifold(), run_.watch().monitors(), names);
  }

  bool step(double h) override {
    report_.reset();  // it is about the point that the run has reached
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

  RunPoint point() override {
    const PhasePoint<T>& z = run_.point();
    RunPoint result;
    result.t = static_cast<double>(z.t);
    const std::vector<T>& v = values_.velocities(z);
    for (const VariableColumn& column : variables_) {
      const auto place = static_cast<std::size_t>(column.place);
      const auto add = [&](std::vector<double>& to, const std::vector<T>& from) {
        to.push_back(static_cast<double>(from[place]));
      };
      if (column.part == VariableColumn::q) add(result.q, z.q), add(result.v, v);
      if (column.part == VariableColumn::p) add(result.p, z.p);
      if (column.part == VariableColumn::s) add(result.s, z.s);
    }
    for (const T& x : values_.multipliers(z)) result.multipliers.push_back(static_cast<double>(x));
    return result;
  }

  std::vector<double> between(const SampleRows& records, std::span<const double> times) override {
    DenseOutput<T> dense(run_.machine().manifold(), *run_.machine().map.integrator);
    const StepPlaces steps(records);
    std::vector<double> all;
    std::size_t made = steps.count();
    PhasePoint<T> begin = run_.point(), end = begin;
    for (const double t : times) {
      const std::size_t step = steps.place_of(t);
      if (step != made) {
        set_point(begin, records, step);
        set_point(end, records, step + 1);
        dense.set_step(begin, end);
        made = step;
      }
      append_variables(dense.at(T(t)), all);
    }
    return all;
  }

 private:
  // The page of the last call, with the options that make it again.
  std::string page_of(const PageRecord<T>& shown, const PageRecord<T>* section) const {
    std::string options;
    for (const auto& [option, text] : words_of(plan())) options += fmt::format("{} = {}\n", option, text);
    const PageOrigin origin{"run", "cotangent " COTANGENT_VERSION, options};
    PageData page{.origin = origin, .model = &model_};
    page.runs = {page_run(*report_, shown, section)};
    return page_with(page.text());
  }

  // A point from the columns of a record, and back.
  void set_point(PhasePoint<T>& z, const SampleRows& records, std::size_t row) const {
    const double* numbers = records.numbers.data() + row * records.names.size();
    std::ranges::fill(z.s, T(0));
    z.t = T(*numbers++);
    for (const VariableColumn& column : variables_)
      part_of(z, column.part)[static_cast<std::size_t>(column.place)] = T(*numbers++);
    z.t_low = T(0);
    for (auto* low : {&z.q_low, &z.p_low, &z.s_low}) std::ranges::fill(*low, T(0));
  }
  void append_variables(PhasePoint<T> z, std::vector<double>& to) const {
    for (const VariableColumn& column : variables_)
      to.push_back(static_cast<double>(part_of(z, column.part)[static_cast<std::size_t>(column.place)]));
  }
  static std::vector<T>& part_of(PhasePoint<T>& z, VariableColumn::Part part) {
    return part == VariableColumn::q ? z.q : part == VariableColumn::p ? z.p : z.s;
  }

  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override {
    if (this->take) this->take(sample(z, monitors));
    if (!this->rows) return;
    this->rows->push_back(static_cast<double>(z.t));
    for (const T& x : (chosen_ ? *chosen_ : columns_)(z, monitors)) this->rows->push_back(static_cast<double>(x));
  }

  Sample sample(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
    Sample sample{static_cast<double>(z.t), names_, {}};
    for (const T& x : columns_(z, monitors)) sample.values.push_back(static_cast<double>(x));
    return sample;
  }

  RunWords words_;
  Model model_;
  std::optional<ReplacedFile> file_of_page_;  // before the run opens others
  RunIn<T> run_;
  std::vector<VariableColumn> variables_;
  PointColumns<T> columns_;
  std::optional<PointColumns<T>> chosen_;  // for rows, in their place
  PointValues<T> values_;
  std::optional<RunReport<T>> report_;  // of the last call
  std::shared_ptr<const std::vector<std::string>> names_;
  Point<T> next_;
  bool is_begun_ = false;
};

Run::Run(const Model& model, const RunPlan& options) : Run(model, as_words(options)) {}

Run::Run(const Model& shared, RunWords words) {
  const auto start = std::chrono::steady_clock::now();
  Model model = branch(shared);
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
const Summary& Run::summary() const { return body_->summary(); }
std::string Run::json() const { return body_->json(); }
std::string Run::table() const { return body_->table(); }
std::string Run::page(const SampleRows& rows) { return body_->page(rows); }
bool Run::step(double h) { return body_->step(h); }
Sample Run::now() { return body_->now(); }
RunPoint Run::point() { return body_->point(); }

std::vector<double> Run::between(const SampleRows& rows, std::span<const double> times) {
  return body_->between(rows, times);
}

bool Run::is_repeatable() const {
  const RunPlan& plan = this->plan();
  const bool writes = !plan.out.empty() || !plan.checkpoint.empty() || plan.is_shown();
  const bool follows = plan.certify || plan.growth || !plan.section.empty() || !plan.reference.empty();
  return !writes && !follows && plan.periodogram.empty();
}

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

SampleRows Run::rows() {
  SampleRows all{{"t"}, {}};
  all.names.insert(all.names.end(), body_->names().begin(), body_->names().end());
  body_->rows.emplace();
  static_cast<void>(body_->go());
  all.numbers = *std::exchange(body_->rows, std::nullopt);
  return all;
}

SampleRows Run::signals(const std::vector<std::string>& names) {
  body_->choose(names);
  SampleRows all = rows();
  body_->choose(std::nullopt);
  all.names.assign(1, "t");
  all.names.insert(all.names.end(), names.begin(), names.end());
  return all;
}

}  // namespace cotangent
