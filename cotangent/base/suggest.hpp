#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cotangent {

/// Number of single-character changes (insert, delete, replace, swap neighbours) from a to b; a change of
/// case counts as one change however many letters it touches.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `name` was probably meant to be, or an empty text where none is near enough.
std::string closest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'p_y'?", or an empty text where no candidate is near enough.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace cotangent
