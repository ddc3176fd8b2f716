#include "cotangent/kernel/jet_plan.hpp"

#include <algorithm>

#include "cotangent/base/check.hpp"
#include "cotangent/base/pack.hpp"

namespace cotangent {
namespace {

using Code = Program::Code;
using Rule = JetProgram::Rule;

// Instances of a block: rows of all coefficients of a few values stay in the first cache. The same for lanes, since
// results are added up block by block.
constexpr std::size_t kBlock = 64;

Program program_of(const KernelSpec& spec) {
  COTANGENT_CHECK(!spec.repeat && spec.place_size == 1);
  std::vector<Program::Leaf> leaves;
  for (std::uint32_t l = 0; l < spec.loads.size(); ++l) leaves.push_back({spec.loads[l].symbol, Code::load, l});
  for (std::uint32_t c = 0; c < spec.counters.size(); ++c)
    leaves.push_back({spec.counters[c].symbol, Code::counter, c});
  std::vector<Program::Target> targets;
  for (const auto& store : spec.stores) targets.push_back({store.value, true});
  return Program(leaves, targets);
}

std::vector<bool> constant_loads(const KernelSpec& spec) {
  std::vector<bool> constant;
  for (const auto& load : spec.loads) constant.push_back(load.constant);
  return constant;
}

// Rows of several instances are whole vectors, whatever the processor's are.
std::size_t row_of(std::int64_t count, std::size_t width) {
  constexpr std::size_t kVector = kVectorBytes / sizeof(double);
  const auto instances = static_cast<std::size_t>(count);
  if (width > 1 || instances <= 1) return std::min(instances, kBlock) * width;
  return std::min((instances + kVector - 1) / kVector * kVector, kBlock);
}

}  // namespace

JetPlan::JetPlan(const KernelSpec& spec, int orders, const Again& what_changes, std::size_t numbers)
    : program(program_of(spec), constant_loads(spec)),
      stores_again(what_changes.needs_results),
      count(spec.count),
      width(numbers),
      row(row_of(spec.count, numbers)) {
  for (const auto& each : spec.loads) loads.push_back({each.vector, each.at});
  for (const auto& each : spec.counters) counters.push_back(each.at);
  for (const auto& each : spec.stores) stores.push_back({each.vector, each.at});
  for (Value v = 0; v < program.steps().size(); ++v)
    if (program.steps()[v].rule != Rule::still) moving.push_back(v);
  find_again(spec, what_changes);
  is_moving = !program.switches().empty();
  for (const auto& output : program.outputs())
    is_moving = is_moving || program.steps()[output.value].rule != Rule::still;
  for (const auto& step : program.steps()) {
    const bool is_kept = step.has_history || step.rule == Rule::still;
    std::size_t& rows = is_kept ? kept_rows : scratch_rows;
    Place place{rows * row, step.has_history ? row : 0, is_kept};
    rows += step.has_history ? static_cast<std::size_t>(orders) : 1;
    place.rest = kept_rows * row;
    if (step.has_rest) ++kept_rows;
    places.push_back(place);
  }
}

std::int64_t JetPlan::blocks() const {
  const auto each = static_cast<std::int64_t>(std::max<std::size_t>(1, instances()));
  return (count + each - 1) / each;
}

bool JetPlan::is_alone(std::size_t store) const {
  const auto [first, last] = stores[store].at.bounds(count);
  return stores[store].at.kind() == IndexMap::Kind::unit && std::ranges::all_of(stores, [&](const Store& other) {
           if (other.vector != stores[store].vector || other.at == stores[store].at) return true;
           const auto [other_first, other_last] = other.at.bounds(count);
           return other_last < first || last < other_first;
         });
}

// Steps that depend on what changes, as far as they are needed, and what they read of the scratch space, which may be
// that of another block by now.
void JetPlan::find_again(const KernelSpec& spec, const Again& what_changes) {
  const auto& steps = program.steps();
  const auto inputs = [&](Value v) {
    std::vector<Value> found;
    for (const Value x : steps[v].args)
      if (x != JetProgram::kNone && steps[x].rule != Rule::still) found.push_back(x);
    return found;
  };
  std::vector<bool> changes(steps.size()), is_wanted(steps.size());
  for (const Value v : moving) {
    const auto& step = steps[v];
    changes[v] =
        step.rule == Rule::load && (what_changes.vector < 0 || spec.loads[step.of.index].vector == what_changes.vector);
    for (const Value x : inputs(v)) changes[v] = changes[v] || changes[x];
    is_wanted[v] = changes[v] && step.has_history;
  }
  if (what_changes.needs_results)
    for (const auto& output : program.outputs()) is_wanted[output.value] = true;
  for (auto v = static_cast<Value>(steps.size()); v-- > 0;) {
    if (!is_wanted[v]) continue;
    for (const Value x : inputs(v)) is_wanted[x] = is_wanted[x] || changes[x] || !steps[x].has_history;
  }
  for (const Value v : moving)
    if (is_wanted[v]) again.push_back(v);
}

}  // namespace cotangent
