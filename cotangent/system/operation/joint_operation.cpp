#include "cotangent/system/operation/joint_operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {

template <class T>
JointOperation<T>::JointOperation(System<T>& system, std::vector<Term> terms, std::vector<std::int64_t> output_sizes,
                                  int slots)
    : system_(system),
      terms_(std::move(terms)),
      sizes_(std::move(output_sizes)),
      slots_(static_cast<std::size_t>(slots), nullptr),
      frame_(system.frame()) {
  frame_.in.resize(frame_.in.size() + slots_.size(), nullptr);
}

template <class T>
void JointOperation<T>::at(const T* q, const T* p, const T& t) {
  frame_.in[in::q] = q;
  frame_.in[in::p] = p;
  frame_.in[in::t] = &t;
}

template <class T>
std::string JointOperation<T>::key() const {
  std::string key = fmt::format("{} of {}:", fmt::join(sizes_, " "), slots_.size());
  for (const Term& term : terms_) {
    key += fmt::format(" {} {} {}", term.output, term.factor, key_of(term.contraction));
    for (const auto& [input, slot] : term.inputs) key += fmt::format(" {}={}", static_cast<int>(input), slot);
  }
  return key;
}

template <class T>
typename JointOperation<T>::Joint JointOperation<T>::join() const {
  const CompiledModel& model = system_.model();
  const auto first_slot = static_cast<int>(frame_.in.size() - slots_.size());
  ContractionBuilder builder(model.elements());
  SpecSequence specs;
  for (const Term& term : terms_) {
    if (!model.is_made_of_elements(term.contraction)) return std::nullopt;
    const ContractionPlan plan = builder.build(term.contraction);
    for (const auto& zero : plan.zero)
      if (zero.vector != out::result) return std::nullopt;
    for (KernelSpec spec : plan.kernels) {
      for (auto& load : spec.loads)
        for (const auto& [input, slot] : term.inputs)
          if (load.vector == static_cast<int>(input)) load.vector = first_slot + slot;
      for (auto& store : spec.stores) {
        if (store.vector != out::result) return std::nullopt;
        store.vector = term.output;
        store.value = store.value * term.factor;
        // What one term assigns the next may add to.
        store.mode = KernelSpec::Mode::add;
      }
      specs.kernels.push_back(std::move(spec));
    }
  }
  specs.kernels = fuse(std::move(specs.kernels));
  for (std::size_t o = 0; o < sizes_.size(); ++o) {
    const auto output = static_cast<int>(o);
    bool is_reached = false;
    for (const auto& spec : specs.kernels)
      for (const auto& store : spec.stores) is_reached = is_reached || store.vector == output;
    if (is_reached && assign_first(specs.kernels, output, sizes_[o])) specs.zero.push_back({output, sizes_[o]});
  }
  return model.compile<T>(*builder.graph(), specs);
}

template <class T>
void JointOperation<T>::prepare_calls() {
  result_.assign(static_cast<std::size_t>(*std::max_element(sizes_.begin(), sizes_.end())), T(0));
  for (const Term& term : terms_)
    operations_.push_back(system_.vanishes(term.contraction) ? nullptr : &system_.operation(term.contraction));
}

template <class T>
void JointOperation<T>::call_each(T* const* outputs) {
  for (std::size_t o = 0; o < sizes_.size(); ++o) std::fill_n(outputs[o], sizes_[o], T(0));
  frame_.out[out::result] = result_.data();
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    if (!operations_[k]) continue;
    const Term& term = terms_[k];
    for (const auto& [input, slot] : term.inputs)
      frame_.in[static_cast<std::size_t>(input)] = slots_[static_cast<std::size_t>(slot)];
    (*operations_[k])(frame_);
    const auto o = static_cast<std::size_t>(term.output);
    for (std::int64_t j = 0; j < sizes_[o]; ++j)
      outputs[o][j] += T(static_cast<LaneOf<T>>(term.factor)) * result_[static_cast<std::size_t>(j)];
  }
}

template <class T>
void JointOperation<T>::operator()(std::initializer_list<T*> given) {
  T* const* const outputs = given.begin();
  if (!joint_) {
    joint_ = &system_.model().template shared<Joint>(key(), [this] { return join(); });
    if (!*joint_) prepare_calls();
    for (std::size_t o = 0; o < sizes_.size(); ++o) std::fill_n(outputs[o], sizes_[o], T(0));
  }
  if (!*joint_) {
    call_each(outputs);
    return;
  }
  std::copy(slots_.begin(), slots_.end(), frame_.in.end() - static_cast<std::ptrdiff_t>(slots_.size()));
  (**joint_)(frame_.in.data(), outputs);
}

COTANGENT_INSTANTIATE(NUMBERS, JointOperation);

}  // namespace cotangent
