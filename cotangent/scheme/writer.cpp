#include "cotangent/scheme/writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cotangent::scheme {

using detail::record;
using Kind = Scheme::Region::Kind;

Here::Here(const Writer& writer, Vec q, Vec p, Num t, Vec s)
    : w_(&writer), q_(q), p_(p), s_(s), t_(writer.system.is_autonomous ? Num{} : t), force_t_(t) {}

Vec Here::H_q() const { return record<Vec>(SchemeOp::H_q, {q_, w_->system.is_split ? Vec{} : p_, t_}, w_->system.n); }
Vec Here::H_p() const { return record<Vec>(SchemeOp::H_p, {w_->system.is_split ? Vec{} : q_, p_, t_}, w_->system.n); }
Vec Here::H_pp_times(Vec a) const {
  if (detail::is_zero(a)) return a;
  return record<Vec>(SchemeOp::H_pp_times, {w_->system.is_split ? Vec{} : q_, p_, t_, a}, w_->system.n);
}
Vec Here::G_times(Vec a) const { return record<Vec>(SchemeOp::G_times, {q_, t_, a}, w_->system.m); }
Vec Here::Gt_times(Vec u) const {
  return w_->system.m == 0 ? w_->zeros(w_->system.n) : record<Vec>(SchemeOp::Gt_times, {q_, t_, u}, w_->system.n);
}
Vec Here::g_t_times(Vec u) const { return record<Vec>(SchemeOp::g_t_times, {q_, t_, u}, 1); }

Vec Here::psi_along(Vec a, Vec b) const {
  const Vec v_along = record<Vec>(SchemeOp::H_p_along, {q_, p_, t_, a, b}, w_->system.n);
  return record<Vec>(SchemeOp::g_second, {q_, t_, H_p(), a}, w_->system.m) + G_times(v_along);
}

Rows Here::g() const {
  return {record<Vec>(SchemeOp::g, {q_, t_}, w_->system.m), [here = *this] {
            const Vec sizes = record<Vec>(SchemeOp::G_sizes, {here.q_, here.t_}, 0);
            return record<Vec>(SchemeOp::position_scale, {sizes, magnitude(here.q_), here.t_}, here.w_->system.m);
          }};
}

// H_p may be a difference of larger numbers (p - A(q)): what is added up in it is at least |H_pp p|.
Rows Here::psi() const {
  const Vec v = H_p();
  return {record<Vec>(SchemeOp::g_rate, {q_, t_, v}, w_->system.m), [here = *this, v] {
            const Vec sizes = record<Vec>(SchemeOp::G_sizes, {here.q_, here.t_}, 0);
            const Vec of_v = abs(here.H_pp_times(magnitude(here.p_))) + abs(v);
            return record<Vec>(SchemeOp::rate_scale, {sizes, of_v}, here.w_->system.m);
          }};
}

Here::Push Here::force(Vec lambda) const {
  const Vec F = record<Vec>(SchemeOp::force,
                            {q_, p_, s_, force_t_, H_p(), w_->system.uses_multipliers ? lambda : Vec{}}, w_->system.n);
  const int power = F.recorder->record({.op = SchemeOp::result, .in = {F.id}, .size = 1, .first = 1});
  return {F, Vec{{F.recorder, power}}};
}

Here::Motion Here::motion() const {
  const Vec F = record<Vec>(SchemeOp::motion, {q_, p_, s_, force_t_, H_p()}, w_->system.n);
  const auto result = [&](std::size_t which, std::size_t size) {
    return Vec{{F.recorder, F.recorder->record({.op = SchemeOp::result, .in = {F.id}, .size = size, .first = which})}};
  };
  return {{F, result(1, 1)}, result(2, w_->system.m)};
}

Vec Here::rates(Vec lambda, const Push& push) const {
  if (w_->system.states == 0) return w_->zeros(0);
  return record<Vec>(SchemeOp::rates, {q_, p_, s_, force_t_, H_p(), lambda, push.power}, w_->system.states);
}

Remembered::Remembered(Recorder& recorder) : recorder_(&recorder) {
  const Scheme::Inputs& in = recorder.scheme().inputs;
  has_ = Num{{&recorder, in.has_memory}};
  last_h_ = Num{{&recorder, in.last_h}};
  ratio_ = Num{{&recorder, in.ratio}};
}

Vec Remembered::input(const std::string& name, std::size_t size, MemoryRole role) const {
  const Vec vector{{recorder_, recorder_->input(size, false)}};
  recorder_->scheme().memory.push_back({.name = name, .role = role, .input = vector.id});
  return vector;
}

Vec Remembered::guess(const std::string& name, std::size_t size) const {
  const Vec zeros{{recorder_, recorder_->record({.op = SchemeOp::zeros, .size = size})}};
  return size == 0 ? zeros : choose(has_, input(name, size, MemoryRole::guess), zeros);
}

Sum Remembered::carried(const std::string& name, const Sum& otherwise) const {
  const std::size_t size = otherwise.value.size();
  return {choose(has_, input(name, size, MemoryRole::state), otherwise.value),
          choose(has_, input(name + "_low", size, MemoryRole::state), otherwise.lost)};
}

Vec Remembered::cached(const std::string& name, std::size_t size, const std::function<Vec()>& make) const {
  const Vec kept = input(name, size, MemoryRole::cache);
  Scheme& scheme = recorder_->scheme();
  const int region = recorder_->open(Kind::otherwise);
  const int result = make().id;
  recorder_->close();
  scheme.cached.push_back({region, result});
  const std::size_t which = scheme.cached.size() - 1;
  const int id = recorder_->record({.op = SchemeOp::cached, .in = {has_.id, kept.id}, .size = size, .first = which});
  scheme.regions[static_cast<std::size_t>(region)].owner = id;
  return Vec{{recorder_, id}};
}

Writer::Writer(Recorder& recorder, const Structure& structure) : system(structure), recorder_(&recorder) {}

Num Writer::time(Quad c) const {
  const Scheme::Inputs& in = recorder_->scheme().inputs;
  const Num t{{recorder_, in.t}}, t_end{{recorder_, in.t_end}}, h{{recorder_, in.h}};
  return c == 0 ? t : c == 1 ? t_end : t + c * h;
}

Vec Writer::zeros(std::size_t size) const {
  return Vec{{recorder_, recorder_->record({.op = SchemeOp::zeros, .size = size})}};
}

Factor Writer::R(const Here& z) const { return {record<Vec>(SchemeOp::R, {z.q_, z.p_, z.s_, z.t_}, 0)}; }

Factor Writer::K(const Here& Q, const Here& z) const {
  return {record<Vec>(SchemeOp::K, {Q.q_, Q.t_, z.q_, z.p_, z.s_, z.t_}, 0)};
}

PhaseSums Writer::inner_step(const PhaseSums& z) const {
  const Vec q = record<Vec>(SchemeOp::step, {z.q.value, z.q.lost, z.p.value, z.p.lost, z.s.value, z.s.lost}, system.n);
  const auto result = [&](std::size_t which, std::size_t size) {
    return Vec{{recorder_, recorder_->record({.op = SchemeOp::result, .in = {q.id}, .size = size, .first = which})}};
  };
  return {{q, result(1, system.n)},
          {result(2, system.n), result(3, system.n)},
          {result(4, system.states), result(5, system.states)}};
}

Vec Writer::field(Vec x, Num t) const { return record<Vec>(SchemeOp::field, {x, t}, 2 * system.n + system.states); }

Energy Writer::energy(Vec x, Num t) const {
  const Vec K = record<Vec>(SchemeOp::energy, {x, t}, 1);
  return {K, Vec{{recorder_, recorder_->record({.op = SchemeOp::result, .in = {K.id}, .size = 1, .first = 1})}}};
}

Vec Writer::solve(const Equation& equation) const {
  const std::size_t size = equation.guess.size();
  if (size == 0) {
    equation.F(equation.guess);
    return equation.guess;
  }
  Scheme::Solve solve{.failure = equation.failure, .is_for_values = equation.is_for_values};
  solve.equations = recorder_->open(Kind::equations);
  solve.unknown = recorder_->record({.op = SchemeOp::unknown, .size = size});
  const Rows rows = equation.F(Vec{{recorder_, solve.unknown}});
  // What only removes rounding errors may be any vector that does so.
  if (rows.value.size() != size && !equation.is_for_values)
    throw std::logic_error("a scheme has not as many equations as unknowns");
  solve.residual = rows.value.id;
  for (const Equation::Kind& kind : equation.kinds)
    solve.kinds.push_back({kind.size, kind.base.id, kind.noise ? kind.noise().id : -1});
  solve.scales = recorder_->open(Kind::scales);
  solve.scale = rows.scale().id;
  recorder_->close();
  if (equation.correct) {
    solve.correction = recorder_->open(Kind::correction);
    solve.change = equation.correct(rows.value).id;
    recorder_->close();
  }
  recorder_->close();

  Scheme& scheme = recorder_->scheme();
  scheme.solves.push_back(solve);
  const std::size_t which = scheme.solves.size() - 1;
  const int id = recorder_->record({.op = SchemeOp::solve, .in = {equation.guess.id}, .size = size, .first = which});
  for (const int region : {solve.equations, solve.scales, solve.correction})
    if (region >= 0) scheme.regions[static_cast<std::size_t>(region)].owner = id;
  return Vec{{recorder_, id}};
}

Num Writer::was_stiff(Vec solution) const {
  return Num{
      {recorder_, recorder_->record({.op = SchemeOp::result, .in = {solution.id}, .size = 1, .is_number = true})}};
}

namespace {

// What becomes of everything that is remembered.
void keep(Scheme& scheme, const std::vector<Kept>& kept) {
  for (Scheme::Remembered& memory : scheme.memory) {
    for (const Kept& each : kept) {
      if (each.name == memory.name) memory.end = each.sum.value.id;
      if (each.name + "_low" == memory.name) memory.end = each.sum.lost.id;
    }
    if (memory.end < 0) throw std::logic_error("a scheme reads '" + memory.name + "', which no step leaves");
    const auto size = [&](int id) { return scheme.nodes[static_cast<std::size_t>(id)].size; };
    if (size(memory.end) != size(memory.input))
      throw std::logic_error("a scheme reads '" + memory.name + "' with another size than it leaves");
  }
}

}  // namespace

Scheme write_scheme(const WriteStep& method, const Structure& structure) {
  Recorder recorder;
  Scheme& scheme = recorder.scheme();
  const auto number = [&] { return recorder.input(1, true); };
  scheme.inputs = {.t = number(), .t_end = number(), .h = number()};
  scheme.inputs.has_memory = number(), scheme.inputs.last_h = number(), scheme.inputs.ratio = number();
  const auto vector = [&](std::size_t size) { return recorder.input(size, false); };
  const std::size_t n = structure.n, states = structure.states;
  scheme.begin = {vector(n), vector(n), vector(n), vector(n), vector(states), vector(states)};
  const auto sum = [&](int value, int lost) { return Sum{Vec{{&recorder, value}}, Vec{{&recorder, lost}}}; };
  const Scheme::Point begin = scheme.begin;
  const PhaseSums z{sum(begin.q, begin.q_low), sum(begin.p, begin.p_low), sum(begin.s, begin.s_low)};

  const Writer writer(recorder, structure);
  const Step step = method(writer, z, Num{{&recorder, scheme.inputs.h}}, Remembered(recorder));
  scheme.end = {step.z.q.value.id, step.z.q.lost.id,  step.z.p.value.id,
                step.z.p.lost.id,  step.z.s.value.id, step.z.s.lost.id};
  for (const Vec& each : step.shift) scheme.shift.push_back(each.id);
  keep(scheme, step.memory);
  return recorder.finish();
}

}  // namespace cotangent::scheme
