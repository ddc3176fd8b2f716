#include "cotangent/scheme/runner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/stage_sums.hpp"
#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/scheme/run_pass.hpp"

namespace cotangent {
namespace {


// A residual that is so many times epsilon times what is added up in it is more than rounding leaves of it, most often.
constexpr double kFar = 1e6;

template <class T>
bool is_same(const Mask<T>& a, const Mask<T>& b) {
  return all((a & b) | !(a | b));
}

}  // namespace

template <class T>
SchemeRunner<T>::SchemeRunner(Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver, InnerStep inner)
    : scheme_(std::move(scheme)),
      manifold_(manifold),
      H_q_(manifold.system().H_q()),
      H_p_(manifold.system().H_p()),
      H_pp_times_(manifold.system().H_pp_times()),
      g_(manifold.system().g()),
      g_rate_(manifold.system().g_rate()),
      G_times_(manifold.system().G_times()),
      Gt_times_(manifold.system().G_transposed_times()),
      frame_(manifold.system().frame()),
      norms_(2, T(0)),
      zero_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      force_(zero_),
      velocity_(zero_),
      rows_(static_cast<std::size_t>(manifold.system().m()), T(0)),
      inner_(std::move(inner)),
      inner_point_(manifold.system().n(), manifold.system().state_count()),
      schedule_(scheme_),
      G_sizes_(scheme_.nodes.size()),
      solver_(solver),
      iterations_(scheme_.solves.size()),
      at_(scheme_.nodes.size() + schedule_.blocks.size(), nullptr) {
  frame_.out[out::norms] = norms_.data();
  frame_.in[in::q] = frame_.in[in::p] = zero_.data();
  for (std::size_t k = 0; k < scheme_.nodes.size(); ++k)
    if (scheme_.nodes[k].op == SchemeOp::G_sizes) G_sizes_[k] = std::make_unique<RowScales<T>>(manifold.system());
  for (std::size_t k = 0; k < scheme_.solves.size(); ++k) {
    if (scheme_.solves[k].kinds.empty()) continue;
    const std::size_t size = node(scheme_.solves[k].unknown).size;
    iterations_[k] = std::make_unique<FixedPoint<T>>(size, solver);
    noise_.resize(std::max(noise_.size(), size), T(0));
  }
  residual_ = noise_;
  place_carried();
  place_vectors();
}

template <class T>
void SchemeRunner<T>::begin_anew() {
  for (auto& solver : iterations_)
    if (solver) solver->begin_anew();
}

template <class T>
void SchemeRunner<T>::place_carried() {
  const Scheme::Point &from = scheme_.begin, &to = scheme_.end;
  point_ = {{from.q, to.q},         {from.p, to.p},         {from.s, to.s},
            {from.q_low, to.q_low}, {from.p_low, to.p_low}, {from.s_low, to.s_low}};
  for (const Scheme::Remembered& each : scheme_.memory) memory_.push_back({each.input, each.end});
  std::vector<char> is_placed(scheme_.nodes.size(), 0);
  for (auto* carried : {&point_, &memory_})
    for (Carried& each : *carried) {
      if (each.end < 0) continue;
      each.is_made_here =
          is_written(node(each.end).op) && !std::exchange(is_placed[static_cast<std::size_t>(each.end)], 1);
      each.now.assign(node(each.end).size, T(0));
      each.next = each.now;
    }
}

// One after the other, but for those that are elsewhere: nodes first, then blocks.
template <class T>
void SchemeRunner<T>::place_vectors() {
  const std::size_t count = scheme_.nodes.size();
  const auto size_of = [&](std::size_t k) {
    if (k >= count) return std::min(schedule_.blocks[k - count], kBlock<T>);
    const Scheme::Node& made = scheme_.nodes[k];
    const bool has_place = schedule_.is_stored[k] != 0 && schedule_.is_placed[k] == 0 && is_written(made.op);
    return made.is_number || has_place ? made.size : 0;
  };
  std::size_t size = 0;
  for (std::size_t k = 0; k < at_.size(); ++k) size += size_of(k);
  storage_.assign(size, T(0));
  T* next = storage_.data();
  for (std::size_t k = 0; k < at_.size(); next += size_of(k), ++k) at_[k] = next;
  for (const int id : scheme_.numbers)
    if (node(id).op == SchemeOp::constant) *at(id) = T(static_cast<LaneOf<T>>(node(id).number));
  for (std::size_t k = 0; k < count; ++k)
    if (scheme_.nodes[k].op == SchemeOp::solve) at_[k] = at(scheme_.solves[scheme_.nodes[k].first].unknown);
}

template <class T>
StepReport<T> SchemeRunner<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  report_ = {};
  begin(z, h);
  run(0);
  if (!any(report_.ok)) return report_;
  Mask<T> finite(true);
  for (std::size_t part = 0; part < 3; ++part) {
    const int end = point_[part].end;
    if (end < 0) continue;
    for (std::size_t k = 0; k < node(end).size; ++k) finite = finite & isfinite(at(end)[k]);
  }
  fail_lanes(report_, !finite, StepStatus::not_finite, T(infinity<T>()));
  if (any(report_.ok)) commit(z, h);
  return report_;
}

template <class T>
void SchemeRunner<T>::begin(PhasePoint<T>& z, LaneOf<T> h) {
  z_ = &z;
  factored_ = -1;
  const std::initializer_list<std::vector<T>*> parts{&z.q, &z.p, &z.s, &z.q_low, &z.p_low, &z.s_low};
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (point_[k].input >= 0) at(point_[k].input) = (*(parts.begin() + k))->data();
  for (Carried& each : memory_) at(each.input) = each.now.data();
  for (auto* carried : {&point_, &memory_})
    for (Carried& each : *carried)
      if (each.is_made_here) at(each.end) = each.next.data();
  for (const Schedule::Placed& each : schedule_.placed) at(each.node) = at(each.join) + each.first;
  for (const int id : schedule_.parts) at(id) = at(node(id).in[0]) + node(id).first;

  const Mask<T> has = z.revision == known_revision_ ? has_memory_ : Mask<T>(false);
  const LaneOf<T> ratio = last_h_ == LaneOf<T>(0) ? LaneOf<T>(0) : h / last_h_;
  const bool is_new = h != h_ || ratio != ratio_ || !is_same<T>(has, had_memory_);
  h_ = h;
  ratio_ = ratio;
  had_memory_ = has;
  const auto set = [&](int id, const T& value) {
    if (id >= 0) *at(id) = value;
  };
  const Scheme::Inputs& in = scheme_.inputs;
  set(in.t, T(z.t));
  set(in.t_end, T(z.time_after(h)));
  if (is_new) {
    set(in.h, T(h));
    set(in.has_memory, select(has, T(1), T(0)));
    set(in.last_h, select(has, T(last_h_), T(0)));
    set(in.ratio, select(has, T(ratio), T(0)));
  }
  find_numbers(is_new);
}

template <class T>
void SchemeRunner<T>::find_numbers(bool is_new) {
  for (const int id : is_new ? scheme_.numbers : schedule_.timed) {
    const Node& number = node(id);
    const auto argument = [&](std::size_t k) -> const T& { return *at(number.in[k]); };
    T& value = *at(id);
    switch (number.op) {
      case SchemeOp::add:
        value = argument(0) + argument(1);
        break;
      case SchemeOp::subtract:
        value = argument(0) - argument(1);
        break;
      case SchemeOp::multiply:
        value = argument(0) * argument(1);
        break;
      case SchemeOp::divide:
        value = argument(0) / argument(1);
        break;
      case SchemeOp::absolute:
        value = abs(argument(0));
        break;
      case SchemeOp::smaller:
        value = min(argument(0), argument(1));
        break;
      case SchemeOp::larger:
        value = max(argument(0), argument(1));
        break;
      case SchemeOp::square_root:
        value = sqrt(argument(0));
        break;
      default:
        break;
    }
  }
}

template <class T>
void SchemeRunner<T>::commit(PhasePoint<T>& z, LaneOf<T> h) {
  const Mask<T>& ok = report_.ok;
  const std::initializer_list<std::vector<T>*> parts{&z.q, &z.p, &z.s, &z.q_low, &z.p_low, &z.s_low};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Carried& each = point_[k];
    std::vector<T>& target = **(parts.begin() + k);
    if (each.end < 0 || each.end == each.input) continue;
    if (each.is_made_here && all(ok)) {
      std::swap(target, each.next);
    } else {
      for (std::size_t j = 0; j < target.size(); ++j) target[j] = select(ok, at(each.end)[j], target[j]);
    }
  }
  for (Carried& each : memory_) {
    if (!each.is_made_here) std::copy_n(at(each.end), each.next.size(), each.next.begin());
    std::swap(each.now, each.next);
  }
  z.advance_time(h);
  has_memory_ = ok;
  last_h_ = h;
  z.revision = known_revision_ = next_revision_();
}

template <class T>
void SchemeRunner<T>::run(int region) {
  const int first_block = static_cast<int>(scheme_.nodes.size());
  for (const Schedule::Item& item : schedule_.items[static_cast<std::size_t>(region)]) {
    if (item.pass >= 0) {
      run_pass(schedule_.passes[static_cast<std::size_t>(item.pass)], at_.data(), first_block);
    } else if (!execute(item.node)) {
      return;
    }
  }
}

template <class T>
void SchemeRunner<T>::ask(const Request<T>& operation, const Node& made, int q, int p, int t, T* result) {
  const auto argument = [&](int k) { return k < 0 ? -1 : made.in[static_cast<std::size_t>(k)]; };
  if (argument(q) >= 0) frame_.in[in::q] = at(argument(q));
  if (argument(p) >= 0) frame_.in[in::p] = at(argument(p));
  frame_.in[in::t] = argument(t) >= 0 ? at(argument(t)) : zero_.data();
  frame_.out[out::result] = result;
  operation(frame_);
}

// A further result of a node, if someone reads it.
template <class T>
void SchemeRunner<T>::give(int id, std::size_t which, const T* result) {
  const auto& results = schedule_.results[static_cast<std::size_t>(id)];
  if (which < results.size() && results[which] >= 0) std::copy_n(result, node(results[which]).size, at(results[which]));
}

template <class T>
bool SchemeRunner<T>::execute(int id) {
  const Node& made = node(id);
  const auto argument = [&](std::size_t k) { return at(made.in[k]); };
  const auto given = [&](std::size_t k) { return or_null(made.in[k]); };
  T* const y = at(id);
  switch (made.op) {
    case SchemeOp::H_q:
      ++report_.evaluations;
      ask(H_q_, made, 0, 1, 2, y);
      return true;
    case SchemeOp::H_p:
      ask(H_p_, made, 0, 1, 2, y);
      return true;
    case SchemeOp::H_pp_times:
      frame_.in[in::a_p] = argument(3);
      ask(H_pp_times_, made, 0, 1, 2, y);
      return true;
    case SchemeOp::g:
      ask(g_, made, 0, -1, 1, y);
      return true;
    case SchemeOp::g_rate:
      frame_.in[in::a_q] = argument(2);
      ask(g_rate_, made, 0, -1, 1, y);
      return true;
    case SchemeOp::G_times:
      frame_.in[in::a_q] = argument(2);
      ask(G_times_, made, 0, -1, 1, y);
      return true;
    case SchemeOp::Gt_times:
      frame_.in[in::weights] = argument(2);
      ask(Gt_times_, made, 0, -1, 1, y);
      return true;
    case SchemeOp::force: {
      ++report_.evaluations;
      T power(0);
      manifold_.forcing().force(point(made.in[0], made.in[1], made.in[2], made.in[3]), argument(4), given(5), y, power);
      give(id, 1, &power);
      return true;
    }
    case SchemeOp::motion: {
      T power(0);
      static_cast<void>(manifold_.multipliers(point(made.in[0], made.in[1], made.in[2], made.in[3]), argument(4),
                                              rows_.data(), y, power));
      factored_ = -1;
      give(id, 1, &power);
      give(id, 2, rows_.data());
      return true;
    }
    case SchemeOp::rates:
      manifold_.forcing().rates(point(made.in[0], made.in[1], made.in[2], made.in[3]), argument(4), given(5),
                                *argument(6), y);
      return true;
    case SchemeOp::R:
    case SchemeOp::K:
      factor(id);
      return any(report_.ok);
    case SchemeOp::factor_solve:
      if (factored_ != made.in[0]) factor(made.in[0]);
      std::copy_n(argument(1), made.size, y);
      manifold_.matrix().solve(y);
      return true;
    case SchemeOp::smallest:
      std::copy_n(argument(1), made.size, y);
      smallest(made, y);
      return true;
    case SchemeOp::G_sizes:  // an estimate: the first of a solve will do
      if (is_first_look_) G_sizes_[static_cast<std::size_t>(id)]->evaluate(argument(0), time(made.in[1]));
      return true;
    case SchemeOp::position_scale:
      G_sizes_[static_cast<std::size_t>(made.in[0])]->of_positions(argument(1), time(made.in[2]), y);
      return true;
    case SchemeOp::rate_scale:
      G_sizes_[static_cast<std::size_t>(made.in[0])]->along_rows(argument(1), T(1), y);
      return true;
    case SchemeOp::force_scale:
      std::fill_n(y, made.size, T(0));
      G_sizes_[static_cast<std::size_t>(made.in[0])]->add_along_columns(argument(1), y);
      return true;
    case SchemeOp::join: {
      T* to = y;
      for (std::size_t k = 0; k < made.in.size(); to += node(made.in[k]).size, ++k)
        if (argument(k) != to) std::copy_n(argument(k), node(made.in[k]).size, to);
      return true;
    }
    case SchemeOp::step:
      make_inner_step(id);
      return any(report_.ok);
    case SchemeOp::cached:
      remember(made, at(id));
      return any(report_.ok);
    case SchemeOp::solve:
      solve(made);
      return any(report_.ok);
    default:
      return true;
  }
}

// Lanes in which K is singular may get on all the same, see solve().
template <class T>
void SchemeRunner<T>::factor(int id) {
  const Node& made = node(id);
  const auto& in = made.in;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  factored_ = id;
  if (made.op == SchemeOp::K) {
    const auto factors = matrix.factor_newton(at(in[0]), time(in[1]), point(in[2], in[3], in[4], in[5]));
    singular_ = singular_ | (active_ & !factors.regular);
    return;
  }
  const Mask<T> singular = report_.ok & !matrix.factor(point(in[0], in[1], in[2], in[3])).regular;
  if (!any(singular)) return;
  fail_lanes(report_, singular, StepStatus::position_solve_failed, T(infinity<T>()));
  blame_constraints(singular);
}

// u <- R^+ R u where rows of R depend on others.
template <class T>
void SchemeRunner<T>::smallest(const Node& made, T* u) {
  if (factored_ != made.in[0]) factor(made.in[0]);
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> is_dependent =
      matrix.nullity() > 0 ? Mask<T>(true) : !(matrix.condition() < T(1 / rank_tolerance<T>()));
  if (!any(is_dependent)) return;
  const auto& in = node(made.in[0]).in;
  frame_.in[in::q] = at(in[0]);
  frame_.in[in::p] = at(in[1]);
  frame_.in[in::t] = in[3] >= 0 ? at(in[3]) : zero_.data();
  const auto apply = [&](const Request<T>& operation, int argument, const T* from, T* to) {
    frame_.in[static_cast<std::size_t>(argument)] = from;
    frame_.out[out::result] = to;
    operation(frame_);
  };
  apply(Gt_times_, in::weights, u, force_.data());
  apply(H_pp_times_, in::a_p, force_.data(), velocity_.data());
  apply(G_times_, in::a_q, velocity_.data(), rows_.data());
  matrix.solve(rows_.data());
  for (std::size_t k = 0; k < rows_.size(); ++k) u[k] = select(is_dependent, rows_[k], u[k]);
}

template <class T>
void SchemeRunner<T>::make_inner_step(int id) {
  PhasePoint<T>& z = inner_point_;
  const auto& in = node(id).in;
  const std::initializer_list<std::vector<T>*> parts{&z.q, &z.q_low, &z.p, &z.p_low, &z.s, &z.s_low};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<T>& part = **(parts.begin() + k);
    std::copy_n(at(in[k]), part.size(), part.begin());
  }
  z.t = z_->t;
  z.t_low = z_->t_low;
  z.revision = next_revision_();
  const StepReport<T> made = inner_(z, h_);
  report_.iterations += made.iterations;
  report_.evaluations += made.evaluations;
  if (const Mask<T> failed = report_.ok & !made.ok; any(failed)) {
    report_.row = made.row;
    report_.tolerance = made.tolerance;
    fail_lanes(report_, failed, made.status, made.residual);
  }
  std::copy(z.q.begin(), z.q.end(), at(id));
  for (std::size_t k = 1; k < parts.size(); ++k) give(id, k, (*(parts.begin() + k))->data());
}

template <class T>
void SchemeRunner<T>::remember(const Node& made, T*& place) {
  const Mask<T> has = *at(made.in[0]) > T(0);
  place = at(made.in[1]);
  if (all(has)) return;
  const Scheme::Cached& cached = scheme_.cached[made.first];
  run(cached.region);
  T* const anew = at(cached.result);
  for (std::size_t k = 0; k < made.size; ++k) anew[k] = select(has, place[k], anew[k]);
  place = anew;
}

template <class T>
void SchemeRunner<T>::solve(const Node& made) {
  const Scheme::Solve& equation = scheme_.solves[made.first];
  FixedPoint<T>* const solver = iterations_[made.first].get();
  std::copy_n(at(made.in[0]), made.size, solver != nullptr ? solver->x().data() : at(equation.unknown));
  singular_ = false;
  active_ = report_.ok;
  if (solver != nullptr) {
    solve_by_iteration(equation, *solver);
  } else {
    solve_by_newton(equation);
  }
}

template <class T>
void SchemeRunner<T>::solve_by_newton(const Scheme::Solve& equation) {
  T* const x = at(equation.unknown);
  const std::size_t size = node(equation.unknown).size;
  const auto correct = [&] {
    ++report_.iterations;
    run(equation.correction);
    const T* const change = at(equation.change);
    for (std::size_t k = 0; k < size; ++k) x[k] += select(active_, change[k], T(0));
    if constexpr (is_dual<T>)
      if (equation.is_for_values)
        for (std::size_t k = 0; k < size; ++k) x[k] = T(x[k].value);
    run(equation.equations);
  };
  run(equation.equations);
  // A guess is hardly ever a solution to rounding; nor is, where that can be seen, the first correction of it.
  if (!equation.is_for_values) correct();
  if (const SchemeOp op = node(equation.residual).op; op == SchemeOp::g || op == SchemeOp::g_rate) {
    active_ = active_ & (norms_[0] > T(kFar * epsilon<T>()) * norms_[1]);
    if (any(active_)) correct();
  }
  if (!any(report_.ok)) return;

  RoundingStop<T> stop;
  stop.fail(!report_.ok);
  while (true) {
    run(equation.scales);
    is_first_look_ = false;
    if (!stop.update(ratio_of(at(equation.residual), at(equation.scale), size))) break;
    active_ = stop.active();
    correct();
    stop.fail(!report_.ok);
    if (!any(stop.active())) break;
  }
  is_first_look_ = true;
  ++report_.iterations;
  report_.tolerance = stop.tolerance();
  const Mask<T> failed = report_.ok & stop.failed();
  if (!any(failed)) return;
  fail_lanes(report_, failed, all(isfinite(stop.residual())) ? equation.failure : StepStatus::not_finite,
             stop.residual());
  blame_constraints(failed & singular_);
}

template <class T>
void SchemeRunner<T>::solve_by_iteration(const Scheme::Solve& equation, FixedPoint<T>& solver) {
  const std::size_t size = solver.size();
  bool knows_noise = false;
  StepReport<T> inner;  // the last that failed
  const auto evaluate = [&](const T* x, T* r, const Mask<T>&, bool is_probe) {
    const StepReport<T> before = report_;
    std::copy_n(x, size, at(equation.unknown));
    run(equation.equations);
    const Mask<T> found = report_.ok | !before.ok;
    if (!all(found)) {
      inner = report_;
      report_.ok = before.ok;
      report_.status = before.status;
    }
    if (!std::exchange(knows_noise, true)) find_noise(equation);
    if (!is_probe) weigh(equation, solver.weights());
    run(equation.correction);
    for (std::size_t k = 0; k < size; ++k) r[k] = -at(equation.change)[k];
    return found;
  };
  const auto result = solver.solve(evaluate, report_.ok);
  std::copy_n(solver.x().data(), size, at(equation.unknown));
  run(equation.equations);
  report_.iterations += result.iterations;
  const Mask<T> failed = report_.ok & !result.converged;
  if (!any(failed)) return;
  if (any(failed & !inner.ok)) {
    report_.row = inner.row;
    report_.tolerance = inner.tolerance;
    return fail_lanes(report_, failed, inner.status, inner.residual);
  }
  report_.tolerance = T(epsilon<T>());
  const StepStatus status = solver_ == FixedPointSolver::functional ? StepStatus::iteration_failed : equation.failure;
  fail_lanes(report_, failed, all(isfinite(result.residual)) ? status : StepStatus::not_finite, result.residual);
}

// What a rounding error of one unit in everything that is added up in the equations makes of the unknowns, in units of
// epsilon.
template <class T>
void SchemeRunner<T>::find_noise(const Scheme::Solve& equation) {
  run(equation.scales);
  T* const r = at(equation.residual);
  const std::size_t size = node(equation.residual).size;
  residual_.assign(r, r + size);
  noise_.assign(at(equation.scale), at(equation.scale) + size);
  scatter_signs(noise_);
  std::copy_n(noise_.begin(), size, r);
  run(equation.correction);
  std::copy_n(residual_.begin(), size, r);
  // Errors of g and of its rounded arguments, say.
  for (std::size_t k = 0; k < size; ++k) noise_[k] = T(2) * magnitude(at(equation.change)[k]);
  std::size_t first = 0;
  sizes_.clear();
  for (const Scheme::Solve::Kind& kind : equation.kinds) {
    T most(0);
    if (kind.base >= 0) most = largest_of(at(kind.base), node(kind.base).size) + largest_of(noise_.data() + first, kind.size);
    sizes_.push_back(most);
    first += kind.size;
  }
}

// Components are measured by the largest of their kind, and by what rounding leaves of it.
template <class T>
void SchemeRunner<T>::weigh(const Scheme::Solve& equation, std::vector<T>& weights) const {
  const auto weight = [](const T& size) {
    return select(size > T(0), T(1) / max(size, T(std::numeric_limits<double>::min())), T(1));
  };
  const T* x = at_[static_cast<std::size_t>(equation.unknown)];
  T* to = weights.data();
  const T* noise = noise_.data();
  for (std::size_t k = 0; k < equation.kinds.size(); ++k) {
    const std::size_t size = equation.kinds[k].size;
    if (equation.kinds[k].base >= 0) {
      const T most = largest_of(x, size);
      std::fill_n(to, size, weight(sizes_[k] + select(isfinite(most), most, T(0))));
    } else {
      for (std::size_t j = 0; j < size; ++j) to[j] = weight(largest_finite(noise[j], x[j]));
    }
    x += size;
    to += size;
    noise += size;
  }
}

// A long step leads to where a matrix is singular; that is no fault of the constraints unless R is so where the step
// began.
template <class T>
void SchemeRunner<T>::blame_constraints(const Mask<T>& singular) {
  if (!any(singular)) return;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> at_start = singular & !matrix.factor(*z_).regular;
  factored_ = -1;
  if (!any(at_start)) return;
  report_.status = StepStatus::singular_constraints;
  for (int i = 0; i < lane_count<T> && report_.row < 0; ++i)
    if (lane(at_start, i)) report_.row = matrix.worst_row(i);
}

COTANGENT_INSTANTIATE(NUMBERS, SchemeRunner);

}  // namespace cotangent
