#include "cotangent/scheme/runner.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cotangent/base/interruptible.hpp"
#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/scheme/fused_items.hpp"
#include "cotangent/scheme/run_pass.hpp"

namespace cotangent {
namespace {

// In the order of the parts of Scheme::Point.
template <class T>
constexpr std::array<std::vector<T> PhasePoint<T>::*, 6> kParts{&PhasePoint<T>::q,     &PhasePoint<T>::p,
                                                                &PhasePoint<T>::s,     &PhasePoint<T>::q_low,
                                                                &PhasePoint<T>::p_low, &PhasePoint<T>::s_low};

template <class T>
bool is_same(const Mask<T>& a, const Mask<T>& b) {
  return all((a & b) | !(a | b));
}

}  // namespace

template <class T>
SchemeRunner<T>::SchemeRunner(Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver, SchemeParts<T> parts)
    : scheme_(std::move(scheme)),
      schedule_(scheme_),
      at_(scheme_.nodes.size() + schedule_.blocks.size(), nullptr),
      operations_(scheme_, schedule_, at_, manifold, std::move(parts)),
      solver_(solver),
      iterations_(scheme_.solves.size()) {
  for (std::size_t k = 0; k < scheme_.solves.size(); ++k) {
    if (scheme_.solves[k].kinds.empty()) continue;
    const std::size_t size = node(scheme_.solves[k].unknown).size;
    iterations_[k] = std::make_unique<Iteration>(size, solver, scheme_.solves[k].kinds);
    residual_.resize(std::max(residual_.size(), size), T(0));
  }
  for (std::size_t k = 0; k < scheme_.nodes.size(); ++k) {
    const Node& made = scheme_.nodes[k];
    if (made.op == SchemeOp::solve && !schedule_.results[k].empty())
      iterations_[made.first]->result = schedule_.results[k][0];
  }
  place_carried();
  place_vectors();
  fuse(manifold.system());
}

template <class T>
void SchemeRunner<T>::fuse(const System<T>& system) {
  const SystemPlaces places{.columns = static_cast<int>(at_.size()) + 1, .row_size = static_cast<int>(at_.size())};
  at_.push_back(now_.rows.data());
  // Kernels only read them.
  for (const auto& column : system.model().template columns<T>()) at_.push_back(const_cast<T*>(column.data()));
  for (const FusedItems& each : fuse_items(scheme_, schedule_, system.model(), places))
    kernels_.push_back(system.model().template compile<T>(*each.graph, each.kernel));
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
      if (carried == &memory_) each.nothing.assign(node(each.end).size, T(0));
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

// Parts are where their vectors are, which are not in the same place in every step.
template <class T>
void SchemeRunner<T>::place_parts() {
  for (const int id : schedule_.parts) at(id) = at(node(id).in[0]) + node(id).first;
}

template <class T>
StepReport<T> SchemeRunner<T>::step(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before, PhasePoint<T>& end,
                                    Memory<T>& after) {
  now_ = {.z = &z, .h = h};
  begin(z, h, before, end, after);
  run(0);
  if (!any(now_.report.ok)) return now_.report;
  Mask<T> finite(true);
  for (std::size_t part = 0; part < 3; ++part) {
    const int made = point_[part].end;
    if (made < 0) continue;
    for (std::size_t k = 0; k < node(made).size; ++k) finite = finite & isfinite(at(made)[k]);
  }
  fail_lanes(now_.report, !finite, StepStatus::not_finite, T(infinity<T>()));
  if (any(now_.report.ok)) commit(z, h, end, after);
  return now_.report;
}

template <class T>
void SchemeRunner<T>::begin(const PhasePoint<T>& z, LaneOf<T> h, const Memory<T>& before, PhasePoint<T>& end,
                            Memory<T>& after) {
  operations_.begin();
  after.numbers.resize(memory_.size() + 1);
  after.numbers.back().resize(1 + iterations_.size());
  // Of variables in another chart there may be more, or fewer.
  const bool is_known = before.depth > 0 && before.numbers.size() == after.numbers.size() &&
                        before.numbers.back().size() == after.numbers.back().size() &&
                        (memory_.empty() || before.numbers[0].size() == memory_[0].nothing.size());
  // Nothing is written to where a step begins.
  const auto read = [&](int input, const std::vector<T>& from) {
    if (input >= 0) at(input) = const_cast<T*>(from.data());
  };
  for (std::size_t k = 0; k < kParts<T>.size(); ++k) {
    read(point_[k].input, z.*kParts<T>[k]);
    if (point_[k].is_made_here) at(point_[k].end) = (end.*kParts<T>[k]).data();
  }
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    const Carried& each = memory_[k];
    read(each.input, is_known ? before.numbers[k] : each.nothing);
    after.numbers[k].resize(each.nothing.size());
    if (each.is_made_here) at(each.end) = after.numbers[k].data();
  }
  for (std::size_t k = 0; k < iterations_.size(); ++k)
    if (iterations_[k]) iterations_[k]->solver.damped() = is_known ? before.numbers.back()[1 + k] : T(0);
  for (const Schedule::Placed& each : schedule_.placed) at(each.node) = at(each.join) + each.first;
  place_parts();

  const Mask<T> has = is_known ? before.numbers.back()[0] > T(0) : Mask<T>(false);
  const LaneOf<T> ratio = before.h == LaneOf<T>(0) ? LaneOf<T>(0) : h / before.h;
  const bool is_new = h != h_ || ratio != ratio_ || !is_same<T>(has, has_memory_);
  h_ = h;
  ratio_ = ratio;
  has_memory_ = has;
  const auto set = [&](int id, const T& value) {
    if (id >= 0) *at(id) = value;
  };
  const Scheme::Inputs& in = scheme_.inputs;
  set(in.t, T(z.t));
  set(in.t_end, T(z.time_after(h)));
  if (is_new) {
    set(in.h, T(h));
    set(in.has_memory, select(has, T(1), T(0)));
    set(in.last_h, select(has, T(before.h), T(0)));
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
void SchemeRunner<T>::commit(const PhasePoint<T>& z, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& after) {
  const Mask<T>& ok = now_.report.ok;
  for (std::size_t k = 0; k < kParts<T>.size(); ++k) {
    const Carried& each = point_[k];
    const std::vector<T>& begin = z.*kParts<T>[k];
    std::vector<T>& target = end.*kParts<T>[k];
    if (each.end < 0 || each.end == each.input) {
      target = begin;
    } else if (!each.is_made_here || !all(ok)) {
      for (std::size_t j = 0; j < target.size(); ++j) target[j] = select(ok, at(each.end)[j], begin[j]);
    }
  }
  for (std::size_t k = 0; k < memory_.size(); ++k)
    if (!memory_[k].is_made_here) std::copy_n(at(memory_[k].end), after.numbers[k].size(), after.numbers[k].begin());
  after.numbers.back()[0] = select(ok, T(1), T(0));
  for (std::size_t k = 0; k < iterations_.size(); ++k)
    after.numbers.back()[1 + k] = iterations_[k] ? iterations_[k]->solver.damped() : T(0);
  after.depth = 1;
  after.h = h;
  end.t = z.t;
  end.t_low = z.t_low;
  end.advance_time(h);
}

template <class T>
void SchemeRunner<T>::run(int region) {
  check_interruption();
  const int first_block = static_cast<int>(scheme_.nodes.size());
  for (const Schedule::Item& item : schedule_.items[static_cast<std::size_t>(region)]) {
    if (item.kernel >= 0) {
      kernels_[static_cast<std::size_t>(item.kernel)](at_.data(), at_.data());
      now_.report.evaluations += item.evaluations;
    } else if (item.pass >= 0) {
      run_pass(schedule_.passes[static_cast<std::size_t>(item.pass)], at_.data(), first_block);
    } else if (!make(item.node)) {
      return;
    }
  }
}

// @return whether some lane is left.
template <class T>
bool SchemeRunner<T>::make(int id) {
  const Node& made = node(id);
  if (made.op == SchemeOp::cached) {
    remember(made, at(id));
  } else if (made.op == SchemeOp::solve) {
    solve(made);
  } else {
    operations_.make(id, now_);
  }
  return any(now_.report.ok);
}

template <class T>
void SchemeRunner<T>::remember(const Node& made, T*& place) {
  const Mask<T> has = *at(made.in[0]) > T(0);
  place = at(made.in[1]);
  if (all(has)) return place_parts();
  const Scheme::Cached& cached = scheme_.cached[made.first];
  run(cached.region);
  T* const anew = at(cached.result);
  for (std::size_t k = 0; k < made.size; ++k) anew[k] = select(has, place[k], anew[k]);
  place = anew;
  place_parts();
}

template <class T>
void SchemeRunner<T>::solve(const Node& made) {
  const Scheme::Solve& equation = scheme_.solves[made.first];
  Iteration* const iteration = iterations_[made.first].get();
  std::copy_n(at(made.in[0]), made.size, iteration != nullptr ? iteration->solver.x().data() : at(equation.unknown));
  now_.singular = false;
  now_.active = now_.report.ok;
  if (iteration == nullptr) return solve_by_newton(equation);
  solve_by_iteration(equation, *iteration);
  if (iteration->result >= 0) *at(iteration->result) = select(iteration->was_stiff, T(1), T(0));
}

template <class T>
void SchemeRunner<T>::solve_by_newton(const Scheme::Solve& equation) {
  T* const x = at(equation.unknown);
  const std::size_t size = node(equation.unknown).size, rows = node(equation.residual).size;
  const auto correct = [&] {
    ++now_.report.iterations;
    run(equation.correction);
    const T* const change = at(equation.change);
    for (std::size_t k = 0; k < size; ++k) x[k] += select(now_.active, change[k], T(0));
    if constexpr (is_dual<T>)
      if (equation.is_for_values)
        for (std::size_t k = 0; k < size; ++k) x[k] = T(x[k].value);
    run(equation.equations);
  };
  run(equation.equations);
  // A guess is hardly ever a solution to rounding; nor is, where that can be seen, the first correction of it.
  if (!equation.is_for_values) correct();
  if (const SchemeOp op = node(equation.residual).op; op == SchemeOp::g || op == SchemeOp::g_rate) {
    now_.active = now_.active & (now_.rows[0] > T(sqrt(epsilon<T>())) * now_.rows[1]);
    if (any(now_.active)) correct();
  }
  if (!any(now_.report.ok)) return;

  // The unknowns are rounded, and what is made of them is.
  const T level(2 * kZeroUnits * epsilon<T>()), near(2 * kNearUnits * epsilon<T>());
  RoundingStop<T> stop;
  stop.fail(!now_.report.ok);
  while (true) {
    run(equation.scales);
    now_.is_first_look = false;
    const Ratio<T> ratio = ratio_of(at(equation.residual), at(equation.scale), rows);
    if (!stop.update(ratio.each, ratio.each <= level, ratio.overall <= near)) break;
    now_.active = stop.active();
    correct();
    stop.fail(!now_.report.ok);
    if (!any(stop.active())) break;
  }
  now_.is_first_look = true;
  ++now_.report.iterations;
  now_.report.tolerance = level;
  const Mask<T> failed = now_.report.ok & stop.failed();
  if (!any(failed)) return;
  fail_lanes(now_.report, failed, all(isfinite(stop.residual())) ? equation.failure : StepStatus::not_finite,
             stop.residual());
  operations_.blame_constraints(failed & now_.singular, now_);
}

template <class T>
void SchemeRunner<T>::solve_by_iteration(const Scheme::Solve& equation, Iteration& iteration) {
  FixedPoint<T>& solver = iteration.solver;
  UnknownSizes<T>& sizes = iteration.sizes;
  const std::size_t size = solver.size();
  bool is_first = true, is_weighed = false, is_current = false;
  StepReport<T> inner;  // the last that failed
  const auto make_residual = [&](const T* x, T* r) {
    const StepReport<T> before = now_.report;
    std::copy_n(x, size, at(equation.unknown));
    run(equation.equations);
    const Mask<T> found = now_.report.ok | !before.ok;
    if (!all(found)) {
      inner = now_.report;
      now_.report.ok = before.ok;
      now_.report.status = before.status;
    }
    if (is_first && equation.change >= 0) find_noise(equation, sizes);
    if (equation.change < 0) {
      std::copy_n(at(equation.residual), size, r);
    } else {
      run(equation.correction);
      for (std::size_t k = 0; k < size; ++k) r[k] = -at(equation.change)[k];
    }
    return found;
  };
  const auto elements_of = [&](int id) {
    return id < 0 ? std::pair<const T*, const T*>() : std::pair<const T*, const T*>(at(id), at(id) + node(id).size);
  };
  sizes.begin([&](std::size_t k) { return elements_of(equation.kinds[k].base); });
  const auto weigh = [&](const T* x) {
    sizes.weigh(
        x, [&](std::size_t k) { return elements_of(equation.kinds[k].noise); }, solver.weights());
  };
  const auto evaluate = [&](const T* x, T* r, const Mask<T>& active, bool is_probe) {
    const Mask<T> found = make_residual(x, r);
    is_current = !is_probe;
    if (is_first && equation.change < 0)
      sizes.look(x, r, active & found, [&](const T* moved, T* moved_r) {
        is_current = false;
        return make_residual(moved, moved_r);
      });
    is_first = false;
    if (!is_probe) {
      if (std::exchange(is_weighed, true)) sizes.forget();
      weigh(x);
    }
    return found;
  };
  // What F makes of x = Phi(x) has its error times that of Phi'; otherwise the last correction counts.
  const bool stays = !is_dual<T> && equation.change < 0;
  const auto result =
      solver.solve(evaluate, now_.report.ok, stays, [&](const T* x, const T* noise, const Mask<T>& lanes) {
        sizes.take_noise(noise, lanes);
        weigh(x);
      });
  if (!stays || !is_current) {
    std::copy_n(solver.x().data(), size, at(equation.unknown));
    run(equation.equations);
  }
  now_.report.iterations += result.iterations;
  iteration.was_stiff = result.newton;
  const Mask<T> failed = now_.report.ok & !result.converged;
  if (!any(failed)) return;
  if (any(failed & !inner.ok)) {
    now_.report.row = inner.row;
    now_.report.tolerance = inner.tolerance;
    return fail_lanes(now_.report, failed, inner.status, inner.residual);
  }
  now_.report.tolerance = T(epsilon<T>());
  const StepStatus status = solver_ == FixedPointSolver::functional ? StepStatus::iteration_failed : equation.failure;
  fail_lanes(now_.report, failed, all(isfinite(result.residual)) ? status : StepStatus::not_finite, result.residual);
}

// What a rounding error of one unit in everything that is added up in the equations makes of the unknowns, in units of
// epsilon.
template <class T>
void SchemeRunner<T>::find_noise(const Scheme::Solve& equation, UnknownSizes<T>& sizes) {
  run(equation.scales);
  T* const r = at(equation.residual);
  const std::size_t size = node(equation.residual).size;
  residual_.assign(r, r + size);
  std::vector<T>& noise = sizes.noise();
  std::copy_n(at(equation.scale), size, noise.begin());
  scatter_signs(noise);
  std::copy_n(noise.begin(), size, r);
  run(equation.correction);
  std::copy_n(residual_.begin(), size, r);
  // Errors of g and of its rounded arguments, say.
  for (std::size_t k = 0; k < size; ++k) noise[k] = T(2) * magnitude(at(equation.change)[k]);
  sizes.take_noise();
}

COTANGENT_INSTANTIATE(NUMBERS, SchemeRunner);

}  // namespace cotangent
