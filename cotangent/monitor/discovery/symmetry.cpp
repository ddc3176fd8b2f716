#include "cotangent/monitor/discovery/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "cotangent/elements/element_pieces.hpp"
#include "cotangent/manifold/random_points.hpp"
#include "cotangent/monitor/discovery/momentum_candidates.hpp"

namespace cotangent {
namespace {

constexpr std::int64_t kMaxWork = 200'000;  // coordinates times candidates times points: a few seconds

/// The Gram matrix of rows of numbers, one column for each candidate, and its null space.
class NullSpace {
 public:
  explicit NullSpace(std::size_t columns) : n_(columns), gram_(columns * columns, Quad(0)) {}

  void add_row(const std::vector<Quad>& row) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) gram_[i * n_ + j] += row[i] * row[j];
  }

  /// One vector for each column that depends on the others, with a 1 there. Sweeps the largest pivots first.
  std::vector<std::vector<Quad>> basis(double noise) {
    std::vector<bool> swept(n_, false);
    for (std::size_t round = 0; round < n_; ++round) {
      std::size_t k = n_;
      for (std::size_t i = 0; i < n_; ++i)
        if (!swept[i] && (k == n_ || at(i, i) > at(k, k))) k = i;
      if (!(at(k, k) > Quad(noise * noise))) break;
      sweep(k);
      swept[k] = true;
    }
    std::vector<std::vector<Quad>> vectors;
    for (std::size_t f = 0; f < n_; ++f) {
      if (swept[f]) continue;
      std::vector<Quad> x(n_, Quad(0));
      for (std::size_t i = 0; i < n_; ++i) x[i] = i == f ? Quad(1) : swept[i] ? -at(i, f) : Quad(0);
      vectors.push_back(std::move(x));
    }
    return vectors;
  }

 private:
  Quad& at(std::size_t i, std::size_t j) { return gram_[i * n_ + j]; }

  // Gauss-Jordan: afterwards the rows of swept columns hold M_pp^-1 M_pf.
  void sweep(std::size_t k) {
    const Quad pivot = at(k, k);
    for (std::size_t j = 0; j < n_; ++j) at(k, j) /= pivot;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i == k) continue;
      const Quad factor = at(i, k);
      for (std::size_t j = 0; j < n_; ++j) at(i, j) -= factor * at(k, j);
    }
  }

  std::size_t n_;
  std::vector<Quad> gram_;
};

/// dJ/dt of each candidate at one point, but for constraint forces, and the sum of the magnitudes of its terms.
struct Rates {
  std::vector<Quad> values, scales;

  void begin() {
    values.emplace_back(0);
    scales.emplace_back(0);
  }
  void add(const Quad& term) {
    values.back() += term;
    scales.back() += abs(term);
  }
};

class SymmetrySearch {
 public:
  SymmetrySearch(Manifold<Quad>& manifold, const std::vector<MomentumCandidate>& candidates)
      : manifold_(manifold),
        system_(manifold.system()),
        candidates_(candidates),
        v_(static_cast<std::size_t>(system_.n())),
        F_(v_),
        direction_(v_),
        lambda_(static_cast<std::size_t>(system_.m())),
        rows_(lambda_),
        change_scales_(candidates.size(), Quad(1)),
        kept_constraints_(candidates.size()) {}

  /// Takes the conditions at a point into account; false if they are not finite there.
  bool visit(const PhasePoint<Quad>& z) {
    if (!evaluate(z)) return false;
    Rates rates = rates_at(z);
    const auto changes = constraint_changes(z);
    const auto all_finite = [](const std::vector<Quad>& x) {
      return std::all_of(x.begin(), x.end(), [](Quad a) { return isfinite(a); });
    };
    if (!all_finite(rates.values) || !std::all_of(changes.begin(), changes.end(), all_finite)) return false;
    rates_.push_back(std::move(rates));
    for (const auto& row : changes) kept_constraints_.add_row(row);
    return true;
  }

  /// Coefficients of the candidates: first what changes no constraint, then what of that is conserved.
  std::vector<std::vector<Quad>> basis() {
    auto generators = kept_constraints_.basis(kSameNumbers);
    for (auto& c : generators)
      for (std::size_t k = 0; k < c.size(); ++k) c[k] = abs(c[k]) < Quad(kSameNumbers) ? 0 : c[k] / change_scales_[k];

    const std::vector<Quad> scales = rate_scales(generators);
    NullSpace conserved(generators.size());
    for (const auto& rates : rates_) {
      std::vector<Quad> row;
      for (std::size_t j = 0; j < generators.size(); ++j)
        row.push_back(std::inner_product(rates.values.begin(), rates.values.end(), generators[j].begin(), Quad(0)) /
                      scales[j]);
      conserved.add_row(row);
    }
    std::vector<std::vector<Quad>> result;
    for (const auto& d : conserved.basis(kSameNumbers)) {
      std::vector<Quad> x(candidates_.size(), Quad(0));
      for (std::size_t j = 0; j < generators.size(); ++j)
        if (abs(d[j]) >= Quad(kSameNumbers))
          for (std::size_t k = 0; k < x.size(); ++k) x[k] += d[j] / scales[j] * generators[j][k];
      result.push_back(normalised(std::move(x)));
    }
    return result;
  }

 private:
  // v and F at z.
  bool evaluate(const PhasePoint<Quad>& z) {
    system_.at(z).H_p(v_);
    Quad power(0);
    if (system_.m() == 0) {
      manifold_.forcing().force(z, v_.data(), lambda_.data(), F_.data(), power);
      return true;
    }
    return manifold_.multipliers(z, v_.data(), lambda_.data(), F_.data(), power).found();
  }

  Rates rates_at(const PhasePoint<Quad>& z) const {
    const auto at = [](const std::vector<Quad>& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
    Rates rates;
    for (const auto& candidate : candidates_) {
      rates.begin();
      for (const std::int64_t i : candidate.shifted) rates.add(at(F_, i));
      for (const auto& [i, j] : candidate.turned) {
        rates.add(at(v_, i) * at(z.p, j));
        rates.add(-at(v_, j) * at(z.p, i));
        rates.add(at(z.q, i) * at(F_, j));
        rates.add(-at(z.q, j) * at(F_, i));
      }
    }
    return rates;
  }

  // G J_p: a row for each constraint, a column for each candidate. Columns are measured in what is added up in them at
  // the first point: a change in small units must not look like none beside one in large units.
  std::vector<std::vector<Quad>> constraint_changes(const PhasePoint<Quad>& z) {
    std::vector<std::vector<Quad>> changes(rows_.size(), std::vector<Quad>(candidates_.size()));
    if (changes.empty()) return changes;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      std::fill(direction_.begin(), direction_.end(), Quad(0));
      for (const std::int64_t i : candidates_[k].shifted) direction_[static_cast<std::size_t>(i)] = Quad(1);
      for (const auto& [i, j] : candidates_[k].turned) {
        direction_[static_cast<std::size_t>(i)] = -z.q[static_cast<std::size_t>(j)];
        direction_[static_cast<std::size_t>(j)] = z.q[static_cast<std::size_t>(i)];
      }
      const Quad scale = system_.at(z).G_times(direction_, rows_).scale;
      if (rates_.empty() && scale > Quad(0)) change_scales_[k] = scale;
      for (std::size_t r = 0; r < rows_.size(); ++r) changes[r][k] = rows_[r] / change_scales_[k];
    }
    return changes;
  }

  // What is added up in the rate of each combination, the largest over all points.
  std::vector<Quad> rate_scales(const std::vector<std::vector<Quad>>& combinations) const {
    std::vector<Quad> scales;
    for (const auto& c : combinations) {
      Quad largest = 0;
      for (const auto& rates : rates_) {
        Quad sum = 0;
        for (std::size_t k = 0; k < c.size(); ++k) sum += abs(c[k]) * rates.scales[k];
        largest = max(largest, sum);
      }
      scales.push_back(largest > Quad(0) ? largest : Quad(1));
    }
    return scales;
  }

  // With the first of the largest coefficients equal to 1.
  static std::vector<Quad> normalised(std::vector<Quad> x) {
    Quad largest = 0;
    for (const Quad c : x) largest = max(largest, abs(c));
    const Quad unit = *std::find_if(x.begin(), x.end(), [&](Quad c) { return abs(c) > Quad(0.99) * largest; });
    for (Quad& c : x) c /= unit;
    return x;
  }

  Manifold<Quad>& manifold_;
  System<Quad>& system_;
  const std::vector<MomentumCandidate>& candidates_;
  std::vector<Quad> v_, F_, direction_, lambda_, rows_;
  std::vector<Rates> rates_;
  std::vector<Quad> change_scales_;
  NullSpace kept_constraints_;
};

std::string coefficient(Quad c) {
  const auto value = static_cast<double>(c);
  if (std::abs(value - 1) < kSameNumbers) return "";
  // A short decimal is meant as it stands; others have all the digits that are known.
  const std::string rounded = fmt::format("{:.10g}", value);
  if (std::abs(std::stod(rounded) - value) < 1e-12 * value) return rounded + "*";
  return fmt::format("{:.16g}*", value);
}

// c_1 J_1 + c_2 J_2 + ...
ConservedMomentum combine(const std::vector<MomentumCandidate>& candidates, const std::vector<Quad>& c) {
  ConservedMomentum result;
  const MomentumCandidate* first = nullptr;
  bool is_alike = true;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (abs(c[k]) < Quad(kSameNumbers)) continue;
    const auto& term = candidates[k];
    const bool is_sum = term.kind == MomentumCandidate::Kind::angular && !term.expression.starts_with("sum(");
    const std::string factor = coefficient(abs(c[k]));
    const bool needs_parentheses = is_sum && (!factor.empty() || c[k] < Quad(0));
    result.expression += first ? (c[k] < Quad(0) ? " - " : " + ") : (c[k] < Quad(0) ? "-" : "");
    result.expression += factor + (needs_parentheses ? "(" + term.expression + ")" : term.expression);
    if (!first) first = &term;
    is_alike = is_alike && term.name() == first->name();
  }
  result.name = first && is_alike ? first->name() : "momentum";
  return result;
}

// Linear before angular before mixed.
int kind_rank(const ConservedMomentum& momentum) {
  return momentum.name.starts_with("linear") ? 0 : momentum.name.starts_with("angular") ? 1 : 2;
}

// The combinations of candidates that are conserved near z; nothing if there are too many to look, or too few points to
// look at.
std::optional<std::vector<std::vector<Quad>>> conserved(const Model& model, Manifold<Quad>& manifold,
                                                        const PhasePoint<Quad>& z,
                                                        const std::vector<MomentumCandidate>& candidates) {
  const auto count = static_cast<std::int64_t>(candidates.size());
  const std::int64_t points = count + 4;
  if (count == 0 || model.dimension() * count * points > kMaxWork) return std::nullopt;
  RandomPoints<Quad> random(model, manifold, z);
  SymmetrySearch search(manifold, candidates);
  std::int64_t visited = 0;
  for (std::int64_t attempt = 0; attempt < 4 * points && visited < points; ++attempt)
    if (const auto point = random.next()) visited += search.visit(*point) ? 1 : 0;
  if (visited < points) return std::nullopt;
  return search.basis();
}

/// The span of vectors, by orthogonal ones.
class LinearSpan {
 public:
  explicit LinearSpan(std::size_t size) : size_(size) {}

  /// False if x is in it already.
  bool add(std::vector<Quad> x) {
    const auto product = [this](const std::vector<Quad>& a, const std::vector<Quad>& b) {
      return std::inner_product(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size_), b.begin(), Quad(0));
    };
    const Quad before = product(x, x);
    for (const auto& y : basis_) {
      const Quad part = product(x, y) / product(y, y);
      for (std::size_t k = 0; k < size_; ++k) x[k] -= part * y[k];
    }
    if (!(product(x, x) > Quad(kSameNumbers * kSameNumbers) * before)) return false;
    basis_.push_back(std::move(x));
    return true;
  }

 private:
  std::size_t size_;
  std::vector<std::vector<Quad>> basis_;
};

}  // namespace

Symmetries find_symmetries(const Model& model, Manifold<Quad>& manifold, const PhasePoint<Quad>& z) {
  Symmetries result;
  const auto candidates = momentum_candidates(model);
  const auto here = conserved(model, manifold, z, candidates);
  if (!here) return result;
  result.were_sought = true;
  LinearSpan told(candidates.size());
  const auto tell = [&](const std::vector<std::vector<Quad>>& combinations, bool is_local) {
    std::vector<ConservedMomentum> momenta;
    for (const auto& c : combinations) {
      if (!told.add(c)) continue;
      momenta.push_back(combine(candidates, c));
      momenta.back().is_local = is_local;
    }
    std::sort(momenta.begin(), momenta.end(), [](const auto& a, const auto& b) {
      return std::pair(kind_rank(a), std::tie(a.name, a.expression)) <
             std::pair(kind_rank(b), std::tie(b.name, b.expression));
    });
    result.momenta.insert(result.momenta.end(), momenta.begin(), momenta.end());
  };
  if (const auto smooth = blended_elements(manifold.system().elements())) {
    System<Quad> system(smooth, Backend::interpreter);
    Manifold<Quad> blended(system);
    if (const auto everywhere = conserved(model, blended, z, candidates)) tell(*everywhere, false);
    tell(*here, true);
  } else {
    tell(*here, false);
  }
  return result;
}

}  // namespace cotangent
