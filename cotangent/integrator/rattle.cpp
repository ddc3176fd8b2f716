#include "cotangent/integrator/rattle.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cotangent {
namespace {

// An iteration that contracts less than this gets a new matrix.
constexpr double kSlowContraction = 0.2;

}  // namespace

MethodFacts rattle_facts() {
  return {.name = "rattle",
          .description = "symplectic and symmetric on the constraint manifold; explicit but for the multipliers",
          .order = 2,
          .symmetric = true,
          .symplectic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = "H = T(p) + V(q)",
          .reference = "andersen83"};
}

template <class T>
std::unique_ptr<Integrator<T>> make_rattle(Manifold<T>& manifold) {
  auto& system = manifold.system();
  if (!system.is_separable())
    throw std::invalid_argument(
        "rattle: H is not of the form T(p) + V(q), so its kicks would not be explicit; use the method rk4");
  if (const auto& coupling = manifold.matrix().plan(); coupling && system.has_homogeneous_mass()) {
    if (const auto plan = plan_rattle(system.elements(), system.builder(), *coupling, system.uniform_mass()))
      return std::make_unique<Rattle<T, RattleKernels<T>>>(manifold, *plan);
  }
  return std::make_unique<Rattle<T, RattleOperations<T>>>(manifold);
}

template <class T, class Stages>
template <class... Arguments>
Rattle<T, Stages>::Rattle(Manifold<T>& manifold, const Arguments&... arguments)
    : Integrator<T>(rattle_facts()),
      manifold_(manifold),
      matrix_(manifold.matrix()),
      work_(static_cast<std::size_t>(manifold.system().n()), static_cast<std::size_t>(manifold.system().m())),
      stages_(manifold, work_, arguments...),
      w_(work_.l),
      w_before_(work_.l) {}

template <class T, class Stages>
StepReport<T> Rattle<T, Stages>::step(PhasePoint<T>& z, LaneOf<T> h) {
  StepReport<T> report;
  prepare(z, h);
  known_revision_ = 0;  // until the step has succeeded
  if (solve_position(h, report) && solve_momentum(report)) commit(z, h, report.ok);
  return report;
}

// H_q(q) and a guess for l: kept from the last step, or found anew.
template <class T, class Stages>
void Rattle<T, Stages>::prepare(const PhasePoint<T>& z, LaneOf<T> h) {
  stages_.begin(z, h);
  if (z.revision != known_revision_) {
    history_ = 0;
    g_scale_ = manifold_.position_residual(z.q.data()).level * T(1 / epsilon<T>());
    psi_scale_ = manifold_.momentum_residual(z.q.data(), z.p.data()).level * T(1 / epsilon<T>());
    stages_.force();
  }
  if (h != last_h_) history_ = 0;
  last_h_ = h;
  predict();
}

template <class T, class Stages>
void Rattle<T, Stages>::predict() {
  const std::size_t rows = work_.l.size();
  T* l = work_.l.data();
  const T *m = work_.m.data(), *w = w_.data(), *w_before = w_before_.data();
  switch (history_) {
    case 0: std::fill_n(l, rows, T(0)); break;
    case 1: std::copy_n(m, rows, l); break;
    case 2:
      for (std::size_t r = 0; r < rows; ++r) l[r] = m[r] + w[r];
      break;
    default:
      for (std::size_t r = 0; r < rows; ++r) l[r] = m[r] + (T(2) * w[r] - w_before[r]);
  }
}

template <class T, class Stages>
bool Rattle<T, Stages>::solve_position(LaneOf<T> h, StepReport<T>& report) {
  const std::size_t rows = work_.l.size();
  if (rows == 0) {
    stages_.drift();
    return true;
  }
  const T per_step(1 / h);
  RoundingStop<T> stop;
  bool new_matrix = true;
  while (true) {
    stages_.drift();
    stages_.position(new_matrix);
    report.tolerance = T(epsilon<T>()) * (g_scale_ + work_.norms[RattlePlan::position_scale]);
    if (!stop.update(work_.norms[RattlePlan::residual], report.tolerance)) break;

    if (new_matrix) {
      const auto factor = stages_.factor_newton();
      if (!all(factor.regular | !stop.active())) return end_singular(factor.regular, report);
    }
    matrix_.solve(work_.rows.data());
    for (std::size_t r = 0; r < rows; ++r)
      work_.l[r] += select(stop.active(), work_.rows[r] * per_step, T(0));
    new_matrix = stop.iterations() > 1 && any(stop.active() & (stop.contraction() > T(kSlowContraction)));
  }

  // For the next guess: w = l - m, where m is still that of the last step.
  std::swap(w_, w_before_);
  for (std::size_t r = 0; r < rows; ++r) w_[r] = work_.l[r] - work_.m[r];
  return end_solve(stop, StepStatus::position_solve_failed, report);
}

// From p' to P: the second kick, and the multipliers that project it onto G H_p = 0.
template <class T, class Stages>
bool Rattle<T, Stages>::solve_momentum(StepReport<T>& report) {
  stages_.kick();
  const std::size_t rows = work_.m.size();
  if (rows == 0) {
    stages_.project();
    return true;
  }
  RoundingStop<T> stop;
  T level(0);
  while (true) {
    const bool first = stop.iterations() == 0;
    stages_.momentum(first);
    if (first) {
      // P may be much smaller than what it is the sum of: the level is that of the summands, -G(Q)'m among them.
      level = T(epsilon<T>()) * (work_.norms[RattlePlan::momentum_scale] + psi_scale_);
      psi_scale_ = work_.norms[RattlePlan::momentum_scale];
      g_scale_ = work_.norms[RattlePlan::position_scale];
    }
    report.tolerance = level;
    // P has to be projected once even if its residual is small already.
    if (!stop.update(work_.norms[RattlePlan::residual], level) && !first) break;

    if (first || !Stages::kMatrixIsConstant) {
      const auto factor = stages_.factor();
      if (!all(factor.regular)) return end_singular(factor.regular, report);
    }
    matrix_.solve(work_.rows.data());
    if (first) {
      std::copy(work_.rows.begin(), work_.rows.end(), work_.m.begin());
      level += T(epsilon<T>()) * stages_.reaction_scale();
    } else {
      for (std::size_t r = 0; r < rows; ++r) {
        work_.rows[r] = select(stop.active(), work_.rows[r], T(0));
        work_.m[r] += work_.rows[r];
      }
    }
    stages_.project();
  }
  return end_solve(stop, StepStatus::momentum_solve_failed, report);
}

// Lanes that failed stay where they were; the step goes on if some lane is left.
template <class T, class Stages>
bool Rattle<T, Stages>::end_solve(const RoundingStop<T>& stop, StepStatus failure, StepReport<T>& report) {
  report.iterations += stop.iterations() - 1;
  if (any(report.ok & !stop.converged())) {
    report.status = all(isfinite(stop.residual())) ? failure : StepStatus::not_finite;
    report.ok = report.ok & stop.converged();
    report.residual = stop.residual();
    return any(report.ok);
  }
  if (report.status == StepStatus::ok) report.residual = max(report.residual, stop.residual());
  return true;
}

template <class T, class Stages>
bool Rattle<T, Stages>::end_singular(const Mask<T>& regular, StepReport<T>& report) {
  report.status = StepStatus::singular_constraints;
  report.ok = Mask<T>(false);
  report.residual = work_.norms[RattlePlan::residual];
  for (int i = 0; i < lane_count<T> && report.row < 0; ++i)
    if (!lane(regular, i)) report.row = matrix_.worst_row(i);
  return false;
}

template <class T, class Stages>
void Rattle<T, Stages>::commit(PhasePoint<T>& z, LaneOf<T> h, const Mask<T>& ok) {
  const bool all_ok = all(ok);
  if (!all_ok) {
    const auto keep = [&](std::vector<T>& target, const std::vector<T>& source) {
      for (std::size_t j = 0; j < target.size(); ++j) target[j] = select(ok, target[j], source[j]);
    };
    keep(work_.Q, z.q);
    keep(work_.P, z.p);
    keep(work_.Q_low, z.q_low);
    keep(work_.P_low, z.p_low);
  }
  std::swap(z.q, work_.Q);
  std::swap(z.p, work_.P);
  std::swap(z.q_low, work_.Q_low);
  std::swap(z.p_low, work_.P_low);
  std::swap(work_.f, work_.F);
  history_ = std::min(history_ + 1, 3);
  z.t += h;
  z.revision = next_revision_();
  // A lane that was left behind spoils what is known for the next step.
  known_revision_ = all_ok ? z.revision : 0;
}

template std::unique_ptr<Integrator<double>> make_rattle(Manifold<double>&);
template std::unique_ptr<Integrator<long double>> make_rattle(Manifold<long double>&);
template std::unique_ptr<Integrator<Quad>> make_rattle(Manifold<Quad>&);
template std::unique_ptr<Integrator<Lanes>> make_rattle(Manifold<Lanes>&);

}  // namespace cotangent
