#include "cotangent/system/operation/evaluation_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/derivatives/evaluation_error.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {

namespace {

enum Output : int { rows, group_errors, groups, kOutputs };

/// The kernels of one function: its group variables with their errors, and then its rows; none if its rows have none.
template <class T>
KernelSequence<T> error_kernels(const CompiledModel& model, Contraction::Of of) {
  const Elements& elements = model.elements();
  const ContractionBuilder builder(elements);
  std::vector<bool> has_error(static_cast<std::size_t>(elements.group_count), false);  // of group variables
  std::vector<KernelSpec> specs;
  bool has_rows = false;
  const auto add = [&](const Family& stated, bool is_group) {
    const Family family = builder.own(stated);
    KernelSpec spec = builder.spec_of(stated);
    for (const auto& slot : family.slots) spec.loads.push_back({slot.symbol, in::argument(slot.space), slot.at});
    const auto argument = [&](Expr symbol) -> ArgumentError {
      const auto slot = std::ranges::find(family.slots, symbol, &Family::Slot::symbol);
      if (slot == family.slots.end()) return {};
      bool is_marked = false;
      for (std::int64_t k = 0; k < family.count && slot->space == Space::w; ++k)
        is_marked = is_marked || has_error[static_cast<std::size_t>(slot->at(k))];
      if (!is_marked) return {true};
      const Expr error = family.f.graph().new_symbol("error", SymbolKind::local);
      spec.loads.push_back({error, in::kScales, slot->at});
      return {true, error};
    };
    const Expr error = evaluation_error(family.f, is_group, argument);
    if (is_group) spec.stores.push_back({family.f, groups, family.row});
    if (!error.is_constant(0)) {
      spec.stores.push_back({error, is_group ? group_errors : rows, family.row});
      has_rows = has_rows || !is_group;
      for (std::int64_t k = 0; k < family.count && is_group; ++k)
        has_error[static_cast<std::size_t>(family.row(k))] = true;
    }
    if (spec.stores.empty()) return;
    drop_unused(spec);
    specs.push_back(std::move(spec));
  };
  const bool is_L = of == Contraction::Of::H && elements.dynamics == Dynamics::lagrangian;
  const auto& families = builder.families_of(is_L ? Contraction::Of::L : of);
  for (const Family* group : builder.groups_of(families)) add(*group, true);
  for (const Family& family : families) add(family, false);
  return has_rows ? model.compile<T>(*builder.graph(), {specs, {}}) : KernelSequence<T>();
}

}  // namespace

template <class T>
EvaluationErrors<T>::EvaluationErrors(System<T>& system, Contraction::Of of)
    : kernels_(system.model().template shared<KernelSequence<T>>(fmt::format("errors {}", static_cast<int>(of)),
                                                                 [&] { return error_kernels<T>(system.model(), of); })),
      frame_(system.frame()) {
  if (vanish()) return;
  groups_.assign(static_cast<std::size_t>(system.elements().group_count), T(0));
  group_errors_ = groups_;
  frame_.in[in::kGroups] = groups_.data();
  frame_.in[in::kScales] = group_errors_.data();
  frame_.out.assign(kOutputs, nullptr);
  frame_.out[group_errors] = group_errors_.data();
  frame_.out[groups] = groups_.data();
}

template <class T>
void EvaluationErrors<T>::add_to(const At<T>& at, Writes<T> rows) {
  if (vanish()) return;
  at.set(frame_);
  frame_.out[Output::rows] = rows;
  std::fill(group_errors_.begin(), group_errors_.end(), T(0));
  std::fill(groups_.begin(), groups_.end(), T(0));
  kernels_(frame_);
}

COTANGENT_INSTANTIATE(NUMBERS, EvaluationErrors);

}  // namespace cotangent
