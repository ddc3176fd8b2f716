#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// A record of a run: the numbers of a point by the names of a CSV file, "x", "p_x", "r[1,2]", "energy".
struct Sample {
  double t = 0;
  std::shared_ptr<const std::vector<std::string>> names;
  std::vector<double> values;

  /// @throws UnknownName
  double operator[](std::string_view name) const;
};

/// All records of a run in one block of numbers, a row for each: the time, then what a Sample has.
struct SampleRows {
  std::vector<std::string> names;  ///< of the columns, "t" first
  std::vector<double> numbers;

  std::size_t count() const { return names.empty() ? 0 : numbers.size() / names.size(); }
};

/// A point in the order of the columns of a record, with its velocities v = H_p and the multipliers of the constraints.
struct RunPoint {
  double t = 0;
  std::vector<double> q, p, s, v, multipliers;
};

/// A run of a model, as the program makes it.
///
///   Run run(load_model("pendulum.toml"), {.method = "rattle", .step = 0.01, .end = 100});
///   for (const Sample& s : run.samples()) std::cout << s.t << ' ' << s["x"] << '\n';
///
/// One at a time may use a run; several runs may be made side by side. It prints nothing; what a user should know is in
/// notes() and in the summary.
class Run {
 public:
  /// @param options where they say nothing [run] of the model does.
  /// @throws ModelError or OptionError for a model, or options, that make no sense.
  explicit Run(const Model& model, const RunPlan& options = {});
  /// The same with options as texts, which may be expressions in parameters of the model: step = "pi/100".
  Run(const Model& model, RunWords words);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  const RunPlan& plan() const;  ///< with everything that was left open
  const Notes& notes() const;

  /// Every record from now on goes there, too.
  void on_sample(std::function<void(const Sample&)> take);

  /// Ends the next call early, with all that was recorded, when the flag becomes nonzero.
  void stop_if(const volatile std::sig_atomic_t* flag);

  /// From the start to the end of the plan. A step that cannot be made ends it; Summary::failure says why.
  Summary operator()();

  /// The same: all records.
  std::vector<Sample> samples();
  SampleRows rows();

  /// The same with the time and these columns alone: velocities `v_x` are among them, and what is monitored has its
  /// sign.
  /// @throws UnknownName
  SampleRows signals(const std::vector<std::string>& names);

  /// Coordinates, momenta and states between the records of such a run, a row for each time: with an error of the order
  /// of the method where every step is recorded. @throws std::invalid_argument for a time outside of the run.
  std::vector<double> between(const SampleRows& rows, std::span<const double> times);

  /// Whether a second call makes the same run again: nothing but its records and monitors remembers the first one.
  bool is_repeatable() const;

  /// How the last call of any of these ended. @pre there was one, and no step of one's own after it
  const Summary& summary() const;

  /// The report of the last call, as the program prints it; empty after steps of one's own.
  std::string json() const;
  std::string table() const;

  /// The page of the last call, which `report` writes to a file, from its records: one HTML file.
  /// @throws std::runtime_error if this program was built without the page, std::invalid_argument after steps of one's
  /// own or for records that lack columns.
  std::string page(const SampleRows& rows);

  /// For loops of one's own: a step of the method of any length, as a decimal, from where the last one ended, or from
  /// the start. False, and nothing has changed, if it cannot be made.
  [[nodiscard]] bool step(double h);

  /// The point that was reached.
  Sample now();
  RunPoint point();

 private:
  class Body;
  template <class T>
  class BodyIn;
  std::unique_ptr<Body> body_;
};

}  // namespace cotangent
