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
/// A step that has been made often is made once more over Traced numbers. What is seen there, from the point and the
/// length of a step to its end with its report, is one straight line of operations and of choices: a kernel that makes
/// one step, or many, as long as the choices come out the same (RecordedKernel). A step for which they do not, such as
/// one with another Newton correction, or one that fails, is made by the method; when there have been many of these,
/// one of them is recorded, too. Codes that serve too few steps are dropped.
///
/// Both ways give the same bits, so that it matters to nobody which one a step goes. Whatever a method is, its
/// formulation and its projection, it is compiled without being told; only what depends on other things than numbers,
/// such as a chart, how many steps were made, or points that a Lagrangian's Legendre transformation remembers, is left
/// to the method.
class Routine final : public Integrator<double> {
 public:
  /// What a recording of K operations costs: about 1 ms and 4 us times K; made by way of calls they take about 4 ns
  /// each. So after so many steps calls have cost as much as compiling would, and whoever compiles then never takes
  /// more than twice as long as somebody who knew how many steps there will be. Twice as many for each code after it.
  static constexpr std::int64_t kWorthCode = 2000;

  /// @param manifold that of the method; must outlive this.
  /// @param remake makes steps like those of the method, of other objects.
  /// @param worth_code how many steps are made by calls before one is recorded.
  Routine(std::unique_ptr<Integrator<double>> method, Manifold<double>& manifold,
          std::function<StepMap<Traced>()> remake, std::int64_t worth_code = kWorthCode);
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

  [[nodiscard]] StepReport<double> make_step(const Point<double>& z, double h, Point<double>& end) override;
  std::int64_t run(const Point<double>& z, double h, std::int64_t steps, Point<double>& end,
                   StepReport<double>& report);
  std::int64_t run(const Code& code, const Point<double>& z, double h, std::int64_t steps, Point<double>& end);
  void note_call(const Point<double>& z, double h);
  void record(const Point<double>& z, double h);

  std::unique_ptr<Integrator<double>> method_;
  Manifold<double>& manifold_;
  std::function<StepMap<Traced>()> remake_;
  std::int64_t worth_code_;
  bool is_possible_;
  std::optional<Tolerance> tolerance_;
  StepNoiseOf<double> noise_{};
  ProjectionTally<double>* tally_ = nullptr;
  std::int64_t calls_ = 0, compiled_steps_ = 0;  // calls since the last recording
  std::list<Code> codes_;                        // the one that was of use last comes first
  std::vector<const double*> in_;
  std::vector<double*> out_;
  std::array<double, 16> before_{}, after_{};  // numbers that are no vectors
};

}  // namespace cotangent
