#include "cotangent/simulation/variable_stepper.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/simulation/first_step.hpp"

namespace cotangent {

namespace {

// Before so small a part of the run the time may be as short as it likes.
constexpr double kSmall = 1e-6;

// A step that is so much shorter than the mean is worth a warning, but for the first ones.
constexpr double kBrief = 1e-3;
constexpr std::int64_t kFirstSteps = 20;

}  // namespace

const char* name_of(Controller controller) { return controller == Controller::pi ? "pi" : "reversible"; }

template <class T>
VariableStepper<T>::VariableStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
    : integrator_(integrator),
      manifold_(manifold),
      options_(options),
      end_(decimal<T>(options.end)),
      is_done_(!(end_ > T(0))) {
  options_.tolerance.states = static_cast<std::size_t>(manifold.system().elements().states);
  if (!options.sample) return;
  const MethodFacts& facts = integrator.facts();
  dense_.emplace(manifold, facts.order, facts.keeps_position, facts.keeps_momentum);
  sample_times_ = DecimalMultiples<T>(*options.sample);
}

template <class T>
void VariableStepper<T>::start(const Point<T>& z) {
  if (is_done_) return;
  choose(z);
  // What is compiled when it is first used belongs to the set-up.
  const T h = usual_ = min(propose(), end_);
  Point<T> rehearsed;
  const bool is_made = attempt(z, h, rehearsed).status == StepStatus::ok;
  if (!is_made || !dense_) return;
  dense_->set_step(z, rehearsed);
  try {
    static_cast<void>(dense_->at(h / T(2)));
  } catch (const std::runtime_error&) {
    // It will say so when it counts.
  }
}

template <class T>
T VariableStepper<T>::first_length(const PhasePoint<T>& z, int k) {
  if (options_.first_step) return decimal<T>(*options_.first_step);
  Standard<T> standard(manifold_);
  return first_step<T>(standard, z, options_.tolerance, k, end_, pending_.rhs);
}

template <class T>
T VariableStepper<T>::shortest(const PhasePoint<T>& z) const {
  return T(16) * epsilon<T>() * max(abs(z.t), T(kSmall) * end_);
}

template <class T>
Stride<T> VariableStepper<T>::advance(const Point<T>& z, std::int64_t k, Looks /*looks*/, Point<T>& end) {
  Stride<T> stride;
  std::swap(stride.counts, pending_);
  StepReport<T> report;
  bool is_last = false;
  for (T h = propose();; h = shorter(z, h, report)) {
    // A last step that were very short is joined to the one before.
    is_last = z->t + T(1.01) * h >= end_;
    if (is_last) {
      h = end_ - z->t;
      last_ = z;
      last_.adjust().t_low = T(0);
    }
    stride.length = h;
    // The time would stand still.
    if (h <= shortest(z) / T(16) && !is_last) {
      stride.report = {.error = infinity<T>()};
      stride.during = Phase::tolerance;
      stride.is_whole = false;
      return stride;
    }
    report = attempt(is_last ? last_ : z, h, end);
    add(stride.counts, report);
    stride.report = report;
    stride.during = Phase::step;
    if (report.status == StepStatus::ok) {
      stride.during = Phase::tolerance;
      if (report.error <= T(1)) break;
    }
    ++stride.counts.rejected;
    if (h <= shortest(z) || report.status == StepStatus::no_step_density) {
      stride.is_whole = false;
      return stride;
    }
  }
  if (is_last) {
    // But for rounding it is there.
    is_done_ = true;
    end.adjust().t = end_;
    end.adjust().t_low = T(0);
  } else {
    smallest_ = min(smallest_, stride.length);
    largest_ = max(largest_, stride.length);
    if (const auto length = static_cast<double>(stride.length); k >= kFirstSteps && length < briefest_) {
      briefest_ = length;
      briefest_time_ = static_cast<double>(z->t);
    }
    accept(z, stride.length, report, end);
  }
  stride.steps = 1;
  begin_ = z->t;
  now_ = end->t;
  if (dense_) dense_->set_step(z, end);
  return stride;
}

template <class T>
bool VariableStepper<T>::is_recorded(const PhasePoint<T>& z, std::int64_t k) const {
  if (dense_) return sample_times_(next_sample_) == z.t;
  return k % options_.every.value_or(1) == 0;
}

template <class T>
const PhasePoint<T>* VariableStepper<T>::next_sample(Counts& counts) {
  if (!dense_) return nullptr;
  while (sample_times_(next_sample_) <= begin_) ++next_sample_;
  const T t = sample_times_(next_sample_);
  if (!(t < now_)) return nullptr;
  ++next_sample_;
  const std::int64_t before = dense_->evaluations();
  const PhasePoint<T>& point = dense_->at(t);
  counts.rhs += dense_->evaluations() - before;
  return &point;
}

template <class T>
void VariableStepper<T>::finish(Summary& summary) const {
  const bool has_range = smallest_ <= largest_;
  summary.step = summary.steps > 0 ? summary.time / static_cast<double>(summary.steps) : 0;
  summary.choice = StepChoice{.controller = name_of(options_.controller),
                              .tolerance = options_.tolerance.relative,
                              .smallest = has_range ? static_cast<double>(smallest_) : summary.step,
                              .largest = has_range ? static_cast<double>(largest_) : summary.step};
  if (briefest_ < kBrief * summary.step)
    summary.warnings.push_back(
        {briefest_time_, "short-steps",
         fmt::format("steps became as short as {:.2g} at t = {:g}, {:.1g} of their mean: a near collision, say, or "
                     "another place where the equations are nearly singular; errors that are made there stay",
                     briefest_, briefest_time_, briefest_ / summary.step)});
}

template <class T>
void VariableStepper<T>::state(Archive& archive, Point<T>& z, std::int64_t /*k*/) {
  archive("uncounted", pending_);
  archive("smallest", smallest_);
  archive("largest", largest_);
  archive("briefest", briefest_);
  archive("briefest_time", briefest_time_);
  if (archive.is_reading()) is_done_ = !(z->t < end_);
}

COTANGENT_INSTANTIATE(PRECISIONS, VariableStepper);

}  // namespace cotangent
