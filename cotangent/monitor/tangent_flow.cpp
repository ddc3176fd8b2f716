#include "cotangent/monitor/tangent_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/monitor/dual_point.hpp"

namespace cotangent {
namespace {

// Where the product of the lengths has become so many times the area the second vector is renewed.
constexpr double kNarrow = 1e4;
// Squares of lengths beyond this, or its inverse, are too large or small for products of them.
constexpr double kReach = 1e60;
// A vector of a basis that is longer is shortened.
constexpr double kLong = 64;

// dq of the first vector, then dp.
std::vector<double> first_vector(const TangentPair& pair) {
  std::vector<double> x;
  for (const Tangents& entry : pair.point().q) x.push_back(entry.d[0]);
  for (const Tangents& entry : pair.point().p) x.push_back(entry.d[0]);
  return x;
}

}  // namespace

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
  TangentPair fresh = choice_.widest(z, first_vector(pair));
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

template <class T>
void TangentFlow<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  pairs_.clear();
  loss_.reset();
  log_scale_ = rounding2_ = 0;
  map_->manifold->matrix().set_nullity(manifold_.matrix().nullity());
  choice_.set_units(z, static_cast<double>(h));
  if (extent_ == Extent::one_pair) {
    dimension_ = 2;
    if (auto pair = choice_.pair(z)) pairs_.push_back(std::move(*pair));
  } else {
    pairs_ = choice_.basis(z, dimension_);
    scales_.assign(dimension_ + 1, 0);
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
  rescale(pair, g);
  wedge_ = g.wedge;
  const double lengths = pair.lengths(g);
  if (!std::isfinite(lengths) || !(lengths > 0)) {
    loss_ = Loss{static_cast<double>(step.end.t), "the vectors have vanished, or are no numbers"};
  } else if (!(lengths <= kNarrow * std::abs(wedge_))) {
    renew(step.end);
  }
}

// Vectors that become ever shorter, or longer, where there is friction, are kept within reach.
template <class T>
void TangentFlow<T>::rescale(TangentPair& pair, TangentPair::Gram& g) {
  if (!(g.first > 0) || !std::isfinite(g.first) || (g.first > 1 / kReach && g.first < kReach)) return;
  const int power = std::ilogb(std::sqrt(g.first));
  const double scale = std::ldexp(1.0, -power);
  pair.combine(scale, 0, scale);
  g = pair.gram();
  log_scale_ += std::log(2.0) * power;
  area_unit_ /= scale * scale;
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
  archive("choice", choice_);
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
