#include "cotangent/analyze/equilibria/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/elements/driven.hpp"
#include "cotangent/manifold/coupling_pattern.hpp"
#include "cotangent/solve/direct/saddle_order.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "cotangent/system/matrix/hessian.hpp"

namespace cotangent {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

void sort_and_unite(Pairs& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Pairs (i, j), i > j, of coordinates that a term of H or a constraint has in common.
Pairs couplings(System<double>& system, const std::vector<TripletPlace>& gradients) {
  const std::int64_t n = system.n();
  Pairs pairs;
  const auto add = [&](std::int64_t i, std::int64_t j) {
    if (i != j) pairs.emplace_back(std::max(i, j), std::min(i, j));
  };
  if (system.elements().declared) {
    if (n > kLimits.full)
      throw std::invalid_argument(
          fmt::format("of a black box K is a full matrix: at most {} coordinates are supported", kLimits.full));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j) add(i, j);
    return pairs;
  }
  const Hessian<double> hessian(system, system.legendre() ? Contraction::Of::L : Contraction::Of::H, Space::q,
                                Space::q);
  for (const auto& place : hessian.entries()) add(place.row, place.column);
  std::vector<std::vector<std::int64_t>> of_row(static_cast<std::size_t>(system.m()));
  for (const auto& place : gradients) of_row[static_cast<std::size_t>(place.row)].push_back(place.column);
  for (const auto& columns : of_row) {
    if (static_cast<std::int64_t>(columns.size()) > kLimits.full)
      throw std::invalid_argument(
          fmt::format("a constraint couples {} coordinates with each other: at most {} are supported", columns.size(),
                      kLimits.full));
    for (const std::int64_t i : columns)
      for (const std::int64_t j : columns) add(i, j);
  }
  sort_and_unite(pairs);
  return pairs;
}

}  // namespace

Statics::Statics(System<double>& system, const std::vector<std::int64_t>& redundant)
    : system_(system), momenta_(system), zero_(n(), 0.0), jacobian_(system) {
  for (std::int64_t r = 0; r < system.m(); ++r)
    if (std::find(redundant.begin(), redundant.end(), r) == redundant.end())
      rows_.push_back(static_cast<std::size_t>(r));
  plan_gradients();
  plan_masses();
  plan_stiffness();
  plan_factors();
}

void Statics::plan_gradients() {
  const auto& entries = jacobian_.entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto row = std::lower_bound(rows_.begin(), rows_.end(), static_cast<std::size_t>(entries[e].row));
    if (row == rows_.end() || *row != static_cast<std::size_t>(entries[e].row)) continue;
    gradients_.push_back(e);
    G_.push_back({static_cast<std::size_t>(row - rows_.begin()), static_cast<std::size_t>(entries[e].column), 0});
  }
}

void Statics::plan_masses() {
  if (const auto& W = system_.diagonal_mass()) {
    for (std::size_t j = 0; j < n(); ++j) M_.push_back({j, j, 1 / (*W)[j]});
  } else if (const Legendre<double>* legendre = system_.legendre()) {
    for (const auto& place : legendre->mass_entries())
      M_.push_back({static_cast<std::size_t>(place.row), static_cast<std::size_t>(place.column), 0});
  } else if (system_.n() <= kLimits.full) {
    for (std::size_t i = 0; i < n(); ++i)
      for (std::size_t j = 0; j < n(); ++j) M_.push_back({i, j, 0});
  } else {
    throw std::invalid_argument(fmt::format(
        "M = H_pp^-1 is a full matrix here: at most {} coordinates are supported; state a Lagrangian", kLimits.full));
  }
}

void Statics::plan_stiffness() {
  const Pairs pairs = couplings(system_, jacobian_.entries());
  for (std::size_t j = 0; j < n(); ++j) K_.push_back({j, j, 0});
  for (const auto& [i, j] : pairs) {
    K_.push_back({static_cast<std::size_t>(i), static_cast<std::size_t>(j), 0});
    K_.push_back({static_cast<std::size_t>(j), static_cast<std::size_t>(i), 0});
  }
  colours_ = color_columns(static_cast<int>(n()), pairs);
  for (const int colour : colours_) colour_count_ = std::max(colour_count_, colour + 1);
  std::stable_sort(K_.begin(), K_.end(),
                   [this](const Entry& a, const Entry& b) { return colours_[a.column] < colours_[b.column]; });
}

void Statics::plan_factors() {
  SaddlePattern pattern{static_cast<int>(n()), static_cast<int>(rows_.size()), {}, {}};
  Pairs below;
  const auto add = [&](std::size_t i, std::size_t j) {
    if (i != j) below.emplace_back(static_cast<int>(std::max(i, j)), static_cast<int>(std::min(i, j)));
  };
  for (const Entries* part : {&K_, &M_})
    for (const Entry& e : *part) {
      add(e.row, e.column);
      if (e.row > e.column) pattern.couplings.emplace_back(e.row, e.column);
    }
  for (const Entry& e : G_) {
    add(n() + e.row, e.column);
    pattern.incidences.emplace_back(e.row, e.column);
  }
  sort_and_unite(below);
  const int size = pattern.n + pattern.m;
  const auto place_of = [&](std::size_t i, std::size_t j) {
    if (i == j) return i;
    const std::pair<int, int> place(static_cast<int>(std::max(i, j)), static_cast<int>(std::min(i, j)));
    return static_cast<std::size_t>(size + (std::lower_bound(below.begin(), below.end(), place) - below.begin()));
  };
  for (const Entries* part : {&K_, &M_})
    for (const Entry& e : *part) place_.push_back(place_of(e.row, e.column));
  for (const Entry& e : G_) place_.push_back(place_of(n() + e.row, e.column));
  // Coordinates of one constraint are coupled in K.
  std::vector<std::vector<std::size_t>> of_row(rows_.size());
  for (std::size_t k = 0; k < G_.size(); ++k) of_row[G_[k].row].push_back(k);
  for (const auto& entries : of_row)
    for (std::size_t k = 0; k < entries.size(); ++k)
      for (std::size_t l = 0; l <= k; ++l)
        squares_.push_back({entries[k], entries[l], place_of(G_[entries[k]].column, G_[entries[l]].column)});
  C_.resize(rows_.size());
  const PatternGraph graph(size, below);
  factors_ = std::make_unique<SparseLdl<double>>(graph, analyse(graph, saddle_order(pattern)));
  values_.resize(static_cast<std::size_t>(size) + below.size());
  magnitude_.resize(static_cast<std::size_t>(size));
  right_.resize(static_cast<std::size_t>(size));
}

bool Statics::is_natural_at(const PhasePoint<double>& given) {
  const Elements& elements = system_.elements();
  if (elements.states > 0 || is_driven(elements)) return false;
  PhasePoint<double> z = given;
  if (!rest(z)) return false;
  // H_qp x for an x that no symmetry of H knows.
  Vector x(n()), y(n()), scale(n());
  for (std::size_t j = 0; j < n(); ++j) x[j] = std::sin(1 + static_cast<double>(j));
  system_.at(z).H_qp_times(x, y);
  system_.at(z).H_pp_times(x, scale);
  if (largest_of(y) > 1e-12 * largest_of(scale)) return false;
  Forcing<double> forcing(system_);
  if (forcing.is_conservative()) return true;
  if (forcing.uses_multipliers()) return false;
  Vector F(n()), slope(n());
  double power = 0;
  forcing.force(z, zero_.data(), nullptr, F.data(), power);
  V_q(z, slope);
  for (std::size_t j = 0; j < n(); ++j)
    if (std::abs(F[j] + slope[j]) > 1e-12 * (std::abs(F[j]) + std::abs(slope[j]))) return false;
  return true;
}

bool Statics::rest(PhasePoint<double>& z) {
  if (!momenta_.at(z.q.data(), zero_.data(), z.t)) return false;
  z.p = momenta_.p();
  std::fill(z.p_low.begin(), z.p_low.end(), 0.0);
  return true;
}

void Statics::linearise(const PhasePoint<double>& z, const Vector& lambda) {
  Vector weights(lambda.size(), 0.0), x(n()), y(n()), bent(n());
  for (const std::size_t r : rows_) weights[r] = lambda[r];
  const At<double> at = system_.at(z);
  auto e = K_.begin();
  for (int colour = 0; colour < colour_count_; ++colour) {
    for (std::size_t j = 0; j < n(); ++j) x[j] = colours_[j] == colour ? 1 : 0;
    at.H_q_along(x, zero_, y);
    if (!rows_.empty()) {
      at.curvature(weights, x, Time::held, bent);
      for (std::size_t j = 0; j < n(); ++j) y[j] += bent[j];
    }
    for (; e != K_.end() && colours_[e->column] == colour; ++e) e->value = y[e->row];
  }
  Vector values(jacobian_.entries().size());
  jacobian_.evaluate(z.q, z.t, values);
  for (std::size_t k = 0; k < G_.size(); ++k) G_[k].value = values[gradients_[k]];
  if (system_.diagonal_mass()) return;
  values.resize(M_.size());
  if (Legendre<double>* legendre = system_.legendre()) {
    legendre->mass(z.q.data(), z.p.data(), z.t, values.data());
  } else {
    static_cast<void>(momenta_.at(z.q.data(), zero_.data(), z.t));
    for (std::size_t j = 0; j < n(); ++j) {
      std::fill(x.begin(), x.end(), 0.0);
      x[j] = 1;
      momenta_.mass_times(x.data(), y.data());
      for (std::size_t i = 0; i < n(); ++i) values[i * n() + j] = y[i];
    }
  }
  for (std::size_t k = 0; k < M_.size(); ++k) M_[k].value = values[k];
}

bool Statics::factor(double s) {
  std::fill(values_.begin(), values_.end(), 0.0);
  auto place = place_.begin();
  // Of a pair of entries the one below the diagonal stands for both.
  for (const Entry& e : K_) {
    if (e.row >= e.column) values_[*place] += e.value;
    ++place;
  }
  for (const Entry& e : M_) {
    if (e.row >= e.column) values_[*place] += s * e.value;
    ++place;
  }
  std::fill(C_.begin(), C_.end(), 0.0);
  for (const Entry& e : G_) {
    values_[*place++] += e.value;
    C_[e.row] += e.value * e.value;
  }
  const double size = size_of_K() + s * size_of_M();
  for (double& c : C_) c = size / c;
  for (const auto& [first, second, at] : squares_)
    values_[at] += C_[G_[first].row] * G_[first].value * G_[second].value;
  const double* lower = values_.data() + right_.size();
  const double growth = factors_->factor_signed(values_.data(), lower, lower, magnitude_.data());
  if (!(growth < 1 / (kPivotTolerance * epsilon<double>()))) return false;
  std::size_t negative = 0;
  for (std::size_t k = 0; k < right_.size(); ++k) negative += factors_->inverse_pivot(static_cast<int>(k)) < 0 ? 1 : 0;
  return negative == rows_.size();
}

void Statics::solve(Vector& x, Vector& nu) {
  std::copy(x.begin(), x.end(), right_.begin());
  for (std::size_t k = 0; k < rows_.size(); ++k) right_[n() + k] = nu[rows_[k]];
  factors_->solve(right_.data());
  std::copy_n(right_.begin(), n(), x.begin());
  for (std::size_t k = 0; k < rows_.size(); ++k) right_[n() + k] += C_[k] * nu[rows_[k]];
  std::fill(nu.begin(), nu.end(), 0.0);
  for (std::size_t k = 0; k < rows_.size(); ++k) nu[rows_[k]] = right_[n() + k];
}

void Statics::solve(Vector& x) {
  Vector nu(static_cast<std::size_t>(system_.m()), 0.0);
  solve(x, nu);
}

void Statics::multiply(const Entries& a, const Vector& x, Vector& y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (const Entry& e : a) y[e.row] += e.value * x[e.column];
}

Matrix Statics::dense(const Entries& a, std::size_t rows, std::size_t columns) {
  Matrix result(rows, columns);
  for (const Entry& e : a) result(e.row, e.column) += e.value;
  return result;
}

double Statics::size_of(const Entries& a) {
  double most = 0;
  for (const Entry& e : a) most = std::max(most, std::abs(e.value));
  return most;
}

}  // namespace cotangent
