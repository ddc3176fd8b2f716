#include "cotangent/monitor/tangent_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotangent {
namespace {

// Values that differ by more than this are not those of the same point up to rounding: what methods keep for the next
// step is then of no use.
constexpr double kSame = 1e-13;
// Momenta may be much smaller than the impulses that they are the sums of: those of the constraints of a long chain.
constexpr double kSameMomenta = 1e-11;
// Variables of a formulation that differ by more are those of another chart.
constexpr double kAlike = 1e-8;
// A vector that is shorter than this, after what others span has been taken from it, is spanned by them.
constexpr double kSpanned = 1e-7;
// Pairs are tried until the product of their lengths is at most so many times the area they span.
constexpr double kWide = 20;
// Where it has become so many times the area the second vector is renewed.
constexpr double kNarrow = 1e4;
// Momenta of a system at rest are measured by what moves it as far as it is in so many steps.
constexpr double kUnitSteps = 20;
// A vector of a basis that is longer is shortened.
constexpr double kLong = 64;
constexpr int kTrials = 20;

// Numbers in [-1, 1] without a pattern.
double scattered(std::size_t j, int seed) {
  const double turns = std::sqrt(2.0) * static_cast<double>(j + 1) + std::sqrt(3.0) * (seed + 1) +
                       std::sqrt(5.0) * static_cast<double>(j + 1) * (seed + 1);
  return 2 * (turns - std::floor(turns)) - 1;
}

template <class T>
double size_of(const std::vector<T>& x) {
  double most = 0;
  for (const T& entry : x) most = std::max(most, std::abs(static_cast<double>(entry)));
  return most;
}

// dq, then dp.
std::vector<double> vector_of(const TangentPair& pair, int i) {
  std::vector<double> x;
  for (const Tangents& entry : pair.point().q) x.push_back(entry.d[i]);
  for (const Tangents& entry : pair.point().p) x.push_back(entry.d[i]);
  return x;
}

// The product of the lengths, in units of the area.
double slenderness(const TangentPair& pair) {
  const TangentPair::Gram g = pair.gram();
  return pair.lengths(g) / std::abs(g.wedge);
}

bool is_near(double a, double b, double distance) { return std::abs(a - b) <= distance; }

// Sets the values of x to those of y. Whether they were the same before, up to rounding.
template <class T>
bool set_values(const std::vector<T>& y, const std::vector<T>& y_low, std::vector<Tangents>& x,
                std::vector<Tangents>& x_low, double near = kSame) {
  const double distance = near * size_of(y);
  bool same = true;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const auto value = static_cast<double>(y[j]);
    same = same && is_near(x[j].value, value, distance);
    x[j].value = value;
    x_low[j].value = static_cast<double>((y[j] - static_cast<T>(value)) + y_low[j]);
  }
  return same;
}

template <class T>
bool is_alike(const std::vector<T>& y, const std::vector<Tangents>& x) {
  if (x.size() != y.size()) return false;
  const double size = size_of(y);
  for (std::size_t j = 0; j < y.size(); ++j)
    if (!is_near(x[j].value, static_cast<double>(y[j]), kAlike * size)) return false;
  return true;
}

// Sets the values of w to those of z, and of the variables that a formulation has left there.
template <class T>
void set_values(const PhasePoint<T>& z, PhasePoint<Tangents>& w) {
  bool same = set_values(z.q, z.q_low, w.q, w.q_low);
  same &= set_values(z.p, z.p_low, w.p, w.p_low, kSameMomenta);
  same &= set_values(z.s, z.s_low, w.s, w.s_low);
  w.t = static_cast<double>(z.t);
  w.t_low = static_cast<double>((z.t - static_cast<LaneOf<T>>(w.t)) + z.t_low);
  const bool owned = w.own.revision == w.revision;
  if (!same) w.touch();
  if (!owned) return;
  // Variables of another chart are of no use here.
  const bool follows = z.own.revision == z.revision && is_alike(z.own.q, w.own.q) && is_alike(z.own.p, w.own.p);
  if (!follows) {
    w.own.revision = 0;
    return;
  }
  set_values(z.own.q, z.own.q_low, w.own.q, w.own.q_low);
  set_values(z.own.p, z.own.p_low, w.own.p, w.own.p_low);
  w.own.revision = w.revision;
}

template <class T>
PhasePoint<Tangents> converted(const PhasePoint<T>& z) {
  PhasePoint<Tangents> w(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  set_values(z, w);
  return w;
}

}  // namespace

// What is nearest to the vectors, dq and then dp, and consistent.
template <class T>
TangentPair TangentFlow<T>::consistent(const PhasePoint<T>& z, const std::vector<double>& first,
                                       const std::vector<double>& second) {
  TangentPair pair(converted(z));
  PhasePoint<Tangents>& w = pair.point();
  const std::size_t n = w.q.size();
  for (std::size_t j = 0; j < n; ++j) {
    w.q[j].d[0] = first[j];
    w.q[j].d[1] = second[j];
    w.p[j].d[0] = first[n + j];
    w.p[j].d[1] = second[n + j];
  }
  w.touch();
  // Should one of them not converge the vectors are merely inconsistent.
  static_cast<void>(map_->manifold->project_position(w));
  static_cast<void>(map_->manifold->project_momentum(w));
  set_values(z, w);
  w.touch();
  pair.set_units(q_unit_, p_unit_);
  return pair;
}

// With d_1 = (a, b) the second vector is about (-b, a), which spans the largest area with it.
template <class T>
TangentPair TangentFlow<T>::widest(const PhasePoint<T>& z, const std::vector<double>& first) {
  const std::size_t n = z.q.size();
  const double ratio = q_unit_ / p_unit_;
  std::vector<double> second(2 * n);
  for (std::size_t j = 0; j < n; ++j) {
    second[j] = -first[n + j] * ratio;
    second[n + j] = first[j] / ratio;
  }
  TangentPair pair = consistent(z, second, second);
  // The first one need not be consistent: off the constraints methods do not keep it so.
  for (std::size_t j = 0; j < n; ++j) {
    pair.point().q[j].d[0] = first[j];
    pair.point().p[j].d[0] = first[n + j];
  }
  return pair;
}

template <class T>
std::optional<TangentPair> TangentFlow<T>::first_pair(const PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  std::vector<double> first(2 * n);
  std::optional<TangentPair> best;
  double least = kNarrow;
  for (int seed = 0; seed < kTrials && least > kWide; ++seed) {
    for (std::size_t j = 0; j < n; ++j) {
      first[j] = q_unit_ * scattered(j, 2 * seed);
      first[n + j] = p_unit_ * scattered(j, 2 * seed + 1);
    }
    TangentPair wide = widest(z, vector_of(consistent(z, first, first), 0));
    if (!(slenderness(wide) < least)) continue;
    least = slenderness(wide);
    const TangentPair::Gram g = wide.gram();
    wide.combine(1 / std::sqrt(g.first), 0, 1 / std::sqrt(g.second));
    best = std::move(wide);
  }
  return best;
}

template <class T>
void TangentFlow<T>::set_targets(TangentPair& pair) {
  map_->projector->start(pair.point());
  pair.targets() = map_->projector->targets();
}

// The first vector goes on, up to its length, and with it what belongs to it; the second is another one.
template <class T>
void TangentFlow<T>::renew(const PhasePoint<T>& z) {
  TangentPair& pair = pairs_.front();
  const double area_now = area();
  TangentPair fresh = widest(z, vector_of(pair, 0));
  set_targets(fresh);
  PhasePoint<Tangents>& w = pair.point();
  const auto take = [](std::vector<Tangents>& x, std::vector<Tangents>* low, const std::vector<Tangents>& from) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j].d[1] = from[j].d[1];
      if (low) (*low)[j].d[1] = 0;
    }
  };
  take(w.q, &w.q_low, fresh.point().q);
  take(w.p, &w.p_low, fresh.point().p);
  take(w.s, &w.s_low, fresh.point().s);
  take(pair.targets(), nullptr, fresh.targets());
  // Variables that are q and another p, as those of `impetus`, are moved with it; others are made anew.
  const bool owned = w.own.revision == w.revision;
  const bool has_q = owned && is_alike(z.q, w.own.q);
  if (has_q) {
    take(w.own.q, &w.own.q_low, fresh.point().q);
    take(w.own.p, &w.own.p_low, fresh.point().p);
  }
  w.touch();
  w.own.revision = has_q ? w.revision : 0;
  const TangentPair::Gram g = pair.gram();
  const double first = std::sqrt(g.first), second = std::sqrt(g.second);
  pair.combine(1 / first, 0, 1 / second);
  log_scale_ += std::log(first);
  wedge_ = pair.gram().wedge;
  area_unit_ = area_now / wedge_;
}

// All directions are made consistent, and then orthogonal to those before, the longest first.
template <class T>
void TangentFlow<T>::choose_basis(const PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  std::vector<std::vector<double>> vectors;
  std::vector<double> first(2 * n, 0.0), second(2 * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    first[j] = q_unit_;
    second[n + j] = p_unit_;
    const TangentPair pair = consistent(z, first, second);
    first[j] = second[n + j] = 0;
    for (const int i : {0, 1}) vectors.push_back(vector_of(pair, i));
  }
  const auto inner = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += (a[j] / q_unit_) * (b[j] / q_unit_) + (a[n + j] / p_unit_) * (b[n + j] / p_unit_);
    return sum;
  };
  std::vector<std::vector<double>> basis;
  double longest = 0;
  while (!vectors.empty()) {
    const auto next = std::max_element(vectors.begin(), vectors.end(),
                                       [&](const auto& a, const auto& b) { return inner(a, a) < inner(b, b); });
    std::vector<double> x = *next;
    vectors.erase(next);
    const double length = std::sqrt(inner(x, x));
    longest = std::max(longest, length);
    if (!(length > kSpanned * longest)) break;
    for (double& entry : x) entry /= length;
    for (auto& other : vectors) {
      const double along = inner(other, x);
      for (std::size_t j = 0; j < other.size(); ++j) other[j] -= along * x[j];
    }
    basis.push_back(std::move(x));
  }
  dimension_ = basis.size();
  scales_.assign(basis.size() + 1, 0);
  if (basis.size() % 2 == 1) basis.emplace_back(2 * n, 0.0);
  for (std::size_t k = 0; k < basis.size(); k += 2) {
    TangentPair pair(converted(z));
    PhasePoint<Tangents>& w = pair.point();
    for (std::size_t j = 0; j < n; ++j)
      for (const int i : {0, 1}) {
        const auto& x = basis[k + static_cast<std::size_t>(i)];
        w.q[j].d[i] = x[j];
        w.p[j].d[i] = x[n + j];
      }
    pair.set_units(q_unit_, p_unit_);
    pairs_.push_back(std::move(pair));
  }
}

template <class T>
void TangentFlow<T>::choose_units(const PhasePoint<T>& z, double h) {
  q_unit_ = size_of(z.q);
  p_unit_ = size_of(z.p);
  if (q_unit_ > 0 && p_unit_ > 0) return;
  // How much an impulse of one changes velocities.
  System<Tangents>& system = *map_->system;
  std::vector<Tangents> ones(z.q.size(), Tangents(1)), v(z.q.size());
  const PhasePoint<Tangents> w = converted(z);
  const Tangents t(w.t);
  Frame<Tangents> frame = system.frame();
  frame.in[in::q] = w.q.data();
  frame.in[in::p] = w.p.data();
  frame.in[in::t] = &t;
  frame.in[in::a_p] = ones.data();
  frame.out[out::result] = v.data();
  system.H_pp_times()(frame);
  double response = kUnitSteps * std::abs(h) * size_of(v);
  if (!(response > 0) || !std::isfinite(response)) response = 1;
  if (!(q_unit_ > 0)) q_unit_ = p_unit_ > 0 ? p_unit_ * response : 1;
  if (!(p_unit_ > 0)) p_unit_ = q_unit_ / response;
}

template <class T>
void TangentFlow<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  pairs_.clear();
  loss_.reset();
  log_scale_ = rounding2_ = 0;
  map_->manifold->matrix().set_nullity(manifold_.matrix().nullity());
  choose_units(z, static_cast<double>(h));
  if (extent_ == Extent::one_pair) {
    dimension_ = 2;
    if (auto pair = first_pair(z)) pairs_.push_back(std::move(*pair));
  } else {
    choose_basis(z);
  }
  if (pairs_.empty()) {
    loss_ = Loss{static_cast<double>(z.t), "the constraints leave no directions"};
    return;
  }
  for (TangentPair& pair : pairs_) set_targets(pair);
  if (extent_ == Extent::one_pair) {
    wedge_ = pairs_.front().gram().wedge;
    area_unit_ = 1 / wedge_;
  }
  log_start_ = 0.5 * std::log(pairs_.front().gram().first);
  // What is compiled when it is first used belongs to the set-up.
  TangentPair rehearsed = pairs_.front();
  static_cast<void>(advance(rehearsed, static_cast<double>(h), 1, map_->projector->is_active()));
}

template <class T>
StepStatus TangentFlow<T>::advance(TangentPair& pair, double h, int parts, bool is_projected) {
  for (int k = 0; k < parts; ++k)
    if (const auto status = map_->integrator->step(pair.point(), h / parts).status; status != StepStatus::ok)
      return status;
  if (!is_projected) return StepStatus::ok;
  map_->projector->set_targets(pair.targets());
  return map_->projector->project(pair.point()).status;
}

template <class T>
void TangentFlow<T>::follow(const MadeStep<T>& step) {
  if (loss_) return;
  for (TangentPair& pair : pairs_) {
    set_values(step.begin, pair.point());
    const StepStatus status = advance(pair, static_cast<double>(step.length), step.parts, step.is_projected);
    if (status == StepStatus::ok) continue;
    loss_ = Loss{static_cast<double>(step.begin.t),
                 std::string("the step from there could not be made with tangents, because ") + describe(status)};
    return;
  }
  if (extent_ == Extent::basis) return shorten();
  TangentPair& pair = pairs_.front();
  TangentPair::Gram g = pair.gram();
  const double error = std::numeric_limits<double>::epsilon() * area_unit_ * pair.lengths(g);
  rounding2_ += error * error;
  log_scale_ += std::log(2.0) * pair.balance(g);
  wedge_ = g.wedge;
  const double now = pair.lengths(g) / std::abs(wedge_);
  if (!std::isfinite(now)) {
    loss_ = Loss{static_cast<double>(step.end.t), "the area that the vectors span has vanished, or is no number"};
  } else if (now > kNarrow) {
    renew(step.end);
  }
}

// Vectors of a basis are kept at about the length that they began with: solves look at all numbers of a point together.
template <class T>
void TangentFlow<T>::shorten() {
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const TangentPair::Gram g = pairs_[k].gram();
    int powers[2] = {0, 0};
    for (const int i : {0, 1}) {
      const double length = std::sqrt(i == 0 ? g.first : g.second);
      if (length > kLong) powers[i] = std::ilogb(length);
      scales_[2 * k + static_cast<std::size_t>(i)] += powers[i];
    }
    if (powers[0] != 0 || powers[1] != 0)
      pairs_[k].combine(std::ldexp(1.0, -powers[0]), 0, std::ldexp(1.0, -powers[1]));
  }
}

template <class T>
double TangentFlow<T>::log_growth() const {
  return 0.5 * std::log(pairs_.front().gram().first) + log_scale_ - log_start_;
}

template <class T>
void TangentFlow<T>::state(Archive& archive) {
  std::size_t count = pairs_.size();
  archive("pairs", count);
  if (count > static_cast<std::size_t>(map_->system->n())) archive.fail("there are more vectors than directions");
  pairs_.resize(count);
  for (TangentPair& pair : pairs_) archive.section("pair", [&] { pair.state(archive, map_->integrator->owner()); });
  archive("q_unit", q_unit_);
  archive("p_unit", p_unit_);
  archive("dimension", dimension_);
  archive("log_start", log_start_);
  archive("log_scale", log_scale_);
  archive("wedge", wedge_);
  archive("area_unit", area_unit_);
  archive("rounding2", rounding2_);
  archive("scales", scales_);
  archive("loss", loss_);
  archive("map", *map_);
}

template class TangentFlow<double>;
template class TangentFlow<long double>;
template class TangentFlow<Quad>;

}  // namespace cotangent
