#pragma once

#include <cstddef>
#include <vector>

#include "cotangent/system/system.hpp"

namespace cotangent::test {

/// Calls an operation of a system with arguments q, p, and those that the frame has already.
template <class T, class Callable>
std::vector<T> call(const Callable& operation, Frame<T> frame, const std::vector<T>& q, const std::vector<T>& p,
                    std::size_t size) {
  std::vector<T> result(size, T(-77)), norms(2, T(0));  // what is not written is seen
  frame.in[in::q] = q.data();
  frame.in[in::p] = p.data();
  frame.out[out::result] = result.data();
  frame.out[out::norms] = norms.data();
  operation(frame);
  return result;
}

}  // namespace cotangent::test
