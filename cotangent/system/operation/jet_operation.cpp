#include "cotangent/system/operation/jet_operation.hpp"

#include <algorithm>
#include <set>

#include "cotangent/base/check.hpp"

namespace cotangent {

template <class T>
JetOperation<T>::JetOperation(System<T>& system, const Contraction& contraction, int orders,
                              const typename JetKernel<T>::Again& again) {
  const Elements& elements = system.elements();
  COTANGENT_CHECK(system.model().is_made_of_elements(contraction));
  ContractionBuilder builder(elements);
  const ContractionPlan plan = builder.build(contraction);
  std::set<int> written;
  // Group variables change with whatever they are made of, and are read.
  const bool has_groups = !builder.groups_of(builder.families_of(contraction.of)).empty();
  const typename JetKernel<T>::Again changes = has_groups ? typename JetKernel<T>::Again{} : again;
  has_results_again_ = changes.needs_results;
  for (KernelSpec spec : plan.kernels) {
    if (spec.stores.empty() || spec.count == 0) continue;
    for (auto& load : spec.loads) load.constant = load.vector >= in::kColumns;  // kernels that are joined forget it
    kernels_.emplace_back(spec, orders, changes);
    for (const auto& store : spec.stores) written.insert(store.vector);
  }
  const Frame<T> constants = system.frame();
  frame_.in.resize(constants.in.size());
  frame_.out.resize(constants.out.size());
  for (std::size_t c = in::kColumns; c < constants.in.size(); ++c) frame_.in[c] = {constants.in[c], 0};

  using Result = Contraction::Result;
  const std::int64_t size = contraction.result == Result::gradient_s ? elements.states
                            : contraction.result != Result::value    ? elements.n
                            : contraction.has_rows()                 ? row_count(elements, contraction.of)
                                                                     : 1;
  zero_.push_back({out::result, static_cast<std::size_t>(size)});
  const auto groups = static_cast<std::size_t>(elements.group_count);
  for (const int vector : written) {
    if (vector == out::result) continue;
    // Group variables and adjoints: what is written is read by other kernels, under another number.
    const int read =
        vector >= out::kAdjoints ? vector - out::kAdjoints + in::kAdjoints : vector - out::kGroups + in::kGroups;
    series_.emplace_back(groups * static_cast<std::size_t>(orders), T(0));
    frame_.out[static_cast<std::size_t>(vector)] = {series_.back().data(), groups};
    frame_.in[static_cast<std::size_t>(read)] = {series_.back().data(), groups};
    zero_.push_back({vector, groups});
  }
}

template <class T>
void JetOperation<T>::operator()(int k, bool again) {
  if (again && k > 0 && !has_results_again_) {
    for (JetKernel<T>& kernel : kernels_) kernel(k, true, frame_);
    return;
  }
  for (const Zero& each : zero_) std::fill_n(frame_.out[static_cast<std::size_t>(each.vector)].row(k), each.size, T(0));
  for (JetKernel<T>& kernel : kernels_) kernel(k, again, frame_);
}

template <class T>
bool JetOperation<T>::has_pieces() const {
  return std::ranges::any_of(kernels_, [](const JetKernel<T>& kernel) { return kernel.has_pieces(); });
}

template <class T>
T JetOperation<T>::first_change(int orders, const T& h) const {
  T first = h;
  for (const JetKernel<T>& kernel : kernels_)
    if (kernel.has_pieces()) first = kernel.first_change(orders, first);
  return first;
}

COTANGENT_INSTANTIATE(NUMBERS, JetOperation);

}  // namespace cotangent
