#include "cotangent/kernel/interpreter.hpp"

#include <alloca.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Mode = KernelSpec::Mode;
using Instruction = Program::Instruction;

// Registers for the values of a program: a value's register is free again after its last use.
std::uint32_t assign_registers(const Program& program, std::vector<std::uint32_t>& registers) {
  const auto& code = program.instructions();
  std::vector<std::size_t> last_use(code.size(), 0);
  for (std::size_t v = 0; v < code.size(); ++v)
    for (const auto a : code[v].arguments()) last_use[a] = v;
  for (const auto& o : program.outputs()) last_use[o.value] = code.size();

  std::uint32_t used = 0;
  std::vector<std::uint32_t> free;
  registers.resize(code.size());
  for (std::size_t v = 0; v < code.size(); ++v) {
    // An instruction may overwrite its argument: it reads an element before it writes it.
    for (const auto a : code[v].arguments())
      if (last_use[a] == v) {
        free.push_back(registers[a]);
        last_use[a] = code.size();  // x x frees x once
      }
    if (free.empty()) {
      registers[v] = used++;
    } else {
      registers[v] = free.back();
      free.pop_back();
    }
  }
  return used;
}

template <class T>
T combine(Mode mode, const T& a, const T& b) {
  return mode == Mode::add ? a + b : max_or_nan(a, b);
}

// x combined with it is x, signed zeros included.
template <class T>
T neutral(Mode mode) {
  return mode == Mode::add ? T(-0.0) : T(-infinity<T>());
}

// In each lane: 1 if m is true in all lanes that go together with it, else 0.
template <class T>
T all_together(const Mask<T>& m) {
  if constexpr (lane_count<T> == 1) {
    return m ? T(1) : T(0);
  } else {
    T result(1);
    const int width = repeat_width(lane_count<T>);
    for (int first = 0; first < lane_count<T>; first += width) {
      bool together = true;
      for (int l = first; l < first + width; ++l) together = together && lane(m, l);
      for (int l = first; l < first + width; ++l) result[l] = together ? 1 : 0;
    }
    return result;
  }
}

}  // namespace

template <class T>
Interpreter<T>::Interpreter(KernelPlan plan) : place_size_(plan.place_size) {
  if (plan.repeat) {
    auto& stage = plan.stages.front();
    repeat_ = {std::move(*plan.repeat), stage.loads, {}};
    std::vector<std::int64_t> place_of;
    for (std::size_t s = 0; s < stage.stores.size(); ++s) {
      const std::size_t first = stage.first_to_same_place(s);
      place_of.push_back(first == s ? std::ssize(repeat_->stores) : place_of[first]);
      if (first == s) repeat_->stores.push_back(stage.stores[s]);
    }
    for (std::size_t l = 0; l < stage.loads.size(); ++l) {
      stage.loads[l] = {0, IndexMap::fixed(static_cast<std::int64_t>(l))};
      if (auto& from = repeat_->plan.fed_by[l]) from = static_cast<int>(place_of[static_cast<std::size_t>(*from)]);
    }
    for (std::size_t s = 0; s < stage.stores.size(); ++s)
      stage.stores[s] = {0, IndexMap::fixed(place_of[s]), stage.stores[s].mode};
  }
  parts_ = std::move(plan.parts);
  for (auto& p : plan.stages) {
    Stage stage{.plan = std::move(p), .constants = {}, .registers = {}, .register_count = 0, .reductions = {}};
    for (const Quad c : stage.plan.program.constants()) stage.constants.push_back(T(static_cast<LaneOf<T>>(c)));
    if (parts_.empty()) {
      stage.register_count = assign_registers(stage.plan.program, stage.registers);
    } else {  // which of them come after another one is not in their order
      stage.registers.resize(stage.plan.program.instructions().size());
      std::iota(stage.registers.begin(), stage.registers.end(), 0U);
      stage.register_count = static_cast<std::uint32_t>(stage.registers.size());
    }
    if (stage.plan.count > 1)
      for (std::size_t s = 0; s < stage.plan.stores.size(); ++s)
        if (stage.plan.stores[s].at.kind() == IndexMap::Kind::fixed) stage.reductions.push_back(static_cast<int>(s));
    stages_.push_back(std::move(stage));
  }
}

/// The instances k .. k + kBlock - 1 of one stage.
template <class T>
template <int kBlock>
struct Interpreter<T>::Execution {
  const Stage& stage;
  T* values;    // register_count blocks
  T* partials;  // KernelSpec::kPartialSums for each reduction
  std::int64_t place_size;

  T* value(Program::Value v) const { return values + std::size_t{kBlock} * stage.registers[v]; }

  // y = f(a), f(a, b) or f(a, b, c), of as many arguments as f takes.
  template <class F>
  void map(const Instruction& i, T* y, F f) const {
    const T *a = value(i.args[0]), *b = value(i.args[1]), *c = value(i.args[2]);
    for (int j = 0; j < kBlock; ++j) {
      if constexpr (std::is_invocable_v<F, T>) y[j] = f(a[j]);
      if constexpr (std::is_invocable_v<F, T, T>) y[j] = f(a[j], b[j]);
      if constexpr (std::is_invocable_v<F, T, T, T>) y[j] = f(a[j], b[j], c[j]);
    }
  }

  void compute(const Instruction& i, T* y, std::int64_t k, const T* const* in) const {
    const auto truth = [](const Mask<T>& m) { return select(m, T(1), T(0)); };
    switch (i.code) {
      case Code::load: {
        const auto& l = stage.plan.loads[i.index];
        const T* x = in[l.vector] + l.part;
        for (int j = 0; j < kBlock; ++j) y[j] = x[place_size * l.at(k + j)];
        return;
      }
      case Code::counter: {
        const IndexMap& at = stage.plan.counters[i.index];
        for (int j = 0; j < kBlock; ++j) y[j] = T(static_cast<LaneOf<T>>(at(k + j)));
        return;
      }
      case Code::constant:
        for (int j = 0; j < kBlock; ++j) y[j] = stage.constants[i.index];
        return;
      case Code::add:
        return map(i, y, [](const T& a, const T& b) { return a + b; });
      case Code::sub:
        return map(i, y, [](const T& a, const T& b) { return a - b; });
      case Code::mul:
        return map(i, y, [](const T& a, const T& b) { return a * b; });
      case Code::div:
        return map(i, y, [](const T& a, const T& b) { return a / b; });
      case Code::neg:
        return map(i, y, [](const T& a) { return -a; });
      case Code::fma:
        return map(i, y, [](const T& a, const T& b, const T& c) { return fma(a, b, c); });
      case Code::fms:
        return map(i, y, [](const T& a, const T& b, const T& c) { return fma(a, b, -c); });
      case Code::fnma:
        return map(i, y, [](const T& a, const T& b, const T& c) { return fma(-a, b, c); });
      case Code::sqrt:
        return map(i, y, [](const T& a) { return sqrt(a); });
      case Code::abs:
        return map(i, y, [](const T& a) { return abs(a); });
      case Code::sign:
        return map(i, y, [](const T& a) { return select(a > T(0), T(1), select(a < T(0), T(-1), T(0))); });
      case Code::floor:
        return map(i, y, [](const T& a) { return floor(a); });
      case Code::min:
        return map(i, y, [](const T& a, const T& b) { return select(b < a, b, a); });
      case Code::max:
        return map(i, y, [](const T& a, const T& b) { return select(a < b, b, a); });
      case Code::lt:
        return map(i, y, [&](const T& a, const T& b) { return truth(a < b); });
      case Code::le:
        return map(i, y, [&](const T& a, const T& b) { return truth(a <= b); });
      case Code::eq:
        return map(i, y, [&](const T& a, const T& b) { return truth(a == b); });
      case Code::ne:
        return map(i, y, [&](const T& a, const T& b) { return truth(a != b); });
      case Code::select:
        return map(i, y, [](const T& a, const T& b, const T& c) { return select(a != T(0), b, c); });
      case Code::call: {
        const T *a = value(i.args[0]), *b = arity(i.function) == 2 ? value(i.args[1]) : a;
        if constexpr (std::is_same_v<T, double>) {
          apply(i.function, a, b, y, kBlock);
        } else {
          for (int j = 0; j < kBlock; ++j) y[j] = apply<T>(i.function, a[j], b[j]);
        }
        return;
      }
    }
    check_failed("the code is known");
  }

  void store(std::size_t s, T* y, std::int64_t k, T* const* out) const {
    const auto& store = stage.plan.stores[s];
    T* x = out[store.vector] + store.part;
    for (int j = 0; j < kBlock; ++j) {
      T& place = x[place_size * store.at(k + j)];
      place = store.mode == Mode::assign ? y[j] : combine(store.mode, place, y[j]);
    }
  }

  void compute(Program::Value first, std::size_t end, std::int64_t k, const T* const* in) const {
    for (Program::Value v = first; v < end; ++v) compute(stage.plan.program.instructions()[v], value(v), k, in);
  }

  void run(std::int64_t k, const T* const* in, T* const* out) const {
    const auto& program = stage.plan.program;
    compute(0, program.instructions().size(), k, in);

    T* partial = partials;
    T signed_value[kBlock];
    for (std::size_t s = 0, r = 0; s < stage.plan.stores.size(); ++s) {
      const auto& output = program.outputs()[s];
      T* y = value(output.value);
      if (output.negative) {
        for (int j = 0; j < kBlock; ++j) signed_value[j] = -y[j];
        y = signed_value;
      }
      if (r < stage.reductions.size() && std::cmp_equal(stage.reductions[r], s)) {
        for (int j = 0; j < kBlock; ++j) {
          T& p = partial[(k + j) % KernelSpec::kPartialSums];
          p = combine(stage.plan.stores[s].mode, p, y[j]);
        }
        partial += KernelSpec::kPartialSums;
        ++r;
      } else {
        store(s, y, k, out);
      }
    }
  }

  void begin_reductions() const {
    T* p = partials;
    for (const int s : stage.reductions)
      for (int j = 0; j < KernelSpec::kPartialSums; ++j)
        std::construct_at(p++, neutral<T>(stage.plan.stores[static_cast<std::size_t>(s)].mode));
  }

  void end_reductions(T* const* out) const {
    T* p = partials;
    for (const int s : stage.reductions) {
      const auto& store = stage.plan.stores[static_cast<std::size_t>(s)];
      for (int n = KernelSpec::kPartialSums; n > 1; n /= 2)
        for (int j = 0; j < n / 2; ++j) p[j] = combine(store.mode, p[2 * j], p[2 * j + 1]);
      T& place = out[store.vector][place_size * store.at.offset() + store.part];
      place = combine(store.mode, place, p[0]);
      p += KernelSpec::kPartialSums;
    }
  }
};

template <class T>
void Interpreter<T>::operator()(const T* const* in, T* const* out) const {
  if (!parts_.empty()) return run_parts(in, out);
  if (repeat_) return run(*repeat_, stages_.front(), in, out);
  for (const Stage& stage : stages_) run(stage, in, out);
}

template <class T>
void Interpreter<T>::run(const Repeat& repeat, const Stage& stage, const T* const* in, T* const* out) {
  const std::size_t load_count = repeat.loads.size(), place_count = repeat.stores.size();
  const std::size_t size = sizeof(T) * (stage.register_count + load_count + place_count);
  std::size_t space = size + alignof(T);
  void* memory = alloca(space);
  T* values = static_cast<T*>(std::align(alignof(T), size, memory, space));
  T *loads = values + stage.register_count, *trial = loads + load_count;
  const auto place = [&](std::size_t p) -> T& { return out[repeat.stores[p].vector][repeat.stores[p].at.offset()]; };

  for (std::size_t l = 0; l < load_count; ++l)
    std::construct_at(loads + l, in[repeat.loads[l].vector][repeat.loads[l].at.offset()]);
  const Execution<1> pass{stage, values, nullptr, 1};
  const T* const scratch_in[] = {loads};
  T* const scratch_out[] = {trial};
  T active(1), done(0);  // active: 1 in the lanes whose passes have not ended
  for (LaneOf<T> left = lane(in[repeat.plan.passes][0], 0); left >= 1; left -= 1) {
    for (std::size_t p = 0; p < place_count; ++p) std::construct_at(trial + p, place(p));
    pass.run(0, scratch_in, scratch_out);
    const T& guard = *pass.value(stage.plan.program.outputs().back().value);
    active = active * all_together<T>((guard < T(0)) | (guard > T(0)));
    const Mask<T> counts = active != T(0);
    if (!any(counts)) break;
    done = done + active;
    for (std::size_t p = 0; p < place_count; ++p) place(p) = select(counts, trial[p], place(p));
    for (std::size_t l = 0; l < load_count; ++l)
      if (const auto p = repeat.plan.fed_by[l]) loads[l] = select(counts, trial[*p], loads[l]);
  }
  out[repeat.plan.done][0] = done;
}

template <class T>
void Interpreter<T>::run_parts(const T* const* in, T* const* out) const {
  const Stage& stage = stages_.front();
  const Repeat& repeat = *repeat_;
  const std::size_t load_count = repeat.loads.size(), place_count = repeat.stores.size();
  const std::size_t size = sizeof(T) * (stage.register_count + load_count + place_count);
  std::size_t space = size + alignof(T);
  void* memory = alloca(space);
  T* values = static_cast<T*>(std::align(alignof(T), size, memory, space));
  T *loads = values + stage.register_count, *left = loads + load_count;
  std::uninitialized_default_construct_n(values, stage.register_count + load_count + place_count);
  for (std::size_t l = 0; l < load_count; ++l) loads[l] = in[repeat.loads[l].vector][repeat.loads[l].at.offset()];
  const Execution<1> pass{stage, values, nullptr, 1};
  const T* const scratch_in[] = {loads};
  const auto hold = [&](const KernelPlan::Part::Values& all) {
    return std::ranges::all_of(all, [&](Program::Value v) { return lane(*pass.value(v), 0) != LaneOf<T>(0); });
  };
  // @return where results are; nothing if the pass does not count.
  const auto run_pass = [&]() -> const KernelPlan::Part::Values* {
    for (std::size_t k = 0;;) {
      const KernelPlan::Part& part = parts_[k];
      pass.compute(k == 0 ? 0 : parts_[k - 1].end, part.end, 0, scratch_in);
      if (!hold(part.must_hold)) return nullptr;
      if (part.branches.empty()) return &part.results;
      const auto next = std::ranges::find_if(part.branches, [&](const auto& branch) { return hold(branch.if_all); });
      if (next == part.branches.end()) return nullptr;
      k = next->part;
    }
  };
  LaneOf<T> done = 0;
  for (LaneOf<T> wanted = lane(in[repeat.plan.passes][0], 0); wanted >= 1; wanted -= 1) {
    const KernelPlan::Part::Values* const results = run_pass();
    if (results == nullptr) break;
    done += 1;
    for (std::size_t s = 0; s < place_count; ++s) left[s] = *pass.value((*results)[s]);
    for (std::size_t l = 0; l < load_count; ++l)
      if (const auto s = repeat.plan.fed_by[l]) loads[l] = left[*s];
  }
  if (done > 0)
    for (std::size_t s = 0; s < place_count; ++s) out[repeat.stores[s].vector][repeat.stores[s].at.offset()] = left[s];
  out[repeat.plan.done][0] = T(done);
}

template <class T>
void Interpreter<T>::run(const Stage& stage, const T* const* in, T* const* out) const {
  // Only for double does a block fit the vector unit; it equals the number of partial sums.
  constexpr int block_size = std::is_same_v<T, double> ? KernelSpec::kPartialSums : 1;
  const std::int64_t count = stage.plan.count;
  const std::size_t value_count = (count < block_size ? 1 : block_size) * std::size_t{stage.register_count};
  const std::size_t size = sizeof(T) * (value_count + KernelSpec::kPartialSums * stage.reductions.size());
  std::size_t space = size + alignof(T);
  void* memory = alloca(space);
  T* values = static_cast<T*>(std::align(alignof(T), size, memory, space));
  T* partials = values + value_count;

  std::int64_t k = 0;
  const Execution<1> one{stage, values, partials, place_size_};
  one.begin_reductions();
  const Execution<block_size> block{stage, values, partials, place_size_};
  for (; k + block_size <= count; k += block_size) block.run(k, in, out);
  for (; k < count; ++k) one.run(k, in, out);
  one.end_reductions(out);
}

COTANGENT_INSTANTIATE(KERNELS, Interpreter);

}  // namespace cotangent
