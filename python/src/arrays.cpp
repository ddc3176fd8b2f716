#include "arrays.hpp"

#include <memory>

namespace py = pybind11;

using Shape = std::vector<py::ssize_t>;

static py::array in_shape(std::vector<double>&& numbers, const Shape& shape) {
  auto kept = std::make_unique<std::vector<double>>(std::move(numbers));
  const double* data = kept->data();
  const py::capsule owner(kept.release(), [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return py::array_t<double>(shape, data, owner);
}

py::array as_array(std::vector<double>&& numbers) {
  const auto size = static_cast<py::ssize_t>(numbers.size());
  return in_shape(std::move(numbers), {size});
}

py::array as_matrix(std::vector<double>&& numbers, std::size_t rows, std::size_t columns) {
  return in_shape(std::move(numbers), {static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
}
