#include "cotangent/integrator/rattle/rattle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/rattle/implicit_rattle.hpp"
#include "cotangent/integrator/take_lanes.hpp"
#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {
namespace {

// Derivatives of g that are within so many times the level of g, in their units, are rounding errors.
constexpr double kTangentLevel = 4;

// Steps after which m, w and w_before are known.
constexpr int kFullHistory = 3;

}  // namespace

MethodFacts rattle_facts() {
  return {.name = "rattle",
          .kind = MethodKind::constrained,
          .description = "symplectic, symmetric; explicit but for the multipliers where H = T(p) + V(q)",
          .order = 2,
          .symmetric = true,
          .symplectic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = "every system",
          .reference = "andersen83"};
}

template <class T>
std::unique_ptr<Integrator<T>> make_rattle(Manifold<T>& manifold) {
  auto& system = manifold.system();
  if (!system.is_separable() || system.state_count() > 0) return std::make_unique<ImplicitRattle<T>>(manifold);
  if (const auto& code = rattle_code(manifold)) return std::make_unique<Rattle<T, RattleKernels<T>>>(manifold, *code);
  return std::make_unique<Rattle<T, RattleOperations<T>>>(manifold);
}

template <class T, class Stages>
template <class... Code>
Rattle<T, Stages>::Rattle(Manifold<T>& manifold, const Code&... code)
    : Integrator<T>(rattle_facts()),
      manifold_(manifold),
      matrix_(manifold.matrix()),
      work_{static_cast<std::size_t>(manifold.system().n()), static_cast<std::size_t>(manifold.system().m())},
      stages_(manifold, work_, code...),
      looped_(manifold.system().n()),
      has_free_(!manifold.system().elements().free_coordinates().empty()) {
  (use_loop(code), ...);
  lay_out(rescaled_);
  lay_out(looped_.remember(this->id()));
}

template <class T, class Stages>
void Rattle<T, Stages>::lay_out(Memory<T>& memory) const {
  memory.lay_out({work_.n, work_.m_rows, work_.m_rows, work_.m_rows, 1});
}

template <class T, class Stages>
StepReport<T> Rattle<T, Stages>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  const Memory<T>& memory = z.memory(this->id());
  if (!loop_applies(memory, h)) return iterated_step(z, h, end);
  Point<T>& looped = lane_count<T> > 1 ? looped_ : end;
  Memory<T>& after = looped.remember(this->id());
  lay_out(after);
  const Mask<T> by_loop = loop_->once(z, memory, h, looped.adjust(), after);
  StepReport<T> report;
  if (all(by_loop)) {
    if (1 < lane_count<T>) swap(end, looped_), end.begin_from(z);
    report.iterations = 2;
    report.evaluations = 1;
    PhasePoint<T>& Z = end.adjust();
    Z.t = z->t + h;
    Z.t_low = z->t_low;
    Memory<T>& now = end.remember(this->id());
    now.depth = kFullHistory;
    now.h = now.h_before = h;
    return report;
  }
  report = iterated_step(z, h, end);
  if (1 < lane_count<T>) mix(by_loop, report, end);
  return report;
}

template <class T, class Stages>
StepReport<T> Rattle<T, Stages>::advance(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done) {
  StepReport<T> report;
  std::int64_t iterations = 0, evaluations = 0;
  for (done = 0; done < steps;) {
    if (loop_applies(z.memory(this->id()), h)) {
      done += advance_by_loop(z, h, steps - done, nullptr, report);
      iterations += report.iterations;
      evaluations += report.evaluations;
      if (done == steps) break;
    }
    // A trajectory alone either makes its step or stays as it is: that needs no other point.
    report = lane_count<T> > 1 ? this->go(z, h) : iterated_step(z, h, z);
    iterations += report.iterations;
    evaluations += report.evaluations;
    if (report.status != StepStatus::ok) break;
    ++done;
  }
  report.iterations = iterations;
  report.evaluations = evaluations;
  return report;
}

template <class T, class Stages>
std::int64_t Rattle<T, Stages>::advance_by_loop(Point<T>& z, LaneOf<T> h, std::int64_t steps, StepWatch<T>* watch,
                                                StepReport<T>& report) {
  PhasePoint<T>& state = z.adjust();
  const std::int64_t made = loop_->advance(state, z.remember(this->id()), h, steps, watch);
  state.t += static_cast<LaneOf<T>>(made) * h;
  report = {};
  // A correction of l and a projection of P in each of them.
  report.iterations = 2 * made;
  report.evaluations = made;
  return made;
}

template <class T, class Stages>
bool Rattle<T, Stages>::can_watch() {
  if (!loop_ || is_dual<T>) return false;
  if (const auto& loop = watched_rattle_loop(manifold_); loop.kernel.valid()) loop_->set_watched(loop);
  return loop_->can_watch();
}

template <class T, class Stages>
StepReport<T> Rattle<T, Stages>::advance_watched(Point<T>& z, LaneOf<T> h, std::int64_t steps, std::int64_t& done,
                                                 StepWatch<T>& watch) {
  StepReport<T> report;
  done = loop_->can_watch() && loop_applies(z.memory(this->id()), h) ? advance_by_loop(z, h, steps, &watch, report) : 0;
  return report;
}

template <class T, class Stages>
bool Rattle<T, Stages>::loop_applies(const Memory<T>& memory, LaneOf<T> h) const {
  return loop_ && matrix_.nullity() == 0 && memory.depth == kFullHistory && h == memory.h && h == memory.h_before;
}

// A batch in which some lanes need iteration: the others must not notice.
template <class T, class Stages>
void Rattle<T, Stages>::mix(const Mask<T>& by_loop, StepReport<T>& report, Point<T>& end) const {
  take_lanes(by_loop, looped_.state(), end.adjust());
  auto& numbers = end.remember(this->id()).numbers;
  const auto& looped = looped_.memory(this->id()).numbers;
  for (std::size_t k = 0; k < numbers.size(); ++k) take_lanes<T>(by_loop, looped[k], numbers[k]);
  report.ok = report.ok | by_loop;
  if (all(report.ok)) report.status = StepStatus::ok;
}

template <class T, class Stages>
StepReport<T> Rattle<T, Stages>::iterated_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report;
  prepare(z, h);
  report.evaluations = 1;
  if (solve_position(z, h, report) && solve_momentum(report) && (!has_free_ || is_finite(report)))
    commit(z, h, report.ok, end);
  return report;
}

// H_q(q) and a guess for l: kept from the last step, or found anew.
template <class T, class Stages>
void Rattle<T, Stages>::prepare(const Point<T>& z, LaneOf<T> h) {
  stages_.begin(z, h);
  const Memory<T>& memory = z.memory(this->id());
  history_ = memory.depth;
  before_ = &memory.numbers;
  if (history_ == 0) {
    stages_.force();
    work_.f = &work_.first_f;
    for (const auto number : {M::m, M::w, M::w_before})
      std::fill(rescaled_.numbers[number].begin(), rescaled_.numbers[number].end(), T(0));
    before_ = &rescaled_.numbers;
  } else {
    work_.f = &memory.numbers[M::f];
    work_.scale = memory.numbers[M::scale][0];
    if (!(h == memory.h && memory.h == memory.h_before)) rescale(memory, h);
  }
  predict();
}

// What was kept of steps h0, h1, for a step h. With lambda at their border l = h/2 (lambda + a h), m = h1/2 (lambda - a
// h1) up to higher powers, so that m is proportional to h1, and w = l - m h/h1 to h (h + h1). The line through w_before
// and w goes on from the last step, h1 long, by h1/h0 of their difference.
template <class T, class Stages>
void Rattle<T, Stages>::rescale(const Memory<T>& from, LaneOf<T> h) {
  const LaneOf<T> h1 = from.h, h0 = from.h_before;
  // Where two steps nearly cancel, or one is much longer than the one before, there is nothing to learn.
  if (history_ > 1 && !(abs(h1 + h0) >= abs(h1) / 4)) history_ = 1;
  if (history_ > 2 && !(abs(h1) <= 4 * abs(h0))) history_ = 2;
  for (const auto number : {M::m, M::w, M::w_before}) rescaled_.numbers[number] = from.numbers[number];
  before_ = &rescaled_.numbers;
  const T of_m(h / h1), of_w((h * (h + h1)) / (h1 * (h1 + h0))), further(h1 / h0);
  std::vector<T>&m = rescaled_.numbers[M::m], &w = rescaled_.numbers[M::w], &w_before = rescaled_.numbers[M::w_before];
  for (std::size_t r = 0; r < m.size(); ++r) {
    const T change = w[r] - w_before[r];
    m[r] *= of_m;
    w[r] = history_ > 1 ? of_w * w[r] : T(0);
    w_before[r] = history_ > 2 ? w[r] - of_w * further * change : w[r];
  }
}

// What is not known yet is zero, and w_before is w.
template <class T, class Stages>
void Rattle<T, Stages>::predict() {
  const T *m = (*before_)[M::m].data(), *w = (*before_)[M::w].data(), *w_before = (*before_)[M::w_before].data();
  T* const l = work_.l.data();
  // m is the smallest there is. Of dependent constraints w may have a part that has no effect: continued, it would
  // grow, and with it what rounding leaves of G'l.
  const bool continues = matrix_.nullity() == 0;
  if (!continues) return static_cast<void>(std::copy_n(m, work_.l.size(), l));
  for_packs<T>(work_.l.size(), [&]<class V>(V, std::size_t r) {
    const V w_r = load<V>(w + r);
    store(load<V>(m + r) + ((w_r + w_r) - load<V>(w_before + r)), l + r);
  });
}

template <class T, class Stages>
bool Rattle<T, Stages>::solve_position(const PhasePoint<T>& z, LaneOf<T> h, StepReport<T>& report) {
  const std::size_t rows = work_.l.size();
  if (rows == 0) {
    stages_.drift();
    return true;
  }
  // The first multiplier is a guess, which will be corrected.
  bool is_trial = true;
  const T per_step(1 / h);
  RoundingStop<T> stop;
  FactorReport<T> factor{};
  bool is_factored = false;
  while (true) {
    is_trial ? stages_.try_drift() : stages_.drift();
    // Q may be much smaller than what it is the sum of, on y = 0 say: then the level is that of h W G'l.
    T reaction_level(0);
    // Before K is factored the matrix is that of another step.
    if (is_factored && !all(work_.norms[RattlePlan::excess] <= T(0)))
      reaction_level = T(kZeroUnits * epsilon<T>()) * abs(T(h)) * stages_.reaction_scale(work_.l);
    if constexpr (is_dual<T>) {
      if (position_tangents_hold(reaction_level)) stop.know_tangents();
    }
    if (!update(stop, reaction_level, T(0), report)) break;
    is_trial = false;

    // Where only derivatives are left to be corrected K is known well enough.
    if (!(stop.is_repeating() && is_factored)) factor = stages_.factor_newton();
    is_factored = true;
    if (!all(factor.regular | !stop.active())) {
      // A long step leads to where K is singular; that is no fault of the constraints unless R is so where it began.
      const Mask<T> start_regular = matrix_.factor(z).regular;
      const StepStatus failure =
          all(start_regular) ? StepStatus::position_solve_failed : StepStatus::singular_constraints;
      if (!drop(factor.regular, failure, stop, report)) return false;
      static_cast<void>(stages_.factor_newton());
    }
    matrix_.solve(work_.rows.data());
    T* const l = work_.l.data();
    const T* const corrections = work_.rows.data();
    if (all(stop.active())) {
      for_packs<T>(rows, [&]<class V>(V, std::size_t r) {
        store(load<V>(l + r) + load<V>(corrections + r) * V(per_step), l + r);
      });
    } else {
      for (std::size_t r = 0; r < rows; ++r) l[r] += select(stop.active(), corrections[r] * per_step, T(0));
    }
  }
  if (is_trial) stages_.finish_drift();
  return end_solve(stop, StepStatus::position_solve_failed, report);
}

// Over dual numbers: whether g(Q) has converged, and its derivatives are no more than what rounding leaves of them.
// With l guessed well, that is so after one correction for both.
template <class T, class Stages>
bool Rattle<T, Stages>::position_tangents_hold(const T& extra_level) const {
  const double residual = work_.norms[RattlePlan::residual].value, excess = work_.norms[RattlePlan::excess].value;
  const double level = std::max(residual - excess, extra_level.value);
  if (!(residual <= level)) return false;
  // The level of derivatives is to that of g as dQ is to Q.
  double size = 0, moves = 0;
  for (const T& q : work_.Q) {
    size = std::max(size, std::abs(q.value));
    for (int k = 0; k < T::kTangents; ++k) moves = std::max(moves, std::abs(q.d[k]));
  }
  const double most = kTangentLevel * level * moves;
  for (const T& row : work_.rows)
    for (int k = 0; k < T::kTangents; ++k)
      if (!(std::abs(row.d[k]) * size <= most)) return false;
  return true;
}

// From p' to P: the second kick, and the multipliers that project it onto G H_p = 0.
template <class T, class Stages>
bool Rattle<T, Stages>::solve_momentum(StepReport<T>& report) {
  stages_.kick();
  std::vector<T>& m = work_.m;
  const std::size_t rows = m.size();
  if (rows == 0) {
    stages_.project(m);
    return true;
  }
  RoundingStop<T> stop;
  stop.fail(!report.ok);
  // One linear solve finds derivatives with the values.
  if (Stages::has_constant_matrix()) stop.know_tangents();
  const auto factor = stages_.factor();
  if (!drop(factor.regular, StepStatus::singular_constraints, stop, report)) return false;
  matrix_.solve(work_.rows.data());
  std::swap(m, work_.rows);
  stages_.project(m);
  // P may be much smaller than what it is the sum of: the rounding level includes that of -G(Q)'m.
  T reaction_level(0);
  if (!all(work_.norms[RattlePlan::excess] <= T(0)))
    reaction_level = T(kZeroUnits * epsilon<T>()) * stages_.reaction_scale(m);

  // One projection where H is quadratic in p, but for rounding errors.
  T loose_level(0);
  while (update(stop, reaction_level, loose_level, report)) {
    if (stop.iterations() == 1) loose_level = loose_momentum_level();
    if (!Stages::has_constant_matrix()) {
      const auto again = stages_.factor();
      if (!drop(again.regular, StepStatus::singular_constraints, stop, report)) return false;
    }
    matrix_.solve(work_.rows.data());
    T *const corrections = work_.rows.data(), *const sum = m.data();
    for (std::size_t r = 0; r < rows && !all(stop.active()); ++r)
      corrections[r] = select(stop.active(), corrections[r], T(0));
    for_packs<T>(rows, [&]<class V>(V, std::size_t r) { store(load<V>(sum + r) + load<V>(corrections + r), sum + r); });
    std::swap(work_.corrections, work_.rows);
    stages_.project(work_.corrections);
  }
  return end_solve(stop, StepStatus::momentum_solve_failed, report);
}

// A rounding level of G H_p(P) with p, P and h/2 H_q(Q), of which p' is made, all as large as the largest of them, by
// the inequality |G H_pp x|_r <= sqrt(R_rr x'H_pp x). Rows that depend on others keep what no multiplier can take away:
// Q is on the manifold up to rounding errors of q, and as far as it is not, P as it was found violates them. Where
// terms are small that are added up in such a row, as all are in the lowest position of a pendulum, this exceeds its
// own level.
template <class T, class Stages>
T Rattle<T, Stages>::loose_momentum_level() {
  T largest(0);
  for (std::size_t r = 0; r < work_.rows.size(); ++r) largest = max(largest, matrix_.diagonal_scale(r, T(1)));
  return T(kZeroUnits * epsilon<T>()) * sqrt(largest) * stages_.momentum_size();
}

// Takes the norms of a residual. @return whether some lane needs a correction.
template <class T, class Stages>
bool Rattle<T, Stages>::update(RoundingStop<T>& stop, const T& extra_level, const T& loose_level,
                               StepReport<T>& report) {
  const T residual = work_.norms[RattlePlan::residual], excess = work_.norms[RattlePlan::excess];
  // The level of the row that exceeds its level most, if that row is the largest too.
  const T level = max(residual - excess, extra_level);
  report.tolerance = level;
  return stop.update(residual, (excess <= T(0)) | (residual <= extra_level),
                     residual <= T(kNearUnits / kZeroUnits) * max(level, loose_level));
}

// Lanes that failed stay where they were; the step goes on if some lane is left.
template <class T, class Stages>
bool Rattle<T, Stages>::end_solve(const RoundingStop<T>& stop, StepStatus failure, StepReport<T>& report) {
  report.iterations += stop.iterations();
  fail_lanes(report, !stop.converged(), all(isfinite(stop.residual())) ? failure : StepStatus::not_finite,
             stop.residual());
  return any(report.ok);
}

// Gives up in lanes whose matrix is singular; the others go on. False if none is left.
template <class T, class Stages>
bool Rattle<T, Stages>::drop(const Mask<T>& regular, StepStatus failure, RoundingStop<T>& stop, StepReport<T>& report) {
  const Mask<T> singular = stop.active() & !regular;
  if (!any(singular)) return true;
  const T residual = work_.norms[RattlePlan::residual];
  if (failure == StepStatus::singular_constraints) {
    fail_singular_lanes(report, singular, matrix_, residual);
  } else {
    fail_lanes(report, singular, failure, residual);
  }
  stop.fail(singular);
  return any(report.ok);
}

// Coordinates that no constraint uses may overflow without a residual telling.
template <class T, class Stages>
bool Rattle<T, Stages>::is_finite(StepReport<T>& report) {
  T zero(0);  // or not a number
  for (std::size_t j = 0; j < work_.Q.size(); ++j) zero += T(0) * (work_.Q[j] + work_.P[j]);
  fail_lanes(report, !(zero == T(0)), StepStatus::not_finite, T(infinity<T>()));
  return any(report.ok);
}

// Lanes that failed stay where they were, and know what they knew. The end may be z itself, if there is one lane only.
template <class T, class Stages>
void Rattle<T, Stages>::commit(const Point<T>& z, LaneOf<T> h, const Mask<T>& ok, Point<T>& end) {
  const LaneOf<T> h_before = z.memory(this->id()).h;
  PhasePoint<T>& Z = end.change();
  Memory<T>& memory = end.remember(this->id());
  lay_out(memory);
  const std::vector<T>&m = (*before_)[M::m], &w = (*before_)[M::w];
  std::vector<T>& w_now = memory.numbers[M::w];
  if (before_ == &memory.numbers) {
    std::swap(w_now, memory.numbers[M::w_before]);
  } else {
    memory.numbers[M::w_before] = w;
  }
  if (history_ == 0) {
    std::fill(w_now.begin(), w_now.end(), T(0));
  } else {
    for_packs<T>(m.size(), [&]<class V>(V, std::size_t r) {
      store(load<V>(work_.l.data() + r) - load<V>(m.data() + r), w_now.data() + r);
    });
  }
  if (history_ < 2) memory.numbers[M::w_before] = w_now;
  memory.numbers[M::scale][0] = work_.scale_end;
  std::swap(memory.numbers[M::f], work_.F);
  std::swap(memory.numbers[M::m], work_.m);
  std::swap(Z.q, work_.Q);
  std::swap(Z.p, work_.P);
  std::swap(Z.q_low, work_.Q_low);
  std::swap(Z.p_low, work_.P_low);
  if (const Mask<T> failed = !ok; any(failed)) {
    take_lanes(failed, z.state(), Z);
    take_lanes<T>(failed, *work_.f, memory.numbers[M::f]);
    for (const auto number : {M::m, M::w, M::w_before})
      take_lanes<T>(failed, (*before_)[number], memory.numbers[number]);
    memory.numbers[M::scale][0] = select(ok, work_.scale_end, work_.scale);
  }
  memory.depth = std::min(history_ + 1, kFullHistory);
  memory.h_before = history_ == 0 ? h : h_before;
  memory.h = h;
  Z.t = z->t;
  Z.t_low = z->t_low;
  Z.advance_time(h);
}

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<Integrator<T>> make_rattle(Manifold<T>&);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
