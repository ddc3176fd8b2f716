#include "cotangent/kernel/recorded_kernel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Seen = Recording::Op;
using Instruction = Program::Instruction;

Code code_of(Seen op) {
  switch (op) {
    case Seen::input:
      return Code::load;
    case Seen::constant:
      return Code::constant;
    case Seen::add:
      return Code::add;
    case Seen::sub:
      return Code::sub;
    case Seen::mul:
    case Seen::both:
      return Code::mul;
    case Seen::div:
      return Code::div;
    case Seen::neg:
      return Code::neg;
    case Seen::fma:
      return Code::fma;
    case Seen::sqrt:
      return Code::sqrt;
    case Seen::abs:
      return Code::abs;
    case Seen::floor:
      return Code::floor;
    case Seen::min:
      return Code::min;
    case Seen::max:
    case Seen::either:
      return Code::max;
    case Seen::lt:
      return Code::lt;
    case Seen::le:
      return Code::le;
    case Seen::eq:
    case Seen::opposite:
      return Code::eq;
    case Seen::ne:
      return Code::ne;
    case Seen::select:
      return Code::select;
    case Seen::call:
      return Code::call;
  }
  check_failed("the operation is known");
}

// Which argument of `both` and `either` decides is no part of what is computed.
bool is_same(const Recording::Operation& x, const Recording::Operation& y) {
  const bool is_free = x.op == Seen::both || x.op == Seen::either;
  return x.op == y.op && (is_free || x.index == y.index) && x.a == y.a && x.b == y.b && x.c == y.c;
}

// In code of this length values that are used soon after they are computed stay in registers. In longer code what does
// not depend on each other had better be mixed, as it was recorded.
constexpr std::size_t kShort = 1000;

// Puts the instructions of each part in the order, depth first, in which what the part is for needs them; then those
// for later parts.
void order_depth_first(std::vector<Instruction>& code, std::vector<KernelPlan::Part>& parts) {
  using Values = KernelPlan::Part::Values;
  const std::vector<Instruction> old = std::exchange(code, {});
  std::vector<std::optional<Program::Value>> places(old.size());
  std::vector<Program::Value> stack;
  const auto place = [&](Program::Value root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const Program::Value v = stack.back();
      const std::size_t depth = stack.size();
      if (!places[v]) {
        Instruction i = old[v];
        for (const Program::Value a : std::views::reverse(i.arguments()))
          if (!places[a]) stack.push_back(a);
        if (stack.size() > depth) continue;
        for (std::size_t n = 0; n < i.arguments().size(); ++n) i.args[n] = *places[i.args[n]];
        places[v] = static_cast<Program::Value>(code.size());
        code.push_back(i);
      }
      stack.pop_back();
    }
  };
  Program::Value first = 0;
  for (KernelPlan::Part& part : parts) {
    std::vector<Values*> wanted{&part.results, &part.must_hold};
    for (KernelPlan::Part::Branch& branch : part.branches) wanted.push_back(&branch.if_all);
    for (Values* values : wanted)
      for (Program::Value& v : *values) place(v), v = *places[v];
    for (; first < part.end; ++first) place(first);
  }
}

}  // namespace

RecordedKernel::RecordedKernel(std::vector<Place> inputs, std::vector<Place> results, int passes, int done)
    : inputs_(std::move(inputs)), results_(std::move(results)), passes_(passes), done_(done) {}

RecordedKernel::Added RecordedKernel::add(Recording& recording, const std::vector<Traced>& results) {
  Way way;
  for (const Traced& result : results) way.results.push_back(recording.id_of(result));
  way.operations = recording.operations();
  way.choices = recording.choices();
  way.constants = recording.constants();
  for (const Way& other : ways_) {
    const auto [mine, theirs] = std::ranges::mismatch(way.choices, other.choices);
    const bool is_end = mine == way.choices.end();
    if (is_end || theirs == other.choices.end())
      return is_end && theirs == other.choices.end() ? Added::known : Added::other;
    // Equal choices are known by their numbers, and so are operations.
    const auto made = static_cast<std::ptrdiff_t>(mine->made);
    if (mine->made != theirs->made ||
        !std::equal(way.operations.begin(), way.operations.begin() + made, other.operations.begin(), is_same))
      return Added::other;
  }
  ways_.push_back(std::move(way));
  return Added::yes;
}

/// Deals out what ways have in common, and what not, to the parts of a plan.
class RecordedKernel::Planner {
 public:
  Planner(const RecordedKernel& kernel, KernelPlan& plan) : kernel_(kernel), plan_(plan) {
    std::vector<const Way*> all;
    std::size_t longest = 0;
    for (const Way& way : kernel.ways_) {
      all.push_back(&way);
      longest = std::max(longest, way.operations.size());
      find_used(way);
    }
    values_.resize(longest);
    add_part(all, 0, 0);
    if (code_.size() <= kShort) order_depth_first(code_, plan.parts);
    plan_.stages.push_back({1, Program(std::move(code_), std::move(constants_)), {}, {}, {}});
  }

 private:
  using Ways = std::vector<const Way*>;
  using Choices = std::span<const Recording::Choice>;

  // Which operations results and choices are made of.
  void find_used(const Way& way) {
    std::vector<char>& used = used_[&way];
    used.resize(way.operations.size());
    const auto use = [&](Recording::Id id) {
      if (id != 0) used[id - 1] = 1;
    };
    for (const Recording::Id id : way.results) use(id);
    for (const Recording::Choice& choice : way.choices) use(choice.a), use(choice.b);
    for (std::size_t k = used.size(); k-- > 0;)
      if (used[k] != 0)
        for (const Recording::Id id : {way.operations[k].a, way.operations[k].b, way.operations[k].c}) use(id);
  }

  // The choices from the first one on that were made at the same time: they depend on nothing between them.
  static Choices made_together(const Way& way, std::size_t first) {
    const Choices rest = Choices(way.choices).subspan(first);
    const auto end = std::ranges::find_if(rest, [&](const auto& choice) { return choice.made != rest[0].made; });
    return rest.first(static_cast<std::size_t>(end - rest.begin()));
  }

  // The ways have `made` operations and so many choices in common. @return the number of the part.
  std::uint32_t add_part(const Ways& ways, std::size_t made, std::size_t choices) {
    const auto number = static_cast<std::uint32_t>(plan_.parts.size());
    plan_.parts.emplace_back();
    KernelPlan::Part part;
    std::vector<std::pair<Choices, Ways>> directions;
    while (directions.size() < 2) {
      const Way& way = *ways.front();
      if (choices == way.choices.size()) {
        add_operations(ways, made, way.operations.size());
        for (const Recording::Id id : way.results) part.results.push_back(values_[id - 1]);
        break;
      }
      const std::size_t next = way.choices[choices].made;
      add_operations(ways, made, next);
      made = next;
      directions.clear();
      for (const Way* each : ways) {
        const Choices here = made_together(*each, choices);
        const auto same = std::ranges::find_if(
            directions, [&](const auto& direction) { return std::ranges::equal(direction.first, here); });
        (same == directions.end() ? directions.emplace_back(here, Ways()) : *same).second.push_back(each);
      }
      if (directions.size() == 1) {
        add_comparisons(directions[0].first, part.must_hold);
        choices += directions[0].first.size();
      }
    }
    if (directions.size() > 1)
      for (const auto& [here, there] : directions) add_comparisons(here, part.branches.emplace_back().if_all);
    part.end = static_cast<std::uint32_t>(code_.size());
    for (std::size_t k = 0; k < part.branches.size(); ++k) {
      const auto& [here, there] = directions[k];
      part.branches[k].part = add_part(there, made, choices + here.size());
    }
    plan_.parts[number] = std::move(part);
    return number;
  }

  void add_operations(const Ways& ways, std::size_t first, std::size_t end) {
    const Way& way = *ways.front();
    for (std::size_t k = first; k < end; ++k) {
      if (std::ranges::none_of(ways, [&](const Way* each) { return used_.at(each)[k] != 0; })) continue;
      const auto& [op, index, a, b, c] = way.operations[k];
      if (op == Seen::constant) {
        values_[k] = constant(way.constants[index]);
        continue;
      }
      Instruction i{.code = code_of(op), .index = op == Seen::input ? index : 0};
      if (op == Seen::call) i.function = static_cast<Function>(index);
      const std::array arguments{a, b, c};
      for (std::size_t n = 0; n < 3; ++n) i.args[n] = arguments[n] == 0 ? 0 : values_[arguments[n] - 1];
      if (op == Seen::opposite) i.args[1] = constant(0);
      values_[k] = add(i);
    }
  }

  void add_comparisons(const Choices& choices, KernelPlan::Part::Values& values) {
    for (const auto& [op, a, b, made] : choices)
      values.push_back(add({.code = code_of(op), .args = {values_[a - 1], values_[b - 1], 0}}));
  }

  Program::Value constant(double x) {
    constants_.push_back(x);
    return add({.code = Code::constant, .index = static_cast<std::uint32_t>(constants_.size() - 1)});
  }

  Program::Value add(const Instruction& i) {
    code_.push_back(i);
    return static_cast<Program::Value>(code_.size() - 1);
  }

  const RecordedKernel& kernel_;
  KernelPlan& plan_;
  std::map<const Way*, std::vector<char>> used_;
  std::vector<Program::Value> values_;  // of the operations on the way to the current part
  std::vector<Instruction> code_;
  std::vector<Quad> constants_;
};

KernelPlan RecordedKernel::plan() const {
  KernelPlan plan;
  plan.count = 1;
  Planner(*this, plan);
  KernelPlan::Stage& stage = plan.stages.front();
  plan.repeat = {{}, passes_, done_};
  for (const auto l : stage.program.renumber(Code::load)) {
    const Place& from = inputs_[l];
    stage.loads.push_back({from.vector, IndexMap::fixed(from.at)});
    const auto fed = std::ranges::find(results_, from);
    plan.repeat->fed_by.push_back(fed == results_.end() ? std::nullopt
                                                        : std::optional(static_cast<int>(fed - results_.begin())));
  }
  for (const Place& to : results_)
    stage.stores.push_back({to.vector, IndexMap::fixed(to.at), KernelSpec::Mode::assign});
  return plan;
}

}  // namespace cotangent
