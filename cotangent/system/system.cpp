#include "cotangent/system/system.hpp"

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/black_box/black_box_elements.hpp"
#include "cotangent/system/black_box/black_box_source.hpp"
#include "cotangent/system/legendre/legendre.hpp"

namespace cotangent {

template <class T>
System<T>::System(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)), columns_(model_->columns<T>()), diagonal_mass_(model_->diagonal_mass<T>()) {
  if (elements().group_count > 0) {
    const std::vector<T> zeros(static_cast<std::size_t>(elements().group_count), T(0));
    groups_.assign(in::kMasks, zeros);
    adjoints_.assign(in::kMasks, zeros);
    scales_ = zeros;
  }
  row_scales_.assign(static_cast<std::size_t>(m()), T(0));
  frame_ = frame();
  frame_.out[out::norms] = norms_.data();
  if (elements().dynamics == Dynamics::lagrangian) {
    auto legendre = std::make_unique<Legendre<T>>(*this);
    legendre_ = legendre.get();
    source_ = std::move(legendre);
  }
  if (elements().declared) {
    if constexpr (std::same_as<T, double>) {
      source_ = std::make_unique<BlackBoxSource>(elements());
    } else {
      throw std::invalid_argument("H and g are C++ functions of double: nothing else can be computed with them");
    }
  }
}

template <class T>
System<T>::System(BlackBox box) requires std::same_as<T, double>
    : System(black_box_elements(std::move(box)), Backend::interpreter) {}

template <class T>
System<T>::~System() = default;

template <class T>
std::optional<Quad> System<T>::uniform_mass() const {
  if (!diagonal_mass_ || diagonal_mass_->empty()) return std::nullopt;
  const auto first = lane(diagonal_mass_->front(), 0);
  for (const T& w : *diagonal_mass_)
    if (lane(w, 0) != first) return std::nullopt;
  return static_cast<Quad>(first);
}

template <class T>
const Operation<T>& System<T>::operation(const Contraction& contraction) {
  if (model_->is_made_of_elements(contraction)) return model_->operation<T>(contraction);
  auto& made = operations_[contraction];
  if (!made) made = source_->make(contraction);
  return *made;
}

template <class T>
Frame<T> System<T>::frame() {
  Frame<T> frame;
  frame.in.assign(static_cast<std::size_t>(in::kColumns) + columns_.size(), nullptr);
  frame.out.assign(static_cast<std::size_t>(out::kVectors), nullptr);
  frame.in[in::t] = &no_time_;
  for (std::size_t mask = 0; mask < groups_.size(); ++mask) {
    frame.in[in::kGroups + mask] = frame.out[out::kGroups + mask] = groups_[mask].data();
    frame.in[in::kAdjoints + mask] = frame.out[out::kAdjoints + mask] = adjoints_[mask].data();
  }
  frame.in[in::kScales] = frame.out[out::kScales] = scales_.data();
  frame.out[out::kRowScales] = row_scales_.data();
  for (std::size_t c = 0; c < columns_.size(); ++c) frame.in[in::kColumns + c] = columns_[c].data();
  return frame;
}

COTANGENT_INSTANTIATE(NUMBERS, System);

}  // namespace cotangent
