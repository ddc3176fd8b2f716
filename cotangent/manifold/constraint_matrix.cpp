#include "cotangent/manifold/constraint_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/manifold/coupling_pattern.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {

// Plans for one mass are the same in every arithmetic.
template <class T>
static const std::optional<CouplingPlan>& coupling_of(const System<T>& system) {
  using Plan = std::optional<CouplingPlan>;
  const auto mass = system.uniform_mass();
  const std::string key = !system.diagonal_mass() ? "none" : mass ? to_string(*mass) : "masses";
  return system.model().template shared<Plan>(
      key, [&] { return system.diagonal_mass() ? plan_coupling(system.elements(), mass) : Plan(); });
}

// G G' at z.
struct Gram {
  OffDiagonal places;
  std::vector<Quad> diagonal, lower;
};

template <class T>
static Gram gram_matrix(System<T>& system, const PointRef<T>& z) {
  Jacobian<T> G(system);
  std::vector<T> values(G.entries().size());
  G.evaluate(z.q, z.t, values);
  using Entries = std::vector<std::pair<int, Quad>>;
  const auto m = static_cast<std::size_t>(system.m());
  std::vector<Entries> columns(static_cast<std::size_t>(system.n())), rows(m);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto& [row, column] = G.entries()[e];
    const auto x = static_cast<Quad>(lane(values[e], 0));
    columns[static_cast<std::size_t>(column)].emplace_back(static_cast<int>(row), x);
    rows[static_cast<std::size_t>(row)].emplace_back(static_cast<int>(column), x);
  }
  // Row by row, each summed up where there is a place for all of its entries.
  Gram gram{{}, std::vector<Quad>(m, 0), {}};
  std::vector<Quad> sums(m, 0);
  std::vector<int> met;
  std::vector<char> is_met(m, 0);
  for (std::size_t i = 0; i < m; ++i) {
    met.clear();
    for (const auto& [column, x] : rows[i])
      for (const auto& [row, y] : columns[static_cast<std::size_t>(column)]) {
        const auto j = static_cast<std::size_t>(row);
        if (j > i) continue;
        if (is_met[j] == 0) met.push_back(row);
        is_met[j] = 1;
        sums[j] += x * y;
      }
    std::sort(met.begin(), met.end());
    for (const int row : met) {
      const auto j = static_cast<std::size_t>(row);
      if (j < i) {
        gram.places.emplace_back(static_cast<int>(i), row);
        gram.lower.push_back(sums[j]);
      } else {
        gram.diagonal[i] = sums[j];
      }
      sums[j] = 0;
      is_met[j] = 0;
    }
  }
  return gram;
}

template <class T>
ConstraintMatrix<T>::ConstraintMatrix(System<T>& system)
    : system_(system),
      diagonal_(static_cast<std::size_t>(system.m()), T(0)),
      frame_(system.frame()),
      response_(system) {
  if (system.legendre()) {
    saddle_ = std::make_unique<SaddleMatrix<T>>(system);
    return;
  }
  if (system.diagonal_mass() && DenseCoupling<T>::suits(system)) {
    plan_dense();
  } else if (const auto& plan = coupling_of(system)) {
    plan_ = &*plan;
    plan_entries();
  } else {
    plan_probes();
  }
}

template <class T>
void ConstraintMatrix<T>::plan_entries() {
  lower_.assign(plan_->off_diagonal.size(), T(0));
  upper_ = lower_;
  off_diagonal_ = plan_->off_diagonal;
  solver_ = std::make_unique<SemidefiniteSolver<T>>(static_cast<int>(system_.m()), off_diagonal_);
  frame_.in[in::weights] = system_.diagonal_mass()->data();
  frame_.out[CouplingPlan::diagonal] = diagonal_.data();
  frame_.out[CouplingPlan::lower] = lower_.data();
  frame_.out[CouplingPlan::upper] = upper_.data();
}

template <class T>
void ConstraintMatrix<T>::plan_dense() {
  const int m = static_cast<int>(system_.m());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j) off_diagonal_.emplace_back(i, j);
  lower_.assign(off_diagonal_.size(), T(0));
  upper_ = lower_;
  solver_ = std::make_unique<SemidefiniteSolver<T>>(m, off_diagonal_);
  dense_ = std::make_unique<DenseCoupling<T>>(system_);
}

template <class T>
const KernelSequence<T>& ConstraintMatrix<T>::kernels(const char* key, const SpecSequence& specs) const {
  const CompiledModel& model = system_.model();
  return model.shared<KernelSequence<T>>(key, [&] { return model.compile<T>(*plan_->graph, specs); });
}

template <class T>
void ConstraintMatrix<T>::plan_probes() {
  const CouplingPattern pattern = coupling_pattern(system_.elements());
  if (pattern.is_full && system_.m() > kLimits.full)
    throw std::invalid_argument(
        fmt::format("the {} constraints are all coupled with each other (through a function of a sum, or because G or "
                    "H_pp of a black box is full): "
                    "at most {} are supported",
                    system_.m(), kLimits.full));
  lower_.assign(pattern.off_diagonal.size(), T(0));
  upper_ = lower_;
  off_diagonal_ = pattern.off_diagonal;
  solver_ = std::make_unique<SemidefiniteSolver<T>>(static_cast<int>(system_.m()), off_diagonal_);

  std::vector<int> color(static_cast<std::size_t>(system_.m()));
  if (pattern.is_full) {
    std::iota(color.begin(), color.end(), 0);
  } else {
    color = color_columns(static_cast<int>(system_.m()), pattern.off_diagonal);
  }
  for (int c = 0; c < static_cast<int>(color.size()); ++c) {
    const auto k = static_cast<std::size_t>(color[c]);
    if (probes_.size() <= k) probes_.resize(k + 1);
    probes_[k].columns.push_back(c);
    probes_[k].entries.push_back({c, &diagonal_[c]});
  }
  for (std::size_t e = 0; e < pattern.off_diagonal.size(); ++e) {
    const auto [i, j] = pattern.off_diagonal[e];
    probes_[color[j]].entries.push_back({i, &lower_[e]});
    probes_[color[i]].entries.push_back({j, &upper_[e]});
  }
  unit_.assign(static_cast<std::size_t>(system_.m()), T(0));
  rows_ = unit_;
}

// R e = G(Q) (H_pp(q, p) (G(q)' e)), e the sum of the unit vectors of one probe.
template <class T>
void ConstraintMatrix<T>::run_probes(const T* Q, const T& t_Q, const PointRef<T>& z) {
  for (const Probe& probe : probes_) {
    for (const int c : probe.columns) unit_[c] = T(1);
    response_.rate(Q, t_Q, z, unit_.data(), rows_.data());
    for (const auto& entry : probe.entries) *entry.target = rows_[entry.row];
    for (const int c : probe.columns) unit_[c] = T(0);
  }
}

template <class T>
FactorReport<T> ConstraintMatrix<T>::factor(const PointRef<T>& z) {
  if (saddle_) return remember(saddle_->factor(z.q, z.t, z));
  if (plan_) {
    frame_.in[in::q] = z.q;
    if (!symmetric_) symmetric_ = &kernels("R", plan_->symmetric);
    (*symmetric_)(frame_);
  } else if (dense_) {
    dense_->symmetric(z.q, z.t, diagonal_.data(), lower_.data());
  } else {
    run_probes(z.q, z.t, z);
  }
  return factor_written();
}

template <class T>
FactorReport<T> ConstraintMatrix<T>::factor_newton(const T* Q, const T& t_Q, const PointRef<T>& z) {
  if (saddle_) return saddle_->factor(Q, t_Q, z);
  if (plan_) {
    frame_.in[in::q] = Q;
    frame_.in[in::a_q] = z.q;
    if (!newton_) newton_ = &kernels("K", plan_->newton);
    (*newton_)(frame_);
  } else if (dense_) {
    dense_->newton(Q, t_Q, z.q, z.t, diagonal_.data(), lower_.data(), upper_.data());
  } else {
    run_probes(Q, t_Q, z);
  }
  return factor_newton_written();
}

template <class T>
std::vector<DependentRow<T>> ConstraintMatrix<T>::dependent(const PointRef<T>& z) {
  if constexpr (1 < lane_count<T>) {
    throw std::invalid_argument("dependent constraints are found for one trajectory at a time");
  } else {
    const auto report = factor(z);
    if (report.growth < 1 / rank_tolerance<T>()) return {};
    const Gram gram = gram_matrix(system_, z);
    const auto found =
        dependent_rows<Quad>(static_cast<int>(system_.m()), gram.places, gram.diagonal.data(), gram.lower.data());
    std::vector<DependentRow<T>> rows;
    for (const DependentRow<Quad>& each : found) {
      rows.push_back({.row = each.row, .terms = {}});
      // Coefficients are as good as G.
      const auto size = [&](int row) { return gram.diagonal[static_cast<std::size_t>(row)]; };
      for (const auto& [row, coefficient] : each.terms)
        if (coefficient * coefficient * size(row) > static_cast<Quad>(rank_tolerance<T>()) * size(each.row))
          rows.back().terms.push_back({row, T(static_cast<LaneOf<T>>(coefficient))});
    }
    return rows;
  }
}

COTANGENT_INSTANTIATE(NUMBERS, ConstraintMatrix);

}  // namespace cotangent
