#include "cotangent/integrator/lobatto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/row_solve.hpp"
#include "cotangent/integrator/stage_failure.hpp"
#include "cotangent/integrator/stage_sums.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {
namespace {

// A step that is more times longer than the one before does not begin from it.
constexpr double kMostContinued = 2;

// So many times epsilon times what is added up in g is what rounding leaves of it.
constexpr double kNoise = 2;

// sum_j factors_j x_j over the first so many stages.
template <class T>
void combine(const std::vector<LaneOf<T>>& factors, const std::vector<std::vector<T>>& x, std::size_t stages, T* sum,
             std::size_t size) {
  std::fill_n(sum, size, T(0));
  for (std::size_t j = 0; j < stages; ++j) add_scaled(factors[j], x[j].data(), sum, size);
}

template <class T>
T largest(const std::vector<T>& x) {
  T most(0);
  for (const T& entry : x) most = max(most, magnitude(entry));
  return most;
}

}  // namespace

template <class T>
MethodFacts Lobatto<T>::sheet(int stages, const std::string& name) {
  return {.name = name,
          .kind = "constrained",
          .description = fmt::format("Lobatto IIIA-IIIB with {} stages on the constrained equations{}", stages,
                                     stages == 2 ? ", which is rattle" : ""),
          .order = 2 * stages - 2,
          .symmetric = true,
          .symplectic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = {"direct"},
          .applies_to = "every system",
          .reference = "jay96"};
}

template <class T>
Lobatto<T>::Lobatto(MethodFacts facts, int stages, Manifold<T>& manifold, FixedPointSolver solver)
    : Integrator<T>(std::move(facts)),
      stages_(static_cast<std::size_t>(stages)),
      pair_(stages),
      manifold_(manifold),
      forcing_(manifold.forcing()),
      at_(manifold.system()),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      states_(static_cast<std::size_t>(manifold.system().elements().states)),
      t_(stages_, T(0)),
      Q_(stages_, std::vector<T>(n_, T(0))),
      P_(Q_),
      U_(stages_, std::vector<T>(states_, T(0))),
      v_(Q_),
      kick_(Q_),
      rate_(stages_, std::vector<T>(static_cast<std::size_t>(manifold.system().state_count()), T(0))),
      lambda_(stages_, std::vector<T>(m_, T(0))),
      y_(Q_),
      u_(Q_),
      rows_(lambda_),
      q_middle_(n_, T(0)),
      p_middle_(q_middle_),
      F_(q_middle_),
      c_force_(q_middle_),
      fresh_{q_middle_, q_middle_, rate_[0], lambda_[0]},
      sum_(std::max({n_, m_, states_}), T(0)),
      end_(manifold.system().n(), manifold.system().state_count()),
      end_kick_(manifold),
      scales_(manifold.system()),
      row_noise_(m_, T(0)),
      row_sizes_(m_, T(0)),
      column_(n_, T(0)),
      solver_kind_(solver),
      solver_(s_at(stages_), solver),
      continue_(pair_.c),
      old_v_(v_),
      old_kick_(kick_),
      old_rate_(rate_),
      old_lambda_(lambda_) {}

template <class T>
StepReport<T> Lobatto<T>::step(PhasePoint<T>& z, Number h) {
  StepReport<T> report;
  if (begin(z, h, report)) {
    const auto result = solver_.solve(
        [&](const T* x, T* r, const Mask<T>&, bool is_probe) {
          evaluate(z, x, r);
          precondition(r);
          if (!is_probe) weigh(z, x);
          return Mask<T>(true);
        },
        report.ok, true);
    report.iterations += result.iterations;
    report.evaluations += result.evaluations * static_cast<std::int64_t>(stages_);
    report.tolerance = T(epsilon<T>());
    fail_lanes(report, !result.converged,
               all(isfinite(result.residual)) ? stage_failure(solver_kind_) : StepStatus::not_finite, result.residual);
  }
  known_revision_ = 0;
  if (any(report.ok) && end(z, report)) commit(z, h, report);
  return report;
}

// The guess, and the matrix of the preconditioner.
template <class T>
bool Lobatto<T>::begin(const PhasePoint<T>& z, Number h, StepReport<T>& report) {
  h_ = T(h);
  for (std::size_t i = 0; i + 1 < stages_; ++i) t_[i] = T(z.t + pair_.c[i] * h);
  t_end_ = z.time_after(h);
  t_.back() = T(t_end_);
  t_middle_ = T(z.t + h / 2);
  guess(z, h);
  at_.H_p(z, y_[0].data());
  for (std::size_t j = 0; j < n_; ++j) q_middle_[j] = z.q[j] + T(h / 2) * y_[0][j];
  p_middle_ = z.p;
  if (m_ == 0) return true;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> singular = !matrix.factor(middle()).regular;
  if (any(singular)) {
    // A long step leads to where R is singular; that is no fault of the constraints unless R is so where it began.
    const Mask<T> at_start = singular & !matrix.factor(z).regular;
    if (any(at_start)) fail_singular_lanes(report, at_start, matrix, T(0));
    fail_lanes(report, singular & !at_start, StepStatus::position_solve_failed, T(infinity<T>()));
    if (!any(report.ok)) return false;
    static_cast<void>(matrix.factor(middle()));
  }
  drop_redundant();
  set_noise(z);
  return true;
}

// Of multipliers that are not unique the guess is the smallest, R^+ R l: what the equations do not see would otherwise
// be continued from step to step, and grow.
template <class T>
void Lobatto<T>::drop_redundant() {
  const Mask<T> is_dependent = !(manifold_.matrix().condition() < T(1 / rank_tolerance<T>()));
  if (!any(is_dependent)) return;
  for (std::size_t i = 0; i + 1 < stages_; ++i) {
    T* l = solver_.x().data() + l_at(i);
    at_.G_transposed_times(middle(), l, u_[0].data());
    at_.H_pp_times(middle(), u_[0].data(), y_[0].data());
    at_.G_times(middle(), y_[0].data(), rows_[0].data());
    manifold_.matrix().solve(rows_[0].data());
    for (std::size_t k = 0; k < m_; ++k) l[k] = select(is_dependent, rows_[0][k], l[k]);
  }
}

// Velocities, kicks, rates and multipliers of all stages: those of the step before, continued, or those at z. The
// stages follow from them.
template <class T>
void Lobatto<T>::guess(const PhasePoint<T>& z, Number h) {
  const Number ratio = last_h_ == Number(0) ? Number(0) : h / last_h_;
  // Of dependent constraints a part of the multipliers has no effect: continued, it would grow.
  const bool continues = manifold_.matrix().nullity() == 0 && z.revision == known_revision_ && ratio != Number(0) &&
                         abs(ratio) <= static_cast<Number>(kMostContinued);
  const Mask<T> old = continues ? has_history_ : Mask<T>(false);
  std::swap(v_, old_v_);
  std::swap(kick_, old_kick_);
  std::swap(rate_, old_rate_);
  std::swap(lambda_, old_lambda_);
  if (continues) {
    continue_.set_ratio(ratio);
    continue_(old_v_, v_);
    continue_(old_kick_, kick_, ratio);  // they contain the factor h
    continue_(old_rate_, rate_);
    continue_(old_lambda_, lambda_);
  }
  if (!all(old)) {
    rates_at(z);
    // Lanes without a history begin anew, and the others do not notice.
    const auto take = [&](Stages& x, const std::vector<T>& fresh) {
      for (auto& stage : x)
        for (std::size_t k = 0; k < stage.size(); ++k) stage[k] = select(old, stage[k], fresh[k]);
    };
    take(v_, fresh_.v);
    take(kick_, fresh_.kick);
    take(rate_, fresh_.rate);
    take(lambda_, fresh_.lambda);
  }
  T* x = solver_.x().data();
  for (std::size_t i = 0; i < stages_; ++i) {
    if (i > 0) std::fill_n(x + q_at(i), n_, T(0));
    std::fill_n(x + p_at(i), n_, T(0));
    std::fill_n(x + s_at(i), states_, T(0));
    for (std::size_t j = 0; j < stages_; ++j) {
      if (i > 0) add_scaled(h * pair_.a[i][j], v_[j].data(), x + q_at(i), n_);
      add_scaled(pair_.a_hat[i][j], kick_[j].data(), x + p_at(i), n_);
      add_scaled(h * pair_.a_hat[i][j], rate_[j].data(), x + s_at(i), states_);
    }
    if (i + 1 < stages_)
      for (std::size_t r = 0; r < m_; ++r) x[l_at(i) + r] = h_ * lambda_[i][r];
  }
}

// Those of the constrained motion at z.
template <class T>
void Lobatto<T>::rates_at(const PhasePoint<T>& z) {
  at_.H_p(z, fresh_.v.data());
  T power(0);
  static_cast<void>(manifold_.multipliers(z, fresh_.v.data(), fresh_.lambda.data(), fresh_.kick.data(), power));
  forcing_.rates(z, fresh_.v.data(), fresh_.lambda.data(), power, fresh_.rate.data());
  at_.G_transposed_times(z, fresh_.lambda.data(), sum_.data());
  for (std::size_t j = 0; j < n_; ++j) fresh_.kick[j] = h_ * (fresh_.kick[j] - sum_[j]);
}

// What rounding leaves of momenta, in units of epsilon: errors of g, of either sign, become multipliers 1/h times as
// large. Nothing smaller can be asked of P. Long chains have many small pivots.
template <class T>
void Lobatto<T>::set_noise(const PhasePoint<T>& z) {
  scales_.evaluate(q_middle_.data(), t_middle_);
  for (std::size_t j = 0; j < n_; ++j) column_[j] = magnitude(z.q[j]) + magnitude(q_middle_[j]);
  scales_.of_positions(column_.data(), t_.back(), row_noise_.data());
  scatter_signs(row_noise_);
  for (T& noise : row_noise_) noise = T(kNoise) * noise / h_;
  manifold_.matrix().solve(row_noise_.data());
  at_.G_transposed_times(middle(), row_noise_.data(), column_.data());
  p_noise_ = largest(column_);
  set_position_noise();
  std::fill(column_.begin(), column_.end(), T(1));
  scales_.balance(column_.data(), row_sizes_.data());
  if (forcing_.uses_multipliers()) s_noise_ = largest(row_noise_);
}

// The same for positions, which otherwise are as good as the largest of them: by what is rounded inside g, where large
// constants cancel.
template <class T>
void Lobatto<T>::set_position_noise() {
  q_noise_ = T(0);
  std::fill(column_.begin(), column_.end(), T(0));
  std::vector<T>& inside = rows_[0];
  scales_.of_positions(column_.data(), T(0), inside.data());
  if (all(largest(inside) == T(0))) return;
  scatter_signs(inside);
  manifold_.matrix().solve(inside.data());
  at_.G_transposed_times(middle(), inside.data(), column_.data());
  at_.H_pp_times(middle(), column_.data(), u_[0].data());
  q_noise_ = T(kNoise) * largest(u_[0]);
}

// The equations at x, into r, and what is at the stages.
template <class T>
void Lobatto<T>::evaluate(const PhasePoint<T>& z, const T* x, T* r) {
  const auto place = [](const std::vector<T>& from, const std::vector<T>& low, const T* change, std::vector<T>& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] + (change[k] + low[k]);
  };
  const std::size_t last = stages_ - 1;
  Q_[0] = z.q;
  for (std::size_t i = 0; i < stages_; ++i) {
    if (i > 0) place(z.q, z.q_low, x + q_at(i), Q_[i]);
    place(z.p, z.p_low, x + p_at(i), P_[i]);
    place(z.s, z.s_low, x + s_at(i), U_[i]);
    const PointRef<T> at = stage(i);
    at_.H_p(at, v_[i].data());
    if (i == last) break;
    for (std::size_t k = 0; k < m_; ++k) lambda_[i][k] = x[l_at(i) + k] / h_;
    T power(0);
    forcing_.force(at, v_[i].data(), lambda_[i].data(), F_.data(), power);
    forcing_.rates(at, v_[i].data(), lambda_[i].data(), power, rate_[i].data());
    at_.G_transposed_times(at, x + l_at(i), c_force_.data());
    for (std::size_t k = 0; k < n_; ++k) kick_[i][k] = h_ * F_[k] - c_force_[k];
  }
  for (std::size_t i = 0; i < stages_; ++i) {
    if (i > 0) {
      combine(pair_.a[i], v_, stages_, sum_.data(), n_);
      for (std::size_t k = 0; k < n_; ++k) r[q_at(i) + k] = x[q_at(i) + k] - h_ * sum_[k];
    }
    combine(pair_.a_hat[i], kick_, last, sum_.data(), n_);
    for (std::size_t k = 0; k < n_; ++k) r[p_at(i) + k] = x[p_at(i) + k] - sum_[k];
    combine(pair_.a_hat[i], rate_, last, sum_.data(), states_);
    for (std::size_t k = 0; k < states_; ++k) r[s_at(i) + k] = x[s_at(i) + k] - h_ * sum_[k];
    if (i == 0 || m_ == 0) continue;
    at_.g(stage(i), r + l_at(i - 1));
  }
}

// r <- the correction of the unknowns; in the place of l_i is the residual of g(Q_{i+1}) before.
template <class T>
void Lobatto<T>::precondition(T* r) {
  const PointRef<T> at = middle();
  const std::size_t last = stages_ - 1;
  // y_i = r_i + h W sum_j a_ij r^p_j
  for (std::size_t i = 1; i < stages_; ++i) {
    std::fill(u_[0].begin(), u_[0].end(), T(0));
    for (std::size_t j = 0; j < stages_; ++j) add_scaled(pair_.a[i][j], r + p_at(j), u_[0].data(), n_);
    at_.H_pp_times(at, u_[0].data(), y_[i].data());
    for (std::size_t k = 0; k < n_; ++k) y_[i][k] = r[q_at(i) + k] + h_ * y_[i][k];
  }
  if (m_ > 0) {
    // h sum_k M_ik R dl_k = G y_i - g_i
    for (std::size_t i = 1; i < stages_; ++i) {
      at_.G_times(at, y_[i].data(), rows_[i].data());
      for (std::size_t k = 0; k < m_; ++k) rows_[i][k] -= r[l_at(i - 1) + k];
    }
    for (std::size_t i = 0; i < last; ++i) {
      T* dl = r + l_at(i);
      std::fill_n(dl, m_, T(0));
      for (std::size_t j = 0; j < last; ++j) add_scaled(pair_.inverse[i][j], rows_[j + 1].data(), dl, m_);
      for (std::size_t k = 0; k < m_; ++k) dl[k] = dl[k] / h_;
      manifold_.matrix().solve(dl);
      at_.G_transposed_times(at, dl, u_[i].data());
    }
    for (std::size_t i = 0; i < stages_; ++i) {
      combine(pair_.a_hat[i], u_, last, sum_.data(), n_);
      for (std::size_t k = 0; k < n_; ++k) r[p_at(i) + k] -= sum_[k];
    }
    for (std::size_t i = 1; i < stages_; ++i) {
      combine(pair_.product[i - 1], u_, last, sum_.data(), n_);
      at_.H_pp_times(at, sum_.data(), F_.data());
      for (std::size_t k = 0; k < n_; ++k) y_[i][k] -= h_ * F_[k];
    }
  }
  for (std::size_t i = 1; i < stages_; ++i) std::copy(y_[i].begin(), y_[i].end(), r + q_at(i));
}

// Coordinates, momenta and states are measured by the largest of their kind, multipliers by what they do to momenta.
template <class T>
void Lobatto<T>::weigh(const PhasePoint<T>& z, const T* x) {
  T* weights = solver_.weights().data();
  const auto weight = [](const T& size) {
    return select(size > T(0), T(1) / max(size, T(std::numeric_limits<double>::min())), T(1));
  };
  const auto kind = [&](const std::vector<T>& at, std::size_t begin, std::size_t count, const T& noise) {
    T most = largest(at);
    for (std::size_t k = begin; k < begin + count; ++k) most = largest_finite(most, x[k]);
    most += noise;
    std::fill_n(weights + begin, count, weight(most));
    return most;
  };
  kind(z.q, 0, p_at(0), q_noise_);
  const T p_size = kind(z.p, p_at(0), l_at(0) - p_at(0), p_noise_);
  kind(z.s, s_at(0), s_at(stages_) - s_at(0), s_noise_);
  for (std::size_t i = 0; i + 1 < stages_; ++i)
    for (std::size_t r = 0; r < m_; ++r)
      weights[l_at(i) + r] = weight(p_size * row_sizes_[r] + magnitude(row_noise_[r]));
}

// The last stage is on the constraints up to rounding errors, which are taken away. Derivatives have theirs, too; but
// to change dq alone is no symplectic map, and the next step meets its conditions again.
template <class T>
auto Lobatto<T>::remove_rounding(PhasePoint<T>& z) {
  if constexpr (is_dual<T>) {
    std::copy(z.q.begin(), z.q.end(), sum_.begin());
    std::copy(z.q_low.begin(), z.q_low.end(), column_.begin());
    const auto report = manifold_.project_position(z);
    for (std::size_t k = 0; k < n_; ++k)
      for (int i = 0; i < T::kTangents; ++i) {
        z.q[k].d[i] = sum_[k].d[i];
        z.q_low[k].d[i] = column_[k].d[i];
      }
    return report;
  } else {
    return manifold_.project_position(z);
  }
}

// The end of the step from its stages.
template <class T>
bool Lobatto<T>::end(const PhasePoint<T>& z, StepReport<T>& report) {
  const std::size_t last = stages_ - 1;
  combine(pair_.b, v_, stages_, sum_.data(), n_);
  for (std::size_t k = 0; k < n_; ++k) {
    end_.q_low[k] = z.q_low[k];
    end_.q[k] = add_compensated(z.q[k], h_ * sum_[k], end_.q_low[k]);
  }
  end_.p = P_[last];
  end_.t = t_end_;
  const auto position = remove_rounding(end_);
  fail_lanes(report, !position.converged, StepStatus::position_solve_failed, position.residual);
  if (!any(report.ok)) return false;

  combine(pair_.b, kick_, last, column_.data(), n_);
  const PointRef<T> at(end_.q.data(), P_[last].data(), U_[last].data(), t_[last]);
  if (!end_kick_.solve(z.p, z.p_low, column_, at, h_ * T(pair_.b[last]), report)) return false;
  kick_[last] = end_kick_.last_kick();
  for (T& entry : kick_[last]) entry = entry / T(pair_.b[last]);
  lambda_[last] = end_kick_.lambda();
  forcing_.rates(at, end_kick_.velocity().data(), lambda_[last].data(), end_kick_.power(), rate_[last].data());
  Mask<T> finite(true);
  for (std::size_t k = 0; k < end_.s.size(); ++k) {
    T sum(0);
    for (std::size_t j = 0; j < stages_; ++j) sum += T(pair_.b[j]) * rate_[j][k];
    end_.s_low[k] = z.s_low[k];
    end_.s[k] = add_compensated(z.s[k], h_ * sum, end_.s_low[k]);
    finite = finite & isfinite(end_.s[k]);
  }
  for (std::size_t k = 0; k < n_; ++k) finite = finite & isfinite(end_.q[k]) & isfinite(end_kick_.P()[k]);
  fail_lanes(report, !finite, StepStatus::not_finite, T(infinity<T>()));
  return any(report.ok);
}

template <class T>
void Lobatto<T>::commit(PhasePoint<T>& z, Number h, const StepReport<T>& report) {
  take_lanes(report.ok, end_.q, z.q);
  take_lanes(report.ok, end_kick_.P(), z.p);
  take_lanes(report.ok, end_.s, z.s);
  take_lanes(report.ok, end_.q_low, z.q_low);
  take_lanes(report.ok, end_kick_.P_low(), z.p_low);
  take_lanes(report.ok, end_.s_low, z.s_low);
  z.advance_time(h);
  z.revision = known_revision_ = next_revision_();
  has_history_ = report.ok;
  last_h_ = h;
}

COTANGENT_INSTANTIATE(NUMBERS, Lobatto);

}  // namespace cotangent
