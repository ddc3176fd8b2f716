#include "cotangent/system/evaluation_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/derivatives/evaluation_error.hpp"
#include "cotangent/system/fuse.hpp"
#include "cotangent/system/needed_groups.hpp"

namespace cotangent {

namespace {

/// The kernels of one function: its group variables with their errors, and then its rows.
class ErrorKernels {
 public:
  enum Output : int { rows, group_errors, groups, kOutputs };

  ErrorKernels(const Elements& elements, Contraction::Of of)
      : builder_(elements), has_error_(static_cast<std::size_t>(elements.group_count), false) {
    const bool is_L = of == Contraction::Of::H && elements.dynamics == Dynamics::lagrangian;
    const auto& families = builder_.families_of(is_L ? Contraction::Of::L : of);
    for (const Family* group : needed_groups(elements, families)) add(*group, true);
    for (const Family& family : families) add(family, false);
    if (!has_rows_) specs_.clear();
  }

  template <class T>
  KernelSequence<T> compile(const CompiledModel& model) const {
    return model.compile<T>(*builder_.graph(), {specs_, {}});
  }

 private:
  void add(const Family& stated, bool is_group) {
    const Family family = builder_.own(stated);
    KernelSpec spec;
    spec.count = family.count;
    spec.loads = builder_.column_loads(stated);
    for (const auto& slot : family.slots)
      spec.loads.push_back({slot.symbol, slot.space == Space::w ? in::kGroups : in::argument(slot.space), slot.at});
    const auto argument = [&](Expr symbol) -> ArgumentError {
      const auto slot = std::find_if(family.slots.begin(), family.slots.end(),
                                     [&](const Family::Slot& candidate) { return candidate.symbol == symbol; });
      if (slot == family.slots.end()) return {};
      if (slot->space != Space::w || !is_marked(slot->at, family.count)) return {true};
      const Expr error = family.f.graph().new_symbol("error", SymbolKind::local);
      spec.loads.push_back({error, in::kScales, slot->at});
      return {true, error};
    };
    const Expr error = evaluation_error(family.f, is_group, argument);
    if (is_group) spec.stores.push_back({family.f, groups, family.row});
    if (!error.is_constant(0)) {
      spec.stores.push_back({error, is_group ? group_errors : rows, family.row});
      if (is_group) mark(family.row, family.count);
      has_rows_ = has_rows_ || !is_group;
    }
    if (spec.stores.empty()) return;
    drop_unused(spec);
    specs_.push_back(std::move(spec));
  }

  void mark(const IndexMap& at, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) has_error_[static_cast<std::size_t>(at(k))] = true;
  }
  bool is_marked(const IndexMap& at, std::int64_t count) const {
    for (std::int64_t k = 0; k < count; ++k)
      if (has_error_[static_cast<std::size_t>(at(k))]) return true;
    return false;
  }

  const ContractionBuilder builder_;
  std::vector<bool> has_error_;  // of group variables
  std::vector<KernelSpec> specs_;
  bool has_rows_ = false;
};

}  // namespace

template <class T>
EvaluationErrors<T>::EvaluationErrors(System<T>& system, Contraction::Of of)
    : kernels_(system.model().template shared<KernelSequence<T>>(
          fmt::format("errors {}", static_cast<int>(of)),
          [&] { return ErrorKernels(system.elements(), of).template compile<T>(system.model()); })),
      frame_(system.frame()) {
  if (vanish()) return;
  groups_.assign(static_cast<std::size_t>(system.elements().group_count), T(0));
  group_errors_ = groups_;
  frame_.in[in::kGroups] = groups_.data();
  frame_.in[in::kScales] = group_errors_.data();
  frame_.out.assign(ErrorKernels::kOutputs, nullptr);
  frame_.out[ErrorKernels::group_errors] = group_errors_.data();
  frame_.out[ErrorKernels::groups] = groups_.data();
}

template <class T>
void EvaluationErrors<T>::add_to(const At<T>& at, Writes<T> rows) {
  if (vanish()) return;
  at.set(frame_);
  frame_.out[ErrorKernels::rows] = rows;
  std::fill(group_errors_.begin(), group_errors_.end(), T(0));
  std::fill(groups_.begin(), groups_.end(), T(0));
  kernels_(frame_);
}

COTANGENT_INSTANTIATE(NUMBERS, EvaluationErrors);

}  // namespace cotangent
