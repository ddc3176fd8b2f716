#pragma once

#include <string>

#include "cotangent/report/page_record.hpp"

namespace cotangent {

/// Plots of what was watched, for a terminal: energy and residuals by their magnitude, on a logarithmic axis, in dots
/// of Braille patterns. Columns show the extrema of the records that fall into them. Empty where nothing was watched.
/// @param width of the terminal. @param has_colour whether it shows colours.
template <class T>
std::string terminal_plot(const PageRecord<T>& record, int width, bool has_colour);

}  // namespace cotangent
