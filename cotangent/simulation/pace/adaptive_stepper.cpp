#include "cotangent/simulation/pace/adaptive_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/analysis/levels.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/interruptible.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/elements/element_pieces.hpp"

namespace cotangent {

namespace {

// So many steps in a row that come no further than this part of one step before them creep.
constexpr std::int64_t kMostCreeping = 10'000;
constexpr double kCreep = 0.1;

bool has_pieces(const Elements& elements) {
  Graph graph(elements.graph);
  return !piecewise_families(elements, graph).empty();
}

}  // namespace

const char* name_of(Controller controller) {
  return controller == Controller::pi ? "pi" : controller == Controller::even ? "even" : "reversible";
}

template <class T>
AdaptiveStepper<T>::AdaptiveStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
                                    StepDensity<T>* density)
    : options_(options),
      span_(options.span()),
      moves_time_(integrator.facts().moves_time),
      ends_at_samples_(options.sample && integrator.facts().has_solver && options.controller == Controller::pi),
      has_pieces_(has_pieces(manifold.system().elements())),
      control_(make_step_control(integrator, manifold, options, density)),
      start_(decimal<T>(options.start)),
      end_(decimal<T>(options.end)),
      is_done_(start_ == end_) {
  if (!options.sample) return;
  if (!ends_at_samples_) dense_.emplace(manifold, integrator);
  sample_times_ = DecimalMultiples<T>(span_.sign() * *options.sample, options.start);
}

template <class T>
void AdaptiveStepper<T>::start(const Point<T>& z) {
  if (is_done_) return;
  control_->start(z);
  // What is compiled when it is first used belongs to the set-up.
  usual_ = T(span_.sign()) * min(abs(control_->propose()), abs(end_ - start_));
  Point<T> rehearsed;
  const bool is_made = control_->attempt(z, usual_, rehearsed).status == StepStatus::ok;
  static_cast<void>(control_->take_counts());
  if (!is_made || !dense_) return;
  dense_->set_step(z, rehearsed);
  try {
    static_cast<void>(dense_->at(z->t + usual_ / T(2)));
  } catch (const std::runtime_error&) {
    // It will say so when it counts.
  }
}

// Where a step from t has to end, if it comes so far.
template <class T>
T AdaptiveStepper<T>::next_target(const T& t) {
  if (!ends_at_samples_) return end_;
  while (!span_.is_before(t, sample_times_(next_sample_))) ++next_sample_;
  const T sample = sample_times_(next_sample_);
  return span_.is_before(sample, end_) ? sample : end_;
}

template <class T>
Stride<T> AdaptiveStepper<T>::advance(const Point<T>& z, std::int64_t k, Looks /*looks*/, Point<T>& end,
                                      StepWatch<T>* /*watch*/) {
  const T shortest = shortest_step(T(z->t), span_, epsilon<T>());
  const T target = next_target(z->t);
  bool is_last = false;  // before the target
  Stride<T> stride{.is_whole = false, .during = Phase::tolerance, .report = {.error = infinity<T>()}};
  if (has_pieces_ && k - crept_since_ >= kMostCreeping) {
    stride.length = control_->propose();
    return stride;
  }
  while (true) {
    T& h = stride.length = control_->propose();
    // A last step that were very short is joined to the one before; two before a sample are made alike.
    is_last = !span_.is_before(T(z->t + T(1.01) * h), target);
    if (ends_at_samples_ && !is_last && !span_.is_before(T(z->t + T(2) * h), target)) h = (target - z->t) / T(2);
    if (is_last) {
      h = target - z->t;
      last_ = z;
      last_.adjust().t_low = T(0);
    }
    if (abs(h) <= shortest && !is_last) return stride;
    const Point<T>& from = is_last ? last_ : z;
    stride.report = control_->attempt(from, h, end);
    if (moves_time_ && stride.report.status == StepStatus::ok && (is_last || span_.is_before(target, T(end->t)))) {
      is_last = true;
      stride.report = land(from, target, h, end, [&](T length) { return control_->attempt(from, length, end); });
    }
    add(stride.counts, stride.report);
    stride.counts += control_->take_counts();
    const bool is_made = stride.report.status == StepStatus::ok;
    stride.during = is_made ? Phase::tolerance : Phase::step;
    if (!is_made) reason_ = stride.report.status;
    if (is_made && stride.report.error <= T(1)) {
      is_done_ = is_last && target == end_;
      break;
    }
    ++stride.counts.rejected;
    const bool is_final =
        options_.controller == Controller::even || stride.report.status == StepStatus::no_step_density;
    if (abs(h) <= shortest || is_final) return stride;
    control_->reject(z, h, stride.report);
  }
  if (is_last) {
    // But for rounding it is there.
    end.adjust().t = target;
    end.adjust().t_low = T(0);
  }
  if (!is_done_) {
    note_length(z, k, stride.length);
    // A controller that has learned of a step knows all of it, and what is kept of it in a checkpoint is whole.
    const Interruptible whole(nullptr);
    control_->accept(z, stride.length, stride.report, end);
    stride.counts += control_->take_counts();
  }
  stride.is_whole = true;
  stride.steps = 1;
  begin_ = z->t;
  now_ = end->t;
  if (dense_) dense_->set_step(z, end);
  return stride;
}

// A step is short in comparison with those before it: the first ones only find out how long steps are.
template <class T>
void AdaptiveStepper<T>::note_length(const PhasePoint<T>& z, std::int64_t k, const T& h) {
  usual_ = h;
  smallest_ = min(smallest_, abs(h));
  largest_ = max(largest_, abs(h));
  const auto length = static_cast<double>(abs(h)), elapsed = static_cast<double>(abs(z.t - start_));
  if (elapsed + length - crept_from_ > kCreep * usual_before_) {
    crept_since_ = k + 1;
    crept_from_ = elapsed + length;
    usual_before_ = crept_from_ / static_cast<double>(crept_since_);
  }
  if (kFarAbove * length * static_cast<double>(k) >= elapsed || length >= briefest_) return;
  briefest_ = length;
  briefest_part_ = length * static_cast<double>(k) / elapsed;
  briefest_time_ = static_cast<double>(z.t);
}

template <class T>
bool AdaptiveStepper<T>::is_recorded(const PhasePoint<T>& z, std::int64_t k) const {
  if (options_.sample) return sample_times_(next_sample_) == z.t;
  return k % options_.every.value_or(1) == 0;
}

template <class T>
const PhasePoint<T>* AdaptiveStepper<T>::next_sample(Counts& counts) {
  if (!dense_) return nullptr;
  while (!span_.is_before(begin_, sample_times_(next_sample_))) ++next_sample_;
  const T t = sample_times_(next_sample_);
  if (!span_.is_before(t, now_)) return nullptr;
  ++next_sample_;
  const std::int64_t before = dense_->evaluations();
  const PhasePoint<T>& point = dense_->at(t);
  counts.rhs += dense_->evaluations() - before;
  return &point;
}

template <class T>
void AdaptiveStepper<T>::finish(Summary& summary) const {
  const bool has_range = smallest_ <= largest_;
  if (options_.controller == Controller::even) {
    summary.step = *options_.first_step;
    return;
  }
  summary.step = summary.steps > 0 ? std::abs(summary.time - options_.start) / static_cast<double>(summary.steps) : 0;
  summary.choice = StepChoice{.controller = name_of(options_.controller),
                              .tolerance = options_.tolerance.relative,
                              .smallest = has_range ? static_cast<double>(smallest_) : summary.step,
                              .largest = has_range ? static_cast<double>(largest_) : summary.step};
  if (std::isfinite(briefest_))
    summary.warnings.push_back(
        {briefest_time_, "short-steps",
         fmt::format("steps became as short as {:.2g} at t = {:g}, {:.1g} of the mean before: {}; errors that are made "
                     "there stay",
                     briefest_, briefest_time_, briefest_part_,
                     reason_ == StepStatus::ok
                         ? std::string("a near collision, say, or another place where the equations are "
                                       "nearly singular")
                         : fmt::format("a near collision, say, or a place where longer ones could not be "
                                       "made ({})",
                                       describe(reason_)))});
  control_->finish(summary);
}

template <class T>
void AdaptiveStepper<T>::state(Archive& archive, Point<T>& z, std::int64_t /*k*/) {
  archive("smallest", smallest_);
  archive("largest", largest_);
  archive("briefest", briefest_);
  archive("briefest_part", briefest_part_);
  archive("briefest_time", briefest_time_);
  auto reason = static_cast<std::int64_t>(reason_);
  archive("reason", reason);
  reason_ = static_cast<StepStatus>(reason);
  archive("crept_since", crept_since_);
  archive("crept_from", crept_from_);
  archive("usual_before", usual_before_);
  archive("control", *control_);
  if (!archive.is_reading()) return;
  is_done_ = !span_.is_before(T(z->t), end_);
  // Not from the first one on: next_sample() goes to the one that follows.
  if (options_.sample) {
    const double elapsed = std::abs(static_cast<double>(z->t) - span_.start);
    const double passed = std::floor(elapsed / *options_.sample) - 1;
    next_sample_ = static_cast<std::int64_t>(std::clamp(passed, 1.0, static_cast<double>(kLimits.integer)));
  }
}

COTANGENT_INSTANTIATE(PRECISIONS, AdaptiveStepper);

}  // namespace cotangent
