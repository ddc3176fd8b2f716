#include "cotangent/monitor/map_probe.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/magnitudes.hpp"

namespace cotangent {
namespace {

// Neighbours whose rounding errors are compared: chance makes all of four small once in 10^4 times.
constexpr int kNeighbours = 4;

// Of central differences, relative: what is rounded, and what is neglected, both are far below the unit of a double, also
// where numbers are 10^7 times as large as the lengths over which forces change.
constexpr double kDifference = 0x1p-50;

// Signs without a pattern, another one for each k.
double sign(std::size_t j, int k) {
  const double turns = std::sqrt(2.0) * static_cast<double>(j + 1) + std::sqrt(3.0) * k;
  return turns - std::floor(turns) < 0.5 ? -1 : 1;
}

// x_j += by sign_j size_j.
template <class X>
void move(std::vector<X>& x, const std::vector<X>& sizes, X by, int k) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += by * X(sign(j, k)) * abs(sizes[j]);
}

template <class X>
void move(PhasePoint<X>& z, const PhasePoint<X>& sizes, X by, int k) {
  move(z.q, sizes.q, by, k);
  move(z.p, sizes.p, by, k + 1);
  move(z.s, sizes.s, by, k + 2);
  z.touch();
}

// z = x - y.
template <class X>
void subtract(const PhasePoint<X>& x, const PhasePoint<X>& y, PhasePoint<X>& z) {
  const auto each = [](const std::vector<X>& a, const std::vector<X>& b, std::vector<X>& c) {
    for (std::size_t j = 0; j < a.size(); ++j) c[j] = a[j] - b[j];
  };
  each(x.q, y.q, z.q);
  each(x.p, y.p, z.p);
  each(x.s, y.s, z.s);
}

// sizes_j = max(sizes_j, |x_j|).
void widen(std::vector<Quad>& sizes, const std::vector<Quad>& x, Quad by = 1) {
  for (std::size_t j = 0; j < x.size(); ++j) sizes[j] = max(sizes[j], by * abs(x[j]));
}

void widen(PhasePoint<Quad>& sizes, const PhasePoint<Quad>& z) {
  widen(sizes.q, z.q);
  widen(sizes.p, z.p);
  widen(sizes.s, z.s);
}

template <class T>
void set_to(PhasePoint<Quad>& z, const PhasePoint<T>& from) {
  const auto each = [](std::vector<Quad>& x, const std::vector<T>& y) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = y[j];
  };
  each(z.q, from.q);
  each(z.p, from.p);
  each(z.s, from.s);
  for (auto* low : {&z.q_low, &z.p_low, &z.s_low}) std::fill(low->begin(), low->end(), Quad(0));
  z.t = from.t;
  z.t_low = from.t_low;
  z.touch();
}

// In units of a size, of which there may be none. What is no number is larger than all others.
double in_units(double x, double size) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
  return x > 0 ? x / size : 0;
}

bool is_zero(const std::vector<Quad>& x) { return largest_of(x) == Quad(0); }

}  // namespace

template <class T>
MapProbe<T>::MapProbe(StepMap<T> run, StepMap<Quad> exact, bool begins_anywhere)
    : run_(std::move(run)), exact_(std::move(exact)), begins_anywhere_(begins_anywhere) {
  for (const auto& monitor : run_.signals().list()) signals_.push_back({.name = monitor->full_name(), .levels = {}});
  before_.resize(signals_.size());
  after_ = changes_ = before_;
  scatter_.resize(signals_.size());
  at_z_.resize(signals_.size());
  at_w_ = at_moved_ = at_z_;
}

template <class T>
void MapProbe<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  const auto n = static_cast<std::int64_t>(z.q.size()), states = static_cast<std::int64_t>(z.s.size());
  is_picked_ = OctaveSchedule(2 * n + states);
  // Six in each octave of the number of steps, which is less than 2^63.
  constexpr std::size_t kMostSamples = 512;
  for (Signal& signal : signals_) {
    signal = {.name = signal.name, .levels = {}};
    signal.levels.reserve(kMostSamples);
  }
  reversal_ = {};
  wedge_defect_ = size_ = 0;
  amplification_ = 1;
  samples_ = failed_ = 0;
  z_ = PhasePoint<Quad>(n, states);
  set_to(z_, z);
  w_ = moved_ = sizes_ = z_;
  for (Tangent* tangent : {&a_, &b_}) tangent->begin = tangent->end = z_;
  run_.start(z);
  exact_.start(z_);
  begin_ = end_ = back_ = missed_ = z;
  // What is made when it is first used belongs to the set-up.
  static_cast<void>(run_.step(end_, h, 1, false));
}

template <class T>
void MapProbe<T>::follow(const MadeStep<T>& step) {
  if (begins_anywhere_ && step.begin.t == 0) return;
  if (!is_picked_()) return;
  ++samples_;
  if (!measure_rounding(step) || !test_map(step)) ++failed_;
}

// The work done, on which nothing depends, does not count.
template <class T>
template <class X>
double MapProbe<T>::relative(const PhasePoint<X>& difference, const Sizes& sizes) const {
  X of_states(0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(run_.elements().states); ++k)
    of_states = max(of_states, abs(difference.s[k]));
  return std::max({in_units(static_cast<double>(largest_of(difference.q)), sizes.q),
                   in_units(static_cast<double>(largest_of(difference.p)), sizes.p),
                   in_units(static_cast<double>(of_states), sizes.s)});
}

// Of rounding, relative. Where momenta are differences of larger ones it is theirs.
template <class T>
double MapProbe<T>::unit(const PhasePoint<T>& z) const {
  const auto epsilon_T = static_cast<double>(epsilon<T>());
  if (z.own.revision != z.revision || z.own.p.size() != z.p.size()) return epsilon_T;
  const double own = static_cast<double>(largest_of(z.own.p)), p = static_cast<double>(largest_of(z.p));
  return p > 0 ? epsilon_T * std::max(1.0, own / p) : epsilon_T;
}

template <class T>
bool MapProbe<T>::measure_rounding(const MadeStep<T>& step) {
  const auto size = [](const std::vector<T>& x, const std::vector<T>& y) {
    return static_cast<double>(max(largest_of(x), largest_of(y)));
  };
  const Sizes sizes{size(step.begin.q, step.end.q), size(step.begin.p, step.end.p), size(step.begin.s, step.end.s)};
  size_ = std::max(size_, sizes.largest());
  const double unit_T = unit(step.end);
  double figure = 0, level = unit_T;
  bool is_elsewhere = false, is_back = true;
  std::fill(scatter_.begin(), scatter_.end(), 0);
  for (int k = 0; k <= kNeighbours; ++k) {
    begin_ = step.begin;
    if (k > 0) move(begin_, step.begin, T(epsilon<T>()), k);
    begin_.touch();
    end_ = begin_;
    if (!run_.step(end_, step.length, step.parts, step.is_projected)) {
      if (k == 0) return false;
      continue;
    }
    run_.look(begin_, before_);
    run_.look(end_, after_);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      const T change = after_[i] - before_[i];
      if (k == 0) changes_[i] = change;
      scatter_[i] = std::max(scatter_[i], static_cast<double>(abs(change - changes_[i])));
    }
    back_ = end_;
    const std::int64_t charts = run_.chart_changes();
    const bool is_made = run_.step(back_, -step.length, step.parts, step.is_projected);
    if (k == 0) {
      is_back = is_made;
      is_elsewhere = run_.chart_changes() != charts;
      subtract(back_, begin_, missed_);
      figure = relative(missed_, sizes);
    } else if (is_made) {
      subtract(back_, begin_, back_);
      subtract(back_, missed_, back_);
      level = std::max(level, relative(back_, sizes));
    }
  }
  if (!is_back) return false;
  if (is_elsewhere) {
    ++reversal_.elsewhere;
    return true;
  }
  amplification_ = std::max(amplification_, level / static_cast<double>(epsilon<T>()));
  // Where rounding errors take half of the digits nothing is left to judge.
  if (!(level < std::sqrt(static_cast<double>(epsilon<T>())))) return true;
  ++reversal_.count;
  if (reversal_.level == 0 || figure * reversal_.level > reversal_.figure * level) {
    reversal_.figure = figure;
    reversal_.level = level;
  }
  return true;
}

template <class T>
bool MapProbe<T>::test_map(const MadeStep<T>& step) {
  set_to(z_, step.begin);
  if (!exact_.settle(z_, step.is_projected)) return false;
  w_ = z_;
  if (!exact_.step(w_, step.length, step.parts, step.is_projected)) return false;
  for (auto* x : {&sizes_.q, &sizes_.p, &sizes_.s}) std::fill(x->begin(), x->end(), Quad(0));
  widen(sizes_, z_);
  widen(sizes_, w_);
  if (!z_.q.empty() && !test_wedge(step)) return false;
  test_signals(step);

  const std::int64_t charts = exact_.chart_changes();
  moved_ = w_;
  if (!exact_.step(moved_, -Quad(step.length), step.parts, step.is_projected)) return false;
  if (exact_.chart_changes() != charts) return true;
  subtract(moved_, z_, moved_);
  const auto size = [](const std::vector<Quad>& x) { return static_cast<double>(largest_of(x)); };
  reversal_.defect =
      std::max(reversal_.defect, relative(moved_, {size(sizes_.q), size(sizes_.p), size(sizes_.s)}));
  return true;
}

// The derivative of the step along a vector of the manifold that moves coordinates, or momenta.
template <class T>
bool MapProbe<T>::differentiate(const MadeStep<T>& step, bool along_q, Tangent& tangent) {
  for (const int side : {1, -1}) {
    moved_ = z_;
    move(along_q ? moved_.q : moved_.p, along_q ? sizes_.q : sizes_.p, Quad(side * kDifference), 0);
    if (!exact_.settle(moved_, false)) return false;
    PhasePoint<Quad>& begin = tangent.begin;
    PhasePoint<Quad>& end = tangent.end;
    if (side > 0) {
      begin = moved_;
    } else {
      subtract(begin, moved_, begin);
    }
    if (!exact_.step(moved_, step.length, step.parts, step.is_projected)) return false;
    moved_.p = exact_.momenta(moved_);
    if (side > 0) {
      end = moved_;
    } else {
      subtract(end, moved_, end);
    }
  }
  return true;
}

// At rest momenta have the size that forces would give them, and at the origin coordinates that of a motion.
template <class T>
bool MapProbe<T>::test_wedge(const MadeStep<T>& step) {
  const bool q_first = !is_zero(sizes_.q);
  for (const bool along_q : {q_first, !q_first}) {
    Tangent& tangent = along_q ? a_ : b_;
    if (!differentiate(step, along_q, tangent)) return false;
    const Quad by = 1 / Quad(2 * kDifference);
    widen(along_q ? sizes_.p : sizes_.q, along_q ? tangent.end.p : tangent.end.q, by);
  }
  const auto wedge = [&](const PhasePoint<Quad>& a, const PhasePoint<Quad>& b, Quad& size) {
    Quad sum(0), magnitudes(0);
    for (std::size_t j = 0; j < a.q.size(); ++j) {
      sum += a.q[j] * b.p[j] - a.p[j] * b.q[j];
      magnitudes += abs(a.q[j] * b.p[j]) + abs(a.p[j] * b.q[j]);
    }
    size = max(size, magnitudes);
    return sum;
  };
  Quad size(0);
  const Quad begin = wedge(a_.begin, b_.begin, size), end = wedge(a_.end, b_.end, size);
  if (size > Quad(0)) wedge_defect_ = std::max(wedge_defect_, static_cast<double>(abs(end - begin) / size));
  return true;
}

template <class T>
void MapProbe<T>::test_signals(const MadeStep<T>& step) {
  exact_.look(z_, at_z_);
  exact_.look(w_, at_w_);
  moved_ = w_;
  move(moved_, sizes_, Quad(kDifference), 1);
  exact_.look(moved_, at_moved_);
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    Signal& signal = signals_[i];
    const double slope = static_cast<double>(abs(at_moved_[i] - at_w_[i])) / kDifference;
    signal.defect = std::max(signal.defect, in_units(static_cast<double>(abs(at_w_[i] - at_z_[i])), slope));
    const double level = std::max(scatter_[i], unit(step.end) * slope);
    signal.change = std::max(signal.change, in_units(static_cast<double>(abs(changes_[i])), level));
    signal.levels.add(static_cast<double>(step.end.t), level);
  }
}

template <class T>
const typename MapProbe<T>::Signal* MapProbe<T>::find(std::string_view name) const {
  const auto found = std::find_if(signals_.begin(), signals_.end(), [&](const Signal& one) { return one.name == name; });
  return found == signals_.end() ? nullptr : &*found;
}

template <class T>
void MapProbe<T>::Signal::state(Archive& archive) {
  archive("levels", levels);
  archive("change", change);
  archive("defect", defect);
}

template <class T>
void MapProbe<T>::Reversal::state(Archive& archive) {
  archive("figure", figure);
  archive("level", level);
  archive("defect", defect);
  archive("count", count);
  archive("elsewhere", elsewhere);
}

template <class T>
void MapProbe<T>::state(Archive& archive) {
  archive("schedule", is_picked_);
  for (Signal& signal : signals_) archive("signal", signal);
  archive("reversal", reversal_);
  archive("wedge_defect", wedge_defect_);
  archive("amplification", amplification_);
  archive("size", size_);
  archive("samples", samples_);
  archive("failed", failed_);
  archive("run", run_);
  archive("exact", exact_);
}

template class MapProbe<double>;
template class MapProbe<Quad>;

}  // namespace cotangent
