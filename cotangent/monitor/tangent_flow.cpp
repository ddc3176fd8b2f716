#include "cotangent/monitor/tangent_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/dual_point.hpp"

namespace cotangent {
namespace {

// Where the product of the lengths has become so many times the area the second vector is renewed.
constexpr double kNarrow = 1e4;
// Squares of lengths beyond this, or its inverse, are too large or small for products of them.
constexpr double kReach = 1e60;
// The square of the length of a single vector stays within this: solves look at all numbers of a point together.
constexpr double kNear = 4096;

constexpr const char* kOutOfRange = "the vectors have become too long, or too short, for numbers";

// dq of the first vector, then dp.
std::vector<double> first_vector(const TangentPair& pair) {
  std::vector<double> x;
  for (const Tangents& entry : pair.point()->q) x.push_back(entry.d[0]);
  for (const Tangents& entry : pair.point()->p) x.push_back(entry.d[0]);
  return x;
}

}  // namespace

// The first vector goes on, up to its length, and with it what belongs to it; the second is another one.
template <class T>
void TangentFlow<T>::renew(const PhasePoint<T>& z) {
  TangentPair& pair = pairs_.front();
  TangentPair fresh = choice_.widest(z, first_vector(pair));
  map_->integrator->begin(fresh.point());
  const bool owned = pair.point().own().is_current;
  PhasePoint<Tangents>& w = pair.point().change();
  const auto take = [](std::vector<Tangents>& x, std::vector<Tangents>* low, const std::vector<Tangents>& from) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j].d[1] = from[j].d[1];
      if (low) (*low)[j].d[1] = 0;
    }
  };
  take(w.q, &w.q_low, fresh.point()->q);
  take(w.p, &w.p_low, fresh.point()->p);
  take(w.s, &w.s_low, fresh.point()->s);
  take(pair.point().trajectory().numbers, nullptr, fresh.point().trajectory().numbers);
  for (std::size_t j = 0; j < static_cast<std::size_t>(map_->system->elements().states); ++j)
    w.s[j].d[0] = w.s_low[j].d[0] = 0;
  // An impetus, which is not a function of q and p, is moved with them; other variables are made anew.
  pair.point().own().is_current = owned;
  if (!lift(pair)) pair.point().forget();
  const TangentPair::Gram g = pair.gram();
  const double first = std::sqrt(g.first), second = std::sqrt(g.second);
  pair.combine(1 / first, 0, 1 / second);
  log_scale_ += std::log(first);
  const double area_now = area_unit_ * wedge_;
  wedge_ = pair.gram().wedge;
  count_from(area_now);
}

// The vectors are others: wedge_ is area_now, in units of 2^area_power_.
template <class T>
void TangentFlow<T>::count_from(double area_now) {
  int power = 0;
  area_unit_ = std::frexp(area_now / wedge_, &power);
  area_power_ += power;
}

// Whether the point carries an impetus.
template <class T>
bool TangentFlow<T>::lift(TangentPair& pair) {
  Point<Tangents>& w = pair.point();
  if (!impetus_ || !w.own().is_current || !impetus_->lift(w)) return false;
  w.forget();
  w.own().is_current = true;
  return true;
}

// Beyond the range of numbers it is infinite, or nothing.
template <class T>
double TangentFlow<T>::in_units(double area) const {
  constexpr std::int64_t kFar = 1 << 20;
  return std::ldexp(area_unit_ * area, static_cast<int>(std::clamp(area_power_, -kFar, kFar)));
}

template <class T>
void TangentFlow<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  pairs_.clear();
  loss_.reset();
  log_scale_ = rounding2_ = rounding_sum_ = 0;
  area_power_ = 0;
  wedge_ = area_unit_ = 1;
  map_->manifold->matrix().set_nullity(manifold_.matrix().nullity());
  choice_.set_units(z, static_cast<double>(h));
  if (extent_ == Extent::one_pair) {
    dimension_ = 2;
    if (auto pair = choice_.pair(z)) pairs_.push_back(std::move(*pair));
  } else if (extent_ == Extent::neighbour) {
    dimension_ = 1;
    if (TangentPair pair = choice_.neighbour(z); pair.gram().first > 0) pairs_.push_back(std::move(pair));
  } else {
    pairs_ = choice_.basis(z, dimension_);
    basis_.start(pairs_, dimension_);
  }
  if (pairs_.empty()) {
    loss_ = Loss{static_cast<double>(z.t), "the constraints leave no directions"};
    return;
  }
  const bool is_impetus = map_->integrator->facts().has_impetus;
  for (TangentPair& pair : pairs_) {
    map_->integrator->begin(pair.point());
    pair.set_impetus(is_impetus);
  }
  if (extent_ == Extent::one_pair) {
    wedge_ = pairs_.front().gram().wedge;
    area_unit_ = 1 / wedge_;
  }
  log_start_ = 0.5 * std::log(pairs_.front().gram().first);
  // What is compiled when it is first used belongs to the set-up.
  TangentPair rehearsed = pairs_.front();
  static_cast<void>(map_->integrator->step(rehearsed.point(), static_cast<double>(h)));
  if (is_impetus) {
    if (!impetus_) impetus_ = std::make_unique<ImpetusTangent>(*map_->manifold);
    if (!rehearsed.point().own().p.empty()) static_cast<void>(impetus_->lift(rehearsed.point()));
  }
}

template <class T>
void TangentFlow<T>::follow(const MadeStep<T>& step) {
  if (loss_) return;
  for (TangentPair& pair : pairs_) {
    set_values(step.begin, pair.point());
    const StepStatus status = map_->integrator->step(pair.point(), static_cast<double>(step.length)).status;
    if (status == StepStatus::ok) {
      if (pair.point().trajectory().numbers.empty()) pair.drop_witnesses();
      continue;
    }
    loss_ = Loss{static_cast<double>(step.begin->t),
                 pair.is_out_of_range()
                     ? std::string(kOutOfRange)
                     : std::string("the step from there could not be made with tangents, because ") + describe(status)};
    return;
  }
  if (extent_ == Extent::basis) {
    if (!basis_.keep_in_shape(pairs_, [this](TangentPair& pair) { lift(pair); }))
      loss_ = Loss{static_cast<double>(step.end->t), "the vectors of the basis are not independent any more"};
  } else if (extent_ == Extent::neighbour) {
    TangentPair::Gram g = pairs_.front().gram();
    rescale(pairs_.front(), g, kNear);
    if (!std::isfinite(g.first) || !(g.first > 0)) loss_ = Loss{static_cast<double>(step.end->t), kOutOfRange};
  } else {
    follow_pair(step.end);
  }
}

template <class T>
void TangentFlow<T>::follow_pair(const PhasePoint<T>& end) {
  TangentPair& pair = pairs_.front();
  TangentPair::Gram g = pair.gram();
  const double error = in_units(std::numeric_limits<double>::epsilon() * pair.lengths(g));
  rounding2_ += error * error;
  rounding_sum_ += error;
  if (const std::optional<int> power = pair.balance(g)) {
    log_scale_ += std::log(2.0) * *power;
    wedge_ = g.wedge;
    const double area_now = area_unit_ * wedge_;
    if (lift(pair)) {
      g = pair.gram();
      wedge_ = g.wedge;
      count_from(area_now);
    }
  }
  rescale(pair, g, kReach);
  wedge_ = g.wedge;
  const double lengths = pair.lengths(g);
  if (!std::isfinite(lengths) || !(lengths > 0)) {
    loss_ = Loss{static_cast<double>(end.t), kOutOfRange};
  } else if (!(lengths <= kNarrow * std::abs(wedge_))) {
    renew(end);
  }
}

// By a power of two, if the square of the length of the first vector is beyond reach.
template <class T>
void TangentFlow<T>::rescale(TangentPair& pair, TangentPair::Gram& g, double reach) {
  if (!(g.first > 0) || !std::isfinite(g.first) || (g.first > 1 / reach && g.first < reach)) return;
  const int power = std::ilogb(std::sqrt(g.first));
  const double scale = std::ldexp(1.0, -power);
  pair.combine(scale, 0, scale);
  g = pair.gram();
  log_scale_ += std::log(2.0) * power;
  area_power_ += 2 * power;
}

template <class T>
double TangentFlow<T>::log_growth() const {
  return 0.5 * std::log(pairs_.front().gram().first) + log_scale_ - log_start_;
}

template <class T>
void TangentFlow<T>::state(Archive& archive) {
  std::size_t count = pairs_.size();
  archive("pairs", count);
  if (count > std::max<std::size_t>(static_cast<std::size_t>(map_->system->n()), 1))
    archive.fail("there are more vectors than directions");
  pairs_.resize(count);
  for (TangentPair& pair : pairs_) archive("pair", pair);
  archive("choice", choice_);
  archive("dimension", dimension_);
  archive("log_start", log_start_);
  archive("log_scale", log_scale_);
  archive("wedge", wedge_);
  archive("area_unit", area_unit_);
  archive("area_power", area_power_);
  archive("rounding2", rounding2_);
  archive("rounding_sum", rounding_sum_);
  archive("basis", basis_);
  archive("loss", loss_);
  archive("map", *map_);
}

COTANGENT_INSTANTIATE(PRECISIONS, TangentFlow);

}  // namespace cotangent
