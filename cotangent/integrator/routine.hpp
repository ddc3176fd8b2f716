#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/kernel/kernel.hpp"

namespace cotangent {

/// A method on a small system whose steps become machine code as a whole, with the state in registers.
///
/// Steps that have been made are made once more over Traced numbers. What is seen there, from the point and the length
/// of a step to its end with its report, is one straight line of operations and of choices. Steps that go different
/// ways, with one Newton correction more, say, are recorded each, and become one kernel, which makes one step, or
/// many, as long as each of them goes one of these ways (RecordedKernel). A step that does not, or one that fails, is
/// made by the method; where there are many of these their ways are recorded, too. What takes longer than calls, or
/// more time to compile than the rest of the run would gain, is not compiled.
///
/// Both ways give the same bits, so that it matters to nobody which one a step goes. Whatever a method is, its
/// formulation and its projection, it is compiled without being told; only what depends on other things than numbers,
/// such as a chart or how many steps were made, is left to the method.
class Routine final : public Integrator<double> {
 public:
  /// The costs of code, in seconds.
  struct Costs {
    std::int64_t first_calls = 200;  ///< before steps are timed and recorded
    double least_steps = 5000;    ///< calls take some 1 ns for an operation, and compiling as long as this many steps
    double compiling = 6e-6;      ///< an operation
    double running = 0.25e-9;     ///< an operation of a step, most of which live in memory
    std::size_t longest = 20000;  ///< recording that is tried: to compile it takes a tenth of a second
  };

  /// @param manifold that of the method; must outlive this.
  /// @param remake makes steps like those of the method, of other objects.
  /// @param expected_steps of the run. Without, or after them, as many are expected as have been made: whoever
  ///        compiles when calls have cost as much as that never takes more than twice as long as somebody who knows.
  Routine(std::unique_ptr<Integrator<double>> method, Manifold<double>& manifold,
          std::function<StepMap<Traced>()> remake, std::int64_t expected_steps, const Costs& costs);
  Routine(std::unique_ptr<Integrator<double>> method, Manifold<double>& manifold,
          std::function<StepMap<Traced>()> remake, std::int64_t expected_steps = 0)
      : Routine(std::move(method), manifold, std::move(remake), expected_steps, Costs()) {}
  ~Routine() override;

  [[nodiscard]] StepReport<double> advance(Point<double>& z, double h, std::int64_t steps, std::int64_t& done) override;

  void hold_chart(const Point<double>& begin) override;
  [[nodiscard]] bool held_right_chart(const Point<double>& begin, const Point<double>& end) override;
  [[nodiscard]] bool held_another_chart(const Point<double>& begin, double h) override;
  void release_chart() override;
  void begin(Point<double>& z) override { method_->begin(z); }
  TrajectorySize trajectory_size() const override { return method_->trajectory_size(); }
  Integrator<double>& unprojected() override { return method_->unprojected(); }
  void count_projections(ProjectionTally<double>* tally) override;
  void tolerate(const Tolerance& tolerance, const StepNoiseOf<double>& noise) override;

  /// Steps that were made as a whole.
  std::int64_t compiled_steps() const { return compiled_steps_; }

 private:
  struct Code;
  /// The first of some steps that were made by calls, as far as they took the same.
  struct Seen {
    std::int64_t iterations, evaluations, count;
    Point<double> z;
    double h;
    Point<double> later_z;  ///< of another of them
    double later_h = 0;
    std::size_t operations = 0;  ///< as far as it has been recorded
  };
  struct Recorded {
    std::size_t operations = 0;  ///< of the step
    bool is_known = false;       ///< its way
  };

  [[nodiscard]] StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override;
  std::int64_t run(const Point<double>& z, double h, std::int64_t steps, Point<double>& end,
                   StepReport<double>& report);
  std::int64_t run(const Code& code, const Point<double>& z, double h, std::int64_t steps, Point<double>& end);
  void note_call(const Point<double>& z, double h, const StepReport<double>& report);
  double time_of(const Seen& seen);
  void consider_code();
  double cost_of_code() const;
  Recorded record(const Point<double>& z, double h);
  void note_way(Code& code);

  std::unique_ptr<Integrator<double>> method_;
  Manifold<double>& manifold_;
  std::function<StepMap<Traced>()> remake_;
  std::int64_t expected_steps_;
  Costs costs_;
  std::int64_t worth_code_;  // calls after which code is considered next
  bool is_possible_;
  double time_ = 0;  // of a step by calls
  std::optional<Tolerance> tolerance_;
  StepNoiseOf<double> noise_{};
  ProjectionTally<double>* tally_ = nullptr;
  std::int64_t steps_ = 0, steps_before_ = 0;    // in all, and when code was made last
  std::int64_t calls_ = 0, compiled_steps_ = 0;  // of them by calls since then, and by code in all
  std::vector<Seen> seen_;                       // since then
  std::list<Code> codes_;                        // the one that was of use last comes first
  std::size_t ways_ = 0;                         // in all of them
  Point<double> next_;
  std::vector<const double*> in_;
  std::vector<double*> out_;
  std::array<double, 21> before_{}, after_{};  // numbers that are no vectors
};

}  // namespace cotangent
