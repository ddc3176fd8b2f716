#include "cotangent/kernel/llvm_values.hpp"

#include <algorithm>

namespace cotangent {

using Code = Program::Code;
using Kind = IndexMap::Kind;
using llvm::Value;

// Whether a load, counter or constant is the same for all instances of a stage, or all passes.
static bool is_uniform_leaf(const KernelPlan& plan, const KernelPlan::Stage& stage, const Program::Instruction& i) {
  if (i.code == Code::load && plan.repeat) return !plan.repeat->fed_by[i.index];
  if (i.code == Code::load) return stage.loads[i.index].at.kind() == Kind::fixed;
  if (i.code == Code::counter) return stage.counters[i.index].kind() == Kind::fixed;
  return true;
}

void compute(LlvmAccess& access, const KernelPlan::Stage& stage, const LlvmAccess::Places& places,
             const LlvmAccess::Block& block, bool uniform_only, LlvmValues& values) {
  LlvmArithmetic& arithmetic = access.arithmetic();
  const KernelPlan& plan = access.plan();
  const auto& code = stage.program.instructions();
  values.number.resize(code.size());
  values.truth.resize(code.size());
  for (std::size_t v = 0; v < code.size(); ++v) {
    const auto& i = code[v];
    if (values.number[v]) continue;
    bool uniform = (stage.count == 1 && !plan.repeat) || is_uniform_leaf(plan, stage, i);
    for (const auto a : i.arguments()) uniform = uniform && values.number[a];
    if (uniform_only && !uniform) continue;

    if (i.code == Code::load) {
      values.number[v] = access.load(places.loads[i.index], block, !plan.repeat);
    } else if (i.code == Code::counter) {
      values.number[v] = access.counter(places.counters[i.index], block);
    } else if (i.code == Code::constant) {
      values.number[v] =
          LlvmArithmetic::constant(access.uniform_type(), static_cast<double>(stage.program.constants()[i.index]));
    } else {
      // Arguments of one width.
      int n = 1;
      for (const auto a : i.arguments()) n = std::max(n, LlvmArithmetic::width(values.number[a]->getType()));
      std::vector<Value*> x, truths;
      for (const auto a : i.arguments()) {
        x.push_back(arithmetic.splat(values.number[a], n));
        truths.push_back(values.truth[a] ? arithmetic.splat(values.truth[a], n) : nullptr);
      }
      if (LlvmArithmetic::is_comparison(i.code)) values.truth[v] = arithmetic.comparison(i.code, x);
      if (i.code == Code::mul && truths[0] && truths[1])
        values.truth[v] = access.builder().CreateAnd(truths[0], truths[1]);
      values.number[v] = arithmetic.instruction(i, x, truths);
    }
  }
}

void widen(LlvmAccess& access, const KernelPlan::Stage& stage, LlvmValues& values) {
  const auto& code = stage.program.instructions();
  std::vector<bool> wanted(code.size());
  for (std::size_t v = 0; v < code.size(); ++v)
    if (!values.number[v])
      for (const auto a : code[v].arguments()) wanted[a] = true;
  for (const auto& o : stage.program.outputs()) wanted[o.value] = true;
  for (std::size_t v = 0; v < code.size(); ++v) {
    if (!values.number[v] || !wanted[v]) continue;
    values.number[v] = access.arithmetic().splat(values.number[v], access.width());
    if (values.truth[v]) values.truth[v] = access.arithmetic().splat(values.truth[v], access.width());
  }
}

}  // namespace cotangent
