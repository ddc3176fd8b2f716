#include "cotangent/analyze/dirac/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "cotangent/analysis/levels.hpp"
#include "cotangent/analyze/dirac/printed.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/manifold/random_points.hpp"

namespace cotangent {
namespace {

constexpr Quad kZero = 1e-24Q, kNonzero = 1e-18Q;
// Of the constraints at points: some digits above the rounding level of Quad.
constexpr Quad kOnSurface = 1e-31Q;
// Initial values that are held move by less than this where they need not move; they have the digits of a double.
constexpr Quad kMoved = 1e-12Q;
constexpr int kSteps = 60, kTries = 40;

Quad relative(const Sized& x) { return x.size > 0 ? abs(x.value) / x.size : Quad{0}; }

// Row by row; what is only rounding is 0.
DenseMatrix matrix_of(const std::vector<Sized>& values, std::size_t rows, std::size_t columns) {
  DenseMatrix a(rows, std::vector<Quad>(columns));
  auto x = values.begin();
  for (auto& row : a)
    for (Quad& number : row) {
      number = relative(*x) <= kZero ? Quad{0} : x->value;
      ++x;
    }
  return a;
}

}  // namespace

Surface::Surface(Algebra& algebra, std::vector<Expr> z, SymbolValues fixed, std::vector<Expr> free, SymbolValues near,
                 std::vector<Expr> finite)
    : algebra_(algebra),
      z_(std::move(z)),
      fixed_(std::move(fixed)),
      near_(std::move(near)),
      free_(std::move(free)),
      finite_(std::move(finite)) {
  points_ = points_on({}).value_or(std::vector<SymbolValues>{});
}

SymbolValues Surface::random_point(bool exact) const {
  std::uniform_real_distribution<double> size(0.3, 1.7), sign(-1, 1);
  SymbolValues point = fixed_;
  for (const auto* symbols : {&z_, &free_})
    for (const Expr x : *symbols) {
      const double scatter = sign(random_) / 5, value = size(random_) * (sign(random_) < -0.5 ? -1 : 1);
      const auto given = near_.find(x.id());
      if (given == near_.end()) {
        point[x.id()] = value;
      } else {
        point[x.id()] = exact ? given->second : given->second + scatter * max(Quad{0.5}, abs(given->second) / 2);
      }
    }
  return point;
}

const std::vector<Expr>& Surface::gradient(Expr e) { return known_gradient(e); }

const std::vector<Expr>& Surface::known_gradient(Expr e) const {
  const auto at = gradients_.find(e.id());
  return at != gradients_.end() ? at->second : gradients_.emplace(e.id(), cotangent::gradient(e, z_)).first->second;
}

std::optional<SymbolValues> Surface::point_near_start(const std::vector<Expr>& constraints) const {
  // Values that are given move only if no values of the others meet the constraints.
  constexpr Quad kHeld = 1e-20Q;
  std::vector<Quad> weights;
  for (const Expr x : z_) weights.push_back(near_.contains(x.id()) ? kHeld : Quad{1});
  for (int k = 0; k < kTries; ++k)
    if (auto point = project(random_point(true), constraints, weights)) return point;
  return std::nullopt;
}

std::optional<SymbolValues> Surface::point_at_start() const { return point_near_start(constraints_); }

bool Surface::meets_start(Expr chi, std::optional<std::size_t> instead_of) const {
  const auto point = point_near_start(constraints_with(std::array{chi}, instead_of));
  return point && moved_from_start(*point).empty();
}

std::vector<Expr> Surface::moved_from_start(const SymbolValues& point) const {
  std::vector<Expr> moved;
  for (const Expr x : z_)
    if (const auto given = near_.find(x.id());
        given != near_.end() && abs(point.at(x.id()) - given->second) > kMoved * max(Quad{1}, abs(given->second)))
      moved.push_back(x);
  return moved;
}

// z -= W J'(J W J')^-1 chi, halved while that does not make chi smaller.
std::optional<SymbolValues> Surface::project(SymbolValues point, const std::vector<Expr>& constraints,
                                             const std::vector<Quad>& weights) const {
  const std::size_t N = constraints.size(), n = z_.size();
  std::vector<Expr> all = constraints;
  for (const Expr chi : constraints) {
    const auto& g = known_gradient(chi);
    all.insert(all.end(), g.begin(), g.end());
  }
  const Evaluation residual(constraints), with_gradients(all), finite(finite_);
  // Relative to what is added up at the start.
  std::vector<Quad> scales;
  for (const Sized& chi : residual(point)) scales.push_back(max(chi.size, Quad{1e-3}));
  const auto size_at = [&](const SymbolValues& at) {
    Quad most = 0;
    const auto values = residual(at);
    for (std::size_t a = 0; a < N; ++a) {
      if (!values[a].is_finite()) return infinity<Quad>();
      most = max(most, abs(values[a].value) / max(scales[a], values[a].size));
    }
    return most;
  };
  const auto all_finite = [](const std::vector<Sized>& values) {
    return std::all_of(values.begin(), values.end(), [](const Sized& x) { return x.is_finite(); });
  };
  std::vector<Quad> added_up;  // in a coordinate
  for (const Expr x : z_) added_up.push_back(abs(point.at(x.id())));
  Quad size = size_at(point);
  for (int step = 0; step < kSteps && size > kOnSurface; ++step) {
    const auto values = with_gradients(point);
    if (!all_finite(values)) return std::nullopt;
    DenseMatrix normal(N, std::vector<Quad>(N));
    std::vector<Quad> chi;
    const auto J = [&](std::size_t a, std::size_t k) { return values[N + a * n + k].value; };
    for (std::size_t a = 0; a < N; ++a) {
      chi.push_back(values[a].value);
      for (std::size_t k = 0; k < n; ++k) {
        if (J(a, k) == 0) continue;
        for (std::size_t b = 0; b < N; ++b) normal[a][b] += weights[k] * J(a, k) * J(b, k);
      }
    }
    const auto lambda = solve_dense(normal, chi);
    if (lambda.empty()) return std::nullopt;
    const auto moved = [&](std::size_t k, std::size_t a) { return weights[k] * J(a, k) * lambda[a]; };
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t a = 0; a < N; ++a) added_up[k] = max(added_up[k], abs(moved(k, a)));
    Quad fraction = 1;
    SymbolValues next;
    Quad next_size = size;
    for (; fraction > 1e-4; fraction /= 2) {
      next = point;
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t a = 0; a < N; ++a) next[z_[k].id()] -= fraction * moved(k, a);
      next_size = size_at(next);
      if (next_size < size) break;
    }
    if (!(next_size < size)) break;
    point = std::move(next);
    size = next_size;
  }
  least_found_ = size;
  // Rounding may keep the last digits from vanishing.
  const Quad rounding = kOnSurface * kFarAbove;
  if (!(size <= rounding)) return std::nullopt;
  // A coordinate of which only rounding is left is zero: relative to itself it would be as large as any.
  for (std::size_t k = 0; k < n; ++k)
    if (Quad& x = point.at(z_[k].id()); abs(x) <= rounding * added_up[k]) x = 0;
  if (!all_finite(finite(point))) return std::nullopt;
  return point;
}

std::optional<std::vector<SymbolValues>> Surface::points_on(const std::vector<Expr>& constraints) const {
  const std::vector<Quad> weights(z_.size(), 1);
  std::vector<SymbolValues> found;
  Quad least = infinity<Quad>();
  // Points of the surface as it is are good starts.
  for (const SymbolValues& point : points_)
    if (auto projected = project(point, constraints, weights)) found.push_back(std::move(*projected));
  for (int k = 0; k < kTries && found.size() < kEnoughPoints; ++k) {
    if (auto projected = project(random_point(false), constraints, weights)) found.push_back(std::move(*projected));
    least = min(least, least_found_);
  }
  least_found_ = least;
  if (found.size() < kEnoughPoints) return std::nullopt;
  return found;
}

std::vector<Expr> Surface::constraints_with(std::span<const Expr> chi, std::optional<std::size_t> instead_of) const {
  auto constraints = constraints_;
  if (instead_of) constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(*instead_of));
  constraints.insert(constraints.end(), chi.begin(), chi.end());
  return constraints;
}

bool Surface::could_add(std::span<const Expr> chi, std::optional<std::size_t> instead_of) const {
  return points_on(constraints_with(chi, instead_of)).has_value();
}

bool Surface::take(std::vector<Expr> constraints) {
  auto found = points_on(constraints);
  if (!found) return false;
  points_ = std::move(*found);
  constraints_ = std::move(constraints);
  is_zero_.clear();
  return true;
}

bool Surface::add(Expr chi) { return take(constraints_with(std::array{chi}, {})); }

bool Surface::drop_last_if_it_follows() {
  const std::vector<Expr> others(constraints_.begin(), constraints_.end() - 1);
  std::vector<Expr> slopes;
  for (const Expr chi : others) slopes.insert(slopes.end(), gradient(chi).begin(), gradient(chi).end());
  const Evaluation gradients(slopes), last({constraints_.back()});
  const auto is_regular = [&](const SymbolValues& point) {
    const auto values = gradients(point);
    const NumericRank found = numeric_rank(matrix_of(values, others.size(), z_.size()));
    return found.is_clear() && found.rank == static_cast<int>(others.size());
  };
  // Branches meet where the others are not regular.
  const std::vector<Quad> weights(z_.size(), 1);
  std::vector<SymbolValues> branch;
  std::copy_if(points_.begin(), points_.end(), std::back_inserter(branch), is_regular);
  for (int k = 0; k < kTries && branch.size() < kEnoughPoints; ++k)
    if (const auto point = project(random_point(false), constraints_, weights); point && is_regular(*point))
      branch.push_back(*point);
  if (branch.size() < kEnoughPoints) return false;
  // What vanishes to second order only is about the square of this.
  constexpr double kNear = 1e-3;
  std::uniform_real_distribution<double> scatter(-kNear, kNear);
  for (SymbolValues point : branch) {
    for (const Expr x : z_) point[x.id()] += scatter(random_) * max(Quad{1}, abs(point[x.id()]));
    const auto projected = project(std::move(point), others, weights);
    if (!projected || !(relative(last(*projected)[0]) <= kZero)) return false;
  }
  constraints_ = others;
  points_ = std::move(branch);
  is_zero_.clear();
  return true;
}

bool Surface::replace(std::size_t index, Expr chi) {
  auto constraints = constraints_;
  constraints[index] = chi;
  return take(std::move(constraints));
}

Expr Surface::simplified(Expr e) { return algebra_.reduced(e, constraints_); }

bool Surface::is_zero_by_value(Expr e) {
  const Evaluation evaluation({e});
  Quad most = 0;
  bool is_finite = false;
  for (const SymbolValues& point : points_) {
    const Sized value = evaluation(point)[0];
    if (!value.is_finite()) continue;
    is_finite = true;
    most = max(most, relative(value));
  }
  if (!is_finite) throw Undecided(fmt::format("{} is infinite on the constraint surface", printed(e)));
  if (most <= kZero) {
    margin_.largest_zero = max(margin_.largest_zero, most);
    return true;
  }
  margin_.smallest_nonzero = min(margin_.smallest_nonzero, most);
  if (most < kNonzero)
    throw Undecided(
        fmt::format("it is undecided whether {} vanishes on the constraint surface: its relative size there "
                    "is {:.1g}, more than rounding and less than {:.0g}",
                    printed(e), static_cast<double>(most), static_cast<double>(kNonzero)));
  return false;
}

std::optional<Quad> Surface::constant_value(Expr e) const {
  const Evaluation evaluation({e});
  std::optional<Quad> common;
  for (const SymbolValues& point : points_) {
    const Sized at = evaluation(point)[0];
    if (!at.is_finite() || relative(at) <= kZero) return std::nullopt;
    if (common && abs(at.value - *common) > kZero * at.size) return std::nullopt;
    common = at.value;
  }
  return common;
}

bool Surface::is_zero(Expr e) {
  if (e.is_constant()) return e.value() == 0;
  if (const auto at = is_zero_.find(e.id()); at != is_zero_.end()) return at->second;
  const bool result = simplified(e).is_constant(0) || is_zero_by_value(e);
  is_zero_.emplace(e.id(), result);
  return result;
}

int Surface::rank_of_gradients(const std::vector<Expr>& functions) {
  std::vector<std::vector<Expr>> rows;
  for (const Expr f : functions) rows.push_back(gradient(f));
  return rank(rows);
}

int Surface::rank(const std::vector<std::vector<Expr>>& matrix) {
  if (matrix.empty()) return 0;
  std::vector<Expr> all;
  for (const auto& row : matrix) all.insert(all.end(), row.begin(), row.end());
  const Evaluation evaluation(all);
  std::optional<int> rank;
  for (const SymbolValues& point : points_) {
    const NumericRank found = numeric_rank(matrix_of(evaluation(point), matrix.size(), matrix[0].size()));
    margin_.smallest_pivot = min(margin_.smallest_pivot, found.smallest_kept);
    margin_.largest_dropped = max(margin_.largest_dropped, found.largest_dropped);
    if (!found.is_clear())
      throw Undecided(
          fmt::format("a rank is undecided at a point of the constraint surface: its pivots go from {:.1g} "
                      "to {:.1g} without a gap",
                      static_cast<double>(found.smallest_kept), static_cast<double>(found.largest_dropped)));
    if (rank && *rank != found.rank)
      throw Undecided(fmt::format("a rank differs from point to point of the constraint surface: it is {} and {}",
                                  *rank, found.rank));
    rank = found.rank;
  }
  return rank.value_or(0);
}

}  // namespace cotangent
