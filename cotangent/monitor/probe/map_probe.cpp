#include "cotangent/monitor/probe/map_probe.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

// Neighbours that are compared. Rounding errors are often zero by chance.
constexpr int kNeighbours = 8;

// Of differences in Quad, relative to the point: far above what is rounded, far below where functions bend.
constexpr double kDifference = 0x1p-50;

// Of tangent vectors, relative to what a step changes, which knows no offsets; but no less than so much of the point,
// of which some numbers may rest.
constexpr double kTangent = 0x1p-30, kOfPoint = 0x1p-14;

// Signs without a pattern, others for each number k.
class Signs {
 public:
  explicit Signs(int k) : chance_(static_cast<std::minstd_rand::result_type>(k + 1)) { chance_.discard(kNeighbours); }
  double operator()() { return chance_() > std::minstd_rand::max() / 2 ? 1 : -1; }

 private:
  std::minstd_rand chance_;
};

// Moves all numbers of a point by parts of their sizes.
template <class X>
void move(PhasePoint<X>& z, double q, double p, double s, int k) {
  Signs sign(k);
  for (X& x : z.q) x += X(q * sign());
  for (X& x : z.p) x += X(p * sign());
  for (X& x : z.s) x += X(s * sign());
}

template <class T>
void set_to(PhasePoint<Quad>& z, const PhasePoint<T>& from) {
  std::copy(from.q.begin(), from.q.end(), z.q.begin());
  std::copy(from.p.begin(), from.p.end(), z.p.begin());
  std::copy(from.s.begin(), from.s.end(), z.s.begin());
  for (auto* low : {&z.q_low, &z.p_low, &z.s_low}) std::fill(low->begin(), low->end(), Quad(0));
  // A step back adds to both at once.
  z.t = Quad(from.t) + Quad(from.t_low);
  z.t_low = 0;
}

// z = x - y.
template <class X>
void subtract(const PhasePoint<X>& x, const PhasePoint<X>& y, PhasePoint<X>& z) {
  for (const auto part : {&PhasePoint<X>::q, &PhasePoint<X>::p, &PhasePoint<X>::s})
    std::transform((x.*part).begin(), (x.*part).end(), (y.*part).begin(), (z.*part).begin(), std::minus<>());
}

template <class X>
double magnitude_of(const std::vector<X>& x) {
  return static_cast<double>(largest_of(x));
}

// In units of a size, of which there may be none. What is no number is larger than all others.
double in_units(double x, double size) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
  return x > 0 ? x / size : 0;
}

// What the wedge product of two vectors is the sum of.
struct Wedge {
  Quad product = 0, magnitudes = 0;
  Wedge(const PhasePoint<Quad>& a, const PhasePoint<Quad>& b) {
    for (std::size_t j = 0; j < a.q.size(); ++j) {
      product += a.q[j] * b.p[j] - a.p[j] * b.q[j];
      magnitudes += abs(a.q[j] * b.p[j]) + abs(a.p[j] * b.q[j]);
    }
  }
};

}  // namespace

template <class T>
MapProbe<T>::MapProbe(StepMap<T> run, StepMap<Quad> exact, bool begins_anywhere)
    : run_(std::move(run)), exact_(std::move(exact)), begins_anywhere_(begins_anywhere) {
  for (const auto& monitor : run_.signals().list()) signals_.push_back({.name = monitor->full_name(), .levels = {}});
  before_.resize(signals_.size());
  after_ = changes_ = before_;
  scatter_.resize(signals_.size());
  slopes_ = scatter_;
  at_z_.resize(signals_.size());
  at_w_ = at_moved_ = at_z_;
}

template <class T>
void MapProbe<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  const auto n = static_cast<std::int64_t>(z.q.size()), states = static_cast<std::int64_t>(z.s.size());
  is_picked_ = OctaveSchedule(2 * n + states);
  for (Signal& signal : signals_) {
    signal = {.name = signal.name, .levels = {}};
    // Fewer than eight in each octave of the number of steps.
    signal.levels.reserve(8 * std::numeric_limits<std::int64_t>::digits);
  }
  reversal_ = {};
  wedge_defect_ = 0;
  largest_ = {};
  amplification_ = 1;
  samples_ = failed_ = 0;
  start_time_ = z.t;
  z_ = w_ = moved_ = Point<Quad>(n, states);
  set_to(z_.change(), z);
  difference_ = z_;
  for (Tangent* tangent : {&a_, &b_}) tangent->begin = tangent->end = z_;
  run_.start(z);
  exact_.start(z_);
  begin_ = returned_ = missed_ = z;
  note_sizes(z);
  // What is made when it is first used belongs to the set-up.
  exact_.begin(z_, {});
  static_cast<void>(run_.step(begin_, h, end_));
}

template <class T>
void MapProbe<T>::follow(const MadeStep<T>& step) {
  note_sizes(step.end);
  if (begins_anywhere_ && step.begin->t == start_time_) return;
  if (!is_picked_()) return;
  ++samples_;
  if (!test_map(step) || !measure_rounding(step)) ++failed_;
}

// The work done, on which nothing depends, does not count.
template <class T>
template <class X>
double MapProbe<T>::relative(const PhasePoint<X>& difference) const {
  X of_states(0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(run_.elements().states); ++k)
    of_states = max(of_states, abs(difference.s[k]));
  return std::max({in_units(magnitude_of(difference.q), sizes_.q), in_units(magnitude_of(difference.p), sizes_.p),
                   in_units(static_cast<double>(of_states), sizes_.s)});
}

template <class T>
bool MapProbe<T>::test_map(const MadeStep<T>& step) {
  set_to(z_.change(), step.begin.state());
  if (!exact_.settle(z_)) return false;
  exact_.begin(z_, step.begin.trajectory().counts);
  if (!exact_.step(z_, step.length, w_)) return false;
  const auto size = [](const std::vector<Quad>& x, const std::vector<Quad>& y) {
    return std::max(magnitude_of(x), magnitude_of(y));
  };
  sizes_ = {size(z_->q, w_->q), size(z_->p, w_->p), size(z_->s, w_->s)};
  step.check_interruption();
  if (!test_wedge(step)) return false;
  const double half = std::sqrt(static_cast<double>(epsilon<T>()));
  largest_.q = std::max(largest_.q, half * sizes_.q);
  largest_.p = std::max(largest_.p, half * sizes_.p);
  test_signals();

  step.check_interruption();
  if (!exact_.step(w_, -Quad(step.length), moved_)) return false;
  if (exact_.changes_chart()) return true;
  subtract(moved_.state(), z_.state(), difference_);
  reversal_.defect = std::max(reversal_.defect, relative(difference_));
  return true;
}

template <class T>
void MapProbe<T>::note_sizes(const PhasePoint<T>& z) {
  largest_.q = std::max(largest_.q, magnitude_of(z.q));
  largest_.p = std::max(largest_.p, magnitude_of(z.p));
  for (std::size_t k = 0; k < static_cast<std::size_t>(run_.elements().states); ++k)
    largest_.s = std::max(largest_.s, static_cast<double>(abs(z.s[k])));
}

// At rest momenta have the size that forces would give them, and at the origin coordinates that of a motion.
template <class T>
bool MapProbe<T>::test_wedge(const MadeStep<T>& step) {
  const bool q_first = sizes_.q > 0;
  for (const bool along_q : {q_first, !q_first}) {
    Tangent& tangent = along_q ? a_ : b_;
    if (!differentiate(step, along_q, tangent)) return false;
    const double moved = magnitude_of(along_q ? tangent.begin.q : tangent.begin.p);
    if (!(moved > 0)) continue;
    double& other = along_q ? sizes_.p : sizes_.q;
    const double of_one = magnitude_of(along_q ? tangent.end.p : tangent.end.q) / moved;
    other = std::max(other, of_one * (along_q ? sizes_.q : sizes_.p));
  }
  const Wedge begin(a_.begin, b_.begin), end(a_.end, b_.end);
  const Quad size = max(begin.magnitudes, end.magnitudes);
  if (size > Quad(0))
    wedge_defect_ = std::max(wedge_defect_, static_cast<double>(abs(end.product - begin.product) / size));
  return true;
}

// The derivative of the step along a vector of the manifold that moves coordinates, or momenta. Numbers that are zero
// and stay so have no size of their own.
template <class T>
bool MapProbe<T>::differentiate(const MadeStep<T>& step, bool along_q, Tangent& tangent) {
  for (const int side : {1, -1}) {
    step.check_interruption();
    moved_ = z_;
    auto& x = along_q ? moved_.change().q : moved_.change().p;
    const auto& end_x = along_q ? w_->q : w_->p;
    const Quad size(along_q ? sizes_.q : sizes_.p);
    Signs sign(0);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Quad own = abs(end_x[j] - x[j]) + Quad(kOfPoint) * abs(x[j]);
      x[j] += Quad(side * kTangent * sign()) * (own > Quad(0) ? own : Quad(kOfPoint) * size);
    }
    if (!exact_.settle(moved_)) return false;
    exact_.begin(moved_, z_.trajectory().counts);
    if (side > 0) tangent.begin = moved_;
    if (side < 0) subtract(tangent.begin, moved_.state(), tangent.begin);
    if (!exact_.step(moved_, step.length, moved_end_)) return false;
    difference_ = moved_end_;
    difference_.p = exact_.momenta(moved_end_);
    if (side > 0) tangent.end = difference_;
    if (side < 0) subtract(tangent.end, difference_, tangent.end);
  }
  return true;
}

template <class T>
void MapProbe<T>::test_signals() {
  exact_.look(z_, at_z_);
  exact_.look(w_, at_w_);
  std::fill(slopes_.begin(), slopes_.end(), 0);
  for (int k = 1; k <= kNeighbours; ++k) {
    moved_ = w_;
    move(moved_.change(), kDifference * sizes_.q, kDifference * sizes_.p, kDifference * sizes_.s, k);
    exact_.look(moved_, at_moved_);
    for (std::size_t i = 0; i < signals_.size(); ++i)
      slopes_[i] = std::max(slopes_[i], static_cast<double>(abs(at_moved_[i] - at_w_[i])) / kDifference);
  }
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    double& defect = signals_[i].defect;
    defect = std::max(defect, in_units(static_cast<double>(abs(at_w_[i] - at_z_[i])), slopes_[i]));
  }
}

// Of rounding, relative. Where momenta are differences of larger ones it is theirs.
template <class T>
double MapProbe<T>::unit(const Point<T>& z) const {
  const auto unit_T = static_cast<double>(epsilon<T>());
  if (!z.own().is_current || z.own().p.size() != z->p.size()) return unit_T;
  return unit_T * std::max(1.0, in_units(magnitude_of(z.own().p), sizes_.p));
}

template <class T>
bool MapProbe<T>::measure_rounding(const MadeStep<T>& step) {
  const double half = std::sqrt(static_cast<double>(epsilon<T>()));
  double figure = 0, level = unit(step.end);
  bool is_elsewhere = false;
  std::fill(scatter_.begin(), scatter_.end(), 0);
  for (int k = 0; k <= kNeighbours; ++k) {
    step.check_interruption();
    // As if it had just begun there: no chart is kept, and what projections return to are its own invariants.
    begin_.change() = step.begin;
    if (k > 0) move(begin_.change(), half * sizes_.q, half * sizes_.p, half * sizes_.s, k);
    if (!run_.settle(begin_)) return false;
    run_.begin(begin_, step.begin.trajectory().counts);
    if (!run_.step(begin_, step.length, end_)) return false;
    run_.look(begin_, before_);
    run_.look(end_, after_);
    set_to(moved_.change(), end_.state());
    exact_.look(moved_, at_moved_);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      const T change = after_[i] - before_[i];
      if (k == 0) changes_[i] = change;
      const double scatter = static_cast<double>(abs(change - changes_[i]));
      const double inside = static_cast<double>(abs(at_moved_[i] - Quad(after_[i])));
      scatter_[i] = std::max({scatter_[i], scatter, inside});
    }
    if (!run_.step(end_, -step.length, back_)) return false;
    is_elsewhere = is_elsewhere || run_.changes_chart();
    subtract(back_.state(), begin_.state(), returned_);
    if (k == 0) missed_ = returned_;
    if (k == 0) figure = relative(missed_);
    subtract(returned_, missed_, returned_);
    level = std::max(level, relative(returned_));
  }
  set_levels(step);
  if (is_elsewhere) {
    ++reversal_.elsewhere;
    return true;
  }
  amplification_ = std::max(amplification_, level / static_cast<double>(epsilon<T>()));
  // Where rounding errors take half of the digits nothing is left to judge.
  if (!(level < half)) return true;
  ++reversal_.count;
  reversal_.figure = std::max(reversal_.figure, figure);
  reversal_.level = std::max(reversal_.level, level);
  return true;
}

template <class T>
void MapProbe<T>::set_levels(const MadeStep<T>& step) {
  run_.look(step.begin, before_);
  run_.look(step.end, after_);
  const auto elapsed = static_cast<double>(abs(step.end->t - start_time_));
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    Signal& signal = signals_[i];
    signal.levels.add(elapsed, std::max(scatter_[i], unit(step.end) * slopes_[i]));
    signal.change =
        std::max(signal.change, in_units(static_cast<double>(abs(after_[i] - before_[i])), signal.levels.at(elapsed)));
  }
}

template <class T>
const typename MapProbe<T>::Signal* MapProbe<T>::find(std::string_view name) const {
  const auto found =
      std::find_if(signals_.begin(), signals_.end(), [&](const Signal& one) { return one.name == name; });
  return found == signals_.end() ? nullptr : &*found;
}

template <class T>
void MapProbe<T>::state(Archive& archive) {
  archive("start", start_time_);
  archive("schedule", is_picked_);
  for (Signal& signal : signals_) archive("signal", signal);
  archive("reversal", reversal_);
  archive("wedge_defect", wedge_defect_);
  archive("amplification", amplification_);
  archive("sizes", largest_);
  archive("samples", samples_);
  archive("failed", failed_);
  archive("run", run_);
  archive("exact", exact_);
}

COTANGENT_INSTANTIATE(PRECISIONS, MapProbe);

}  // namespace cotangent
