#include "cotangent/integrator/hem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

MethodFacts hem_facts(int order) {
  return {.name = fmt::format("hem{}", order),
          .kind = "constrained",
          .description = fmt::format("half-explicit Runge-Kutta method with {} stages", hem_tableau(order).size()),
          .order = order,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = "every system but those with forces or states that depend on multipliers",
          .reference = "brasey-hairer93"};
}

HalfExplicitTableau hem_tableau(int order) {
  const Quad one = 1, root = sqrt(Quad(6));
  if (order == 3) return {{one / 3}, {-1, 2}, {0, one * 3 / 4, one / 4}};
  // Radau's quadrature of three nodes behind two stages that are needed to begin with.
  if (order == 4)
    return {{one * 3 / 10},
            {(1 + root) / 30, (11 - 4 * root) / 30},
            {(-79 - 31 * root) / 150, (-1 - 4 * root) / 30, (24 + 11 * root) / 25},
            {(14 + 5 * root) / 6, (-8 + 7 * root) / 6, (-9 - 7 * root) / 4, (9 - root) / 4},
            {0, 0, (16 - root) / 36, (16 + root) / 36, one / 9}};
  // Published with 16 digits. These have all: a_21, a_31, a_32, a_43, a_62, a_86 and the nodes 1/2 and 4/5 are as they
  // were, and the others follow from the order conditions.
  return {{0.1Q},
          {0.0375Q, 0.1125Q},
          {0.32221692362161911818325279595368512519Q, -1.18888332298762760640328803882793647725Q, 1.228145134023366Q},
          {-0.03501123898130827098231302968012644444Q, 0.37254206010864427184531668234292263586Q,
           -0.27210535355822595082000102398552601946Q, 0.01993037578575224988232876348231520432Q},
          {-0.55765470550419778537974694316431308982Q, 1.367307289645883Q, -1.73223636046066653663176370004265863588Q,
           0.4587772007467585714153424476848117798Q, 0.9638065755722227505961681955221599459Q},
          {0.08654517193564548950179447135594388606Q, -0.08810082847946025014624528403075452419Q,
           0.1981275547329101229232811385562583053Q, -0.46454226793310090812203399881979428641Q,
           0.16151700911100286250586805610219744553Q, 0.90645336063300268333733561683614917371Q},
          {0, 0, 0, 3.62447724875384089175203885746865873114Q, -0.46177241891832595937560653555881528234Q,
           -3.198024628164272Q, 1.03531979832875706762356767809015655119Q},
          {0, 0, 0, 0.24677606676367967154226796766754445877Q, 0.21065940874896855637271109211309330899Q,
           0.17692181491250470710533990471788857451Q, 0.30644464441479396698430003295415951557Q,
           0.05919806516005309799538100254731414216Q}};
}

template <class T>
HalfExplicit<T>::HalfExplicit(MethodFacts facts, const HalfExplicitTableau& tableau, Manifold<T>& manifold)
    : Integrator<T>(std::move(facts)),
      manifold_(manifold),
      forcing_(manifold.forcing()),
      H_p_(manifold.system().H_p()),
      H_pp_times_(manifold.system().H_pp_times()),
      G_transposed_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      n_(static_cast<std::size_t>(manifold.system().n())),
      m_(static_cast<std::size_t>(manifold.system().m())),
      residuals_(manifold),
      t_(tableau.size() + 1, T(0)),
      Q_(tableau.size() + 1, std::vector<T>(n_, T(0))),
      P_(Q_),
      S_(tableau.size() + 1, std::vector<T>(static_cast<std::size_t>(manifold.system().state_count()), T(0))),
      q_rate_(Q_),
      p_rate_(Q_),
      s_rate_(S_),
      v_(n_, T(0)),
      F_(v_),
      c_force_(v_),
      shift_(v_),
      increment_(std::max(n_, S_[0].size()), T(0)),
      sizes_(v_),
      mu_(m_, T(0)),
      lambda_(mu_),
      rows_(mu_),
      norms_(2, T(0)),
      Q_low_(v_),
      P_low_(v_),
      S_low_(S_[0]) {
  frame_.out[out::norms] = norms_.data();
  if (forcing_.uses_multipliers())
    throw std::invalid_argument(fmt::format(
        "{} does not take forces or states that depend on multipliers: use rattle or lobatto:3", this->facts().name));
  c_.push_back(0);
  for (const auto& row : tableau) {
    Quad sum = 0;
    a_.emplace_back();
    for (const Quad& entry : row) {
      sum += entry;
      a_.back().push_back(static_cast<Number>(entry));
    }
    c_.push_back(static_cast<Number>(sum));
  }
}

template <class T>
void HalfExplicit<T>::G_transposed_times(std::size_t j, const std::vector<T>& u, std::vector<T>& out) {
  frame_.in[in::q] = Q_[j].data();
  frame_.in[in::p] = P_[j].data();
  frame_.in[in::t] = &t_[j];
  frame_.in[in::weights] = u.data();
  frame_.out[out::result] = out.data();
  G_transposed_times_(frame_);
}

template <class T>
StepReport<T> HalfExplicit<T>::step(PhasePoint<T>& z, Number h) {
  StepReport<T> report;
  const std::size_t stages = a_.size();
  h_ = T(h);
  for (std::size_t j = 0; j < stages; ++j) t_[j] = T(z.t + c_[j] * h);
  t_[stages] = T(z.time_after(h));
  Q_[0] = z.q;
  P_[0] = z.p;
  S_[0] = z.s;
  for (std::size_t j = 0; j < stages; ++j)
    if (!make_stage(z, j, report)) return report;
  Mask<T> finite(true);
  for (const auto* part : {&Q_[stages], &P_[stages], &S_[stages]})
    for (const T& entry : *part) finite = finite & isfinite(entry);
  fail_lanes(report, !finite, StepStatus::not_finite, T(infinity<T>()));
  if (!any(report.ok)) return report;

  take_lanes(report.ok, Q_[stages], z.q);
  take_lanes(report.ok, P_[stages], z.p);
  take_lanes(report.ok, S_[stages], z.s);
  take_lanes(report.ok, Q_low_, z.q_low);
  take_lanes(report.ok, P_low_, z.p_low);
  take_lanes(report.ok, S_low_, z.s_low);
  z.advance_time(h);
  z.revision = next_revision_();
  return report;
}

// From stage j, which is known, to the next one: the multipliers of j.
template <class T>
bool HalfExplicit<T>::make_stage(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report) {
  frame_.in[in::q] = Q_[j].data();
  frame_.in[in::p] = P_[j].data();
  frame_.in[in::t] = &t_[j];
  frame_.out[out::result] = v_.data();
  H_p_(frame_);
  std::fill(mu_.begin(), mu_.end(), T(0));
  std::fill(lambda_.begin(), lambda_.end(), T(0));
  T power(0);
  forcing_.force(point(j), v_.data(), lambda_.data(), F_.data(), power);
  ++report.evaluations;
  if (!solve_position(z, j, report) || !solve_momentum(z, j, report)) return false;
  forcing_.rates(point(j), v_.data(), lambda_.data(), power, s_rate_[j].data());
  for (std::size_t k = 0; k < S_low_.size(); ++k) {
    T sum(0);
    for (std::size_t i = 0; i <= j; ++i) sum += T(a_[j][i]) * s_rate_[i][k];
    S_low_[k] = z.s_low[k];
    S_[j + 1][k] = add_compensated(z.s[k], h_ * sum, S_low_[k]);
  }
  return true;
}

template <class T>
bool HalfExplicit<T>::solve_position(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report) {
  std::vector<T>& Q = Q_[j + 1];
  const auto place = [&] {
    if (m_ > 0) {
      G_transposed_times(j, mu_, c_force_);
      frame_.in[in::a_p] = c_force_.data();
      frame_.out[out::result] = shift_.data();
      H_pp_times_(frame_);
    }
    for (std::size_t k = 0; k < n_; ++k) {
      q_rate_[j][k] = v_[k] - shift_[k];
      T sum(0);
      for (std::size_t i = 0; i <= j; ++i) sum += T(a_[j][i]) * q_rate_[i][k];
      sizes_[k] = abs(z.q[k]) + abs(h_ * sum);
      Q_low_[k] = z.q_low[k];
      Q[k] = add_compensated(z.q[k], h_ * sum, Q_low_[k]);
    }
  };
  place();
  if (m_ == 0) return true;
  residuals_.take_gradients(Q.data(), t_[j + 1]);
  return solve_rows([&] { return residuals_.position(Q.data(), t_[j + 1], sizes_.data(), rows_.data()); },
                    [&](const Mask<T>& active) {
                      static_cast<void>(manifold_.matrix().factor_newton(Q.data(), t_[j + 1], point(j)));
                      manifold_.matrix().solve(rows_.data());
                      for (std::size_t r = 0; r < m_; ++r)
                        mu_[r] += select(active, rows_[r] / (h_ * T(a_[j][j])), T(0));
                      place();
                    },
                    StepStatus::position_solve_failed, report);
}

template <class T>
bool HalfExplicit<T>::solve_momentum(const PhasePoint<T>& z, std::size_t j, StepReport<T>& report) {
  std::vector<T>& P = P_[j + 1];
  const T weight = h_ * T(a_[j][j]);
  const auto place = [&] {
    if (m_ > 0) G_transposed_times(j, lambda_, c_force_);
    for (std::size_t k = 0; k < n_; ++k) {
      p_rate_[j][k] = F_[k] - c_force_[k];
      T sum(0);
      for (std::size_t i = 0; i <= j; ++i) sum += T(a_[j][i]) * p_rate_[i][k];
      sizes_[k] = abs(z.p[k]) + abs(h_ * sum) + abs(weight * F_[k]) + abs(weight * c_force_[k]);
      P_low_[k] = z.p_low[k];
      P[k] = add_compensated(z.p[k], h_ * sum, P_low_[k]);
    }
  };
  place();
  if (m_ == 0) return true;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> singular = !matrix.factor_newton(Q_[j + 1].data(), t_[j + 1], point(j)).regular;
  if (any(report.ok & singular)) fail_singular_lanes(report, singular, matrix, T(0));
  return solve_rows(
      [&] {
        for (std::size_t r = 0; r < m_; ++r) mu_[r] = weight * lambda_[r];
        return residuals_.momentum(point(j + 1), sizes_.data(), mu_.data(), rows_.data());
      },
      [&](const Mask<T>& active) {
        matrix.solve(rows_.data());
        for (std::size_t r = 0; r < m_; ++r) lambda_[r] += select(active, rows_[r] / weight, T(0));
        place();
      },
      StepStatus::momentum_solve_failed, report);
}

COTANGENT_INSTANTIATE(NUMBERS, HalfExplicit);

}  // namespace cotangent
