#include "cotangent/kernel/recorded_kernel.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

KernelPlan RecordedKernel::plan(Recording& recording) const {
  const Recording::Id zero = recording.id_of(0), one = recording.id_of(1);
  std::vector<Program::Output> outputs;
  for (const Result& result : results) outputs.push_back({recording.id_of(result.value) - 1});

  std::vector<Instruction> code;
  for (const auto& [op, index, a, b, c] : recording.operations()) {
    Instruction i{.code = code_of(op), .index = op == Seen::input || op == Seen::constant ? index : 0};
    if (op == Seen::call) i.function = static_cast<Function>(index);
    const std::array arguments{a, op == Seen::opposite ? zero : b, c};
    for (std::size_t k = 0; k < 3; ++k) i.args[k] = arguments[k] == 0 ? 0 : arguments[k] - 1;
    code.push_back(i);
  }
  const auto add = [&](Code operation, Program::Value a, Program::Value b) {
    code.push_back({.code = operation, .args = {a, b, 0}});
    return static_cast<Program::Value>(code.size() - 1);
  };
  Program::Value guard = add(Code::eq, one - 1, one - 1);
  for (const auto& [op, a, b] : recording.choices()) guard = add(Code::mul, guard, add(code_of(op), a - 1, b - 1));
  outputs.push_back({guard});

  const std::vector<Quad> constants(recording.constants().begin(), recording.constants().end());
  KernelPlan::Stage stage{1, Program(std::move(code), constants, std::move(outputs)), {}, {}, {}};
  KernelPlan plan;
  plan.count = 1;
  plan.repeat = {{}, passes, done, false};
  for (const auto l : stage.program.renumber(Code::load)) {
    const Place& from = inputs[l];
    stage.loads.push_back({from.vector, IndexMap::fixed(from.at)});
    const auto fed = std::find_if(results.begin(), results.end(), [&](const Result& r) { return r.to == from; });
    plan.repeat->fed_by.push_back(fed == results.end() ? std::nullopt
                                                       : std::optional(static_cast<int>(fed - results.begin())));
  }
  for (const Result& result : results)
    stage.stores.push_back({result.to.vector, IndexMap::fixed(result.to.at), KernelSpec::Mode::assign});
  plan.stages.push_back(std::move(stage));
  return plan;
}

}  // namespace cotangent
