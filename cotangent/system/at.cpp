#include "cotangent/system/at.hpp"

#include "cotangent/system/system.hpp"

namespace cotangent {

// All of the point: whoever comes next has another one.
template <class T>
void At<T>::set(Frame<T>& frame) const {
  frame.in[in::q] = q_;
  frame.in[in::p] = p_;
  frame.in[in::v] = v_;
  frame.in[in::s] = s_;
  frame.in[in::lambda] = lambda_;
  frame.in[in::t] = &t_;
}

template <class T>
void At<T>::call(Derivative derivative, T* result, Arguments arguments) const {
  Frame<T>& frame = system_->frame_;
  set(frame);
  for (const auto& [vector, x] : arguments) frame.in[static_cast<std::size_t>(vector)] = x;
  frame.out[out::result] = result;
  system_->operation(derivative)(frame);
}

template <class T>
RowSize<T> At<T>::size(Derivative derivative, T* rows, Arguments arguments) const {
  call(derivative, rows, arguments);
  return {system_->norms_[0], system_->norms_[1]};
}

COTANGENT_INSTANTIATE(NUMBERS, At);

}  // namespace cotangent
