#pragma once

#include <pybind11/numpy.h>

#include <span>
#include <vector>

/// An array of NumPy in one piece, made of anything that looks like one.
using Numbers = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

/// A vector becomes an array, or a matrix row by row, and is not copied: the array owns it.
pybind11::array as_array(std::vector<double>&& numbers);
pybind11::array as_matrix(std::vector<double>&& numbers, std::size_t rows, std::size_t columns);

inline std::span<const double> as_span(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}
