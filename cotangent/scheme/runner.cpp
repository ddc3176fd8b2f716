#include "cotangent/scheme/runner.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {
namespace {

bool is_of_elements(SchemeOp op) {
  switch (op) {
    case SchemeOp::add:
    case SchemeOp::subtract:
    case SchemeOp::multiply:
    case SchemeOp::divide:
    case SchemeOp::negate:
    case SchemeOp::absolute:
    case SchemeOp::choose:
    case SchemeOp::sum:
      return true;
    default:
      return false;
  }
}

// Nothing runs for these: they are other names of vectors.
bool is_alias(SchemeOp op) {
  return op == SchemeOp::input || op == SchemeOp::zeros || op == SchemeOp::part || op == SchemeOp::unknown ||
         op == SchemeOp::lost || op == SchemeOp::result;
}

// Whether a vector has a place of its own, where whoever makes it writes.
bool is_made(SchemeOp op) {
  return op != SchemeOp::input && op != SchemeOp::part && op != SchemeOp::unknown && op != SchemeOp::cached &&
         op != SchemeOp::solve;
}

template <class T>
bool is_same(const Mask<T>& a, const Mask<T>& b) {
  return all((a & b) | !(a | b));
}

}  // namespace

template <class T>
SchemeRunner<T>::SchemeRunner(Scheme scheme, Manifold<T>& manifold)
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
      zero_(static_cast<std::size_t>(std::max(manifold.system().n(), manifold.system().m())), T(0)) {
  frame_.out[out::norms] = norms_.data();
  frame_.in[in::q] = frame_.in[in::p] = zero_.data();
  plan();
  place_vectors();
}

template <class T>
void SchemeRunner<T>::plan() {
  others_.assign(scheme_.nodes.size(), -1);
  G_sizes_.resize(scheme_.nodes.size());
  for (std::size_t k = 0; k < scheme_.nodes.size(); ++k) {
    const Node& made = scheme_.nodes[k];
    if (made.op == SchemeOp::lost || made.op == SchemeOp::result)
      others_[static_cast<std::size_t>(made.in[0])] = static_cast<int>(k);
    if (made.op == SchemeOp::G_sizes) G_sizes_[k] = std::make_unique<RowScales<T>>(manifold_.system());
  }
  items_.resize(scheme_.regions.size());
  for (std::size_t region = 0; region < scheme_.regions.size(); ++region) plan_region(static_cast<int>(region));

  const Scheme::Point &from = scheme_.begin, &to = scheme_.end;
  point_ = {{from.q, to.q},         {from.p, to.p},         {from.s, to.s},
            {from.q_low, to.q_low}, {from.p_low, to.p_low}, {from.s_low, to.s_low}};
  for (const Scheme::Remembered& each : scheme_.memory) memory_.push_back({each.input, each.end});
}

// Operations on elements join the first pass after everything that they read; a new one if there is none.
template <class T>
void SchemeRunner<T>::plan_region(int region) {
  std::vector<Item>& items = items_[static_cast<std::size_t>(region)];
  std::vector<std::size_t> ready(scheme_.nodes.size(), 0);  // by node: the item that makes it
  for (const int id : scheme_.regions[static_cast<std::size_t>(region)].nodes) {
    const Node& made = node(id);
    std::size_t first = 0;  // the item that makes the last of its arguments
    for (const int input : made.in)
      if (input >= 0) first = std::max(first, ready[static_cast<std::size_t>(input)]);
    std::size_t& here = ready[static_cast<std::size_t>(id)];
    if (is_alias(made.op)) {
      here = first;
      continue;
    }
    if (!is_of_elements(made.op)) {
      items.push_back({.node = id});
      here = items.size() - 1;
      continue;
    }
    const auto fits = [&](const Item& item) {
      return item.pass >= 0 && passes_[static_cast<std::size_t>(item.pass)].size() == made.size;
    };
    here = first;
    while (here < items.size() && !fits(items[here])) ++here;
    if (here == items.size()) {
      items.push_back({.pass = static_cast<int>(passes_.size())});
      passes_.emplace_back(made.size);
    }
    const auto operand = [&](std::size_t k) {
      return typename ElementPass<T>::Operand{k < made.in.size() ? made.in[k] : -1};
    };
    passes_[static_cast<std::size_t>(items[here].pass)].add(
        {made.op, operand(0), operand(1), operand(2), {id}, {others_[static_cast<std::size_t>(id)]}});
  }
}

// Every vector gets a place: that of a result which goes on to the next step, one of its own, or, if only its own pass
// reads it, a block.
template <class T>
void SchemeRunner<T>::place_vectors() {
  const std::size_t count = scheme_.nodes.size();
  constexpr int kNobody = -1, kOthers = -2;
  std::vector<int> makers(count, kNobody), readers(count, kNobody);  // passes
  const auto read = [&](int id, int pass) {
    if (id < 0) return;
    int& reader = readers[static_cast<std::size_t>(id)];
    reader = reader == kNobody || reader == pass ? pass : kOthers;
  };
  for (std::size_t pass = 0; pass < passes_.size(); ++pass)
    for (const auto& instruction : passes_[pass].instructions()) {
      for (const auto* operand : {&instruction.a, &instruction.b, &instruction.c})
        read(operand->place, static_cast<int>(pass));
      makers[static_cast<std::size_t>(instruction.result.place)] = static_cast<int>(pass);
      if (instruction.lost.place >= 0) makers[static_cast<std::size_t>(instruction.lost.place)] = static_cast<int>(pass);
    }
  for (const Node& made : scheme_.nodes)
    if (made.op != SchemeOp::lost && (made.is_number || !is_of_elements(made.op)))
      for (const int input : made.in) read(input, kOthers);
  for (const Scheme::Solve& solve : scheme_.solves)
    for (const int id : {solve.residual, solve.scale, solve.change}) read(id, kOthers);
  for (const Scheme::Cached& cached : scheme_.cached) read(cached.result, kOthers);
  for (auto* carried : {&point_, &memory_})
    for (const Carried& each : *carried) read(each.end, kOthers);

  at_.assign(count, nullptr);
  std::vector<char> is_placed(count, 0);
  for (auto* carried : {&point_, &memory_})
    for (Carried& each : *carried) {
      if (each.end < 0 || !is_made(node(each.end).op) || std::exchange(is_placed[static_cast<std::size_t>(each.end)], 1))
        continue;
      each.is_made_here = true;
    }
  for (auto& each : memory_) each.now.assign(node(each.end).size, T(0)), each.next = each.now;
  for (auto& each : point_)
    if (each.is_made_here) each.next.assign(node(each.end).size, T(0));

  // Sizes first: the storage must not move.
  std::vector<std::size_t> places(count, 0);
  std::size_t size = 0, block = 0;
  const auto is_block = [&](std::size_t k) { return makers[k] != kNobody && makers[k] == readers[k]; };
  for (std::size_t k = 0; k < count; ++k) {
    const Node& made = scheme_.nodes[k];
    const bool is_elsewhere = made.op == SchemeOp::input || made.op == SchemeOp::part || made.op == SchemeOp::solve;
    if (is_placed[k] || (!made.is_number && is_elsewhere)) continue;
    places[k] = size;
    block = is_block(k) ? std::min(made.size, ElementPass<T>::kBlock) : made.size;
    size += block;
  }
  storage_.assign(size, T(0));
  for (std::size_t k = 0; k < count; ++k)
    if (!is_placed[k]) at_[k] = storage_.data() + places[k];
  for (auto& pass : passes_)
    for (auto& instruction : pass.instructions())
      for (auto* operand : {&instruction.a, &instruction.b, &instruction.c, &instruction.result, &instruction.lost})
        if (operand->place >= 0) operand->is_stored = !is_block(static_cast<std::size_t>(operand->place));

  std::vector<char> depends(count, 0);
  for (const int id : scheme_.numbers) {
    const Node& number = node(id);
    if (number.op == SchemeOp::constant) *at(id) = T(static_cast<LaneOf<T>>(number.number));
    char& here = depends[static_cast<std::size_t>(id)];
    here = id == scheme_.inputs.t || id == scheme_.inputs.t_end ? 1 : 0;
    for (const int input : number.in) here = std::max(here, depends[static_cast<std::size_t>(input)]);
    if (here != 0 && number.op != SchemeOp::input) timed_.push_back(id);
  }
  for (const Scheme::Solve& solve : scheme_.solves)
    for (std::size_t k = 0; k < count; ++k)
      if (scheme_.nodes[k].op == SchemeOp::solve && &scheme_.solves[scheme_.nodes[k].first] == &solve)
        at_[k] = at(solve.unknown);
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
  for (std::size_t k = 0; k < scheme_.nodes.size(); ++k)
    if (scheme_.nodes[k].op == SchemeOp::part) at_[k] = at(scheme_.nodes[k].in[0]) + scheme_.nodes[k].first;

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
  for (const int id : is_new ? scheme_.numbers : timed_) {
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
  for (const Item& item : items_[static_cast<std::size_t>(region)]) {
    if (item.pass >= 0) {
      passes_[static_cast<std::size_t>(item.pass)].run(at_.data());
    } else {
      execute(item.node);
    }
    if (!any(report_.ok)) return;
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

template <class T>
void SchemeRunner<T>::execute(int id) {
  const Node& made = node(id);
  const auto argument = [&](std::size_t k) { return at(made.in[k]); };
  const auto given = [&](std::size_t k) { return or_null(made.in[k]); };
  T* const y = at(id);
  const int other = others_[static_cast<std::size_t>(id)];
  switch (made.op) {
    case SchemeOp::H_q:
      ++report_.evaluations;
      return ask(H_q_, made, 0, 1, 2, y);
    case SchemeOp::H_p:
      return ask(H_p_, made, 0, 1, 2, y);
    case SchemeOp::H_pp_times:
      frame_.in[in::a_p] = argument(3);
      return ask(H_pp_times_, made, 0, 1, 2, y);
    case SchemeOp::g:
      return ask(g_, made, 0, -1, 1, y);
    case SchemeOp::g_rate:
      frame_.in[in::a_q] = argument(2);
      return ask(g_rate_, made, 0, -1, 1, y);
    case SchemeOp::G_times:
      frame_.in[in::a_q] = argument(2);
      return ask(G_times_, made, 0, -1, 1, y);
    case SchemeOp::Gt_times:
      frame_.in[in::weights] = argument(2);
      return ask(Gt_times_, made, 0, -1, 1, y);
    case SchemeOp::force: {
      ++report_.evaluations;
      T power(0);
      manifold_.forcing().force(point(made.in[0], made.in[1], made.in[2], made.in[3]), argument(4), given(5), y, power);
      if (other >= 0) *at(other) = power;
      return;
    }
    case SchemeOp::rates:
      return manifold_.forcing().rates(point(made.in[0], made.in[1], made.in[2], made.in[3]), argument(4), given(5),
                                       *argument(6), y);
    case SchemeOp::R:
    case SchemeOp::K:
      return factor(id);
    case SchemeOp::factor_solve:
      if (factored_ != made.in[0]) factor(made.in[0]);
      std::copy_n(argument(1), made.size, y);
      manifold_.matrix().solve(y);
      return;
    case SchemeOp::G_sizes:
      return G_sizes_[static_cast<std::size_t>(id)]->evaluate(argument(0), time(made.in[1]));
    case SchemeOp::position_scale:
      return G_sizes_[static_cast<std::size_t>(made.in[0])]->of_positions(argument(1), time(made.in[2]), y);
    case SchemeOp::rate_scale:
      return G_sizes_[static_cast<std::size_t>(made.in[0])]->along_rows(argument(1), T(1), y);
    case SchemeOp::force_scale:
      std::fill_n(y, made.size, T(0));
      return G_sizes_[static_cast<std::size_t>(made.in[0])]->add_along_columns(argument(1), y);
    case SchemeOp::join: {
      T* to = y;
      for (std::size_t k = 0; k < made.in.size(); ++k) to = std::copy_n(argument(k), node(made.in[k]).size, to);
      return;
    }
    case SchemeOp::cached:
      return remember(made, at(id));
    case SchemeOp::solve:
      return solve(made);
    default:
      return;
  }
}

// Lanes that have no constraints worth the name end here; K may be singular for another reason, see solve().
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
  const Mask<T> singular = !matrix.factor(point(in[0], in[1], in[2], in[3])).regular;
  if (any(report_.ok & singular)) fail_singular_lanes(report_, singular, matrix, T(0));
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
  T* const x = at(equation.unknown);
  std::copy_n(at(made.in[0]), made.size, x);
  singular_ = false;
  active_ = report_.ok;
  const auto correct = [&] {
    run(equation.correction);
    const T* const change = at(equation.change);
    for (std::size_t k = 0; k < made.size; ++k) x[k] += select(active_, change[k], T(0));
    run(equation.equations);
  };
  run(equation.equations);
  for (int k = 0; k < equation.unseen; ++k) correct();
  report_.iterations += equation.unseen;
  if (!any(report_.ok)) return;

  RoundingStop<T> stop;
  stop.fail(!report_.ok);
  while (true) {
    run(equation.scales);
    if (!stop.update(ratio_of(at(equation.residual), at(equation.scale), made.size))) break;
    active_ = stop.active();
    correct();
    stop.fail(!report_.ok);
    if (!any(stop.active())) break;
  }
  report_.iterations += stop.iterations();
  report_.tolerance = stop.tolerance();
  const Mask<T> failed = report_.ok & stop.failed();
  if (!any(failed)) return;
  fail_lanes(report_, failed, all(isfinite(stop.residual())) ? equation.failure : StepStatus::not_finite,
             stop.residual());
  blame_constraints(failed & singular_);
}

// A long step leads to where K is singular; that is no fault of the constraints unless R is so where the step began.
template <class T>
void SchemeRunner<T>::blame_constraints(const Mask<T>& failed) {
  if (!any(failed)) return;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> at_start = failed & !matrix.factor(*z_).regular;
  factored_ = -1;
  if (!any(at_start)) return;
  report_.status = StepStatus::singular_constraints;
  for (int i = 0; i < lane_count<T> && report_.row < 0; ++i)
    if (lane(at_start, i)) report_.row = matrix.worst_row(i);
}

COTANGENT_INSTANTIATE(NUMBERS, SchemeRunner);

}  // namespace cotangent
