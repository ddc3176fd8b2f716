#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cotangent {

/// The numbers of a JSON text, by the path of keys that leads to them: "counts.projections", "state.r.1.2" (items of
/// lists count from 1). True is 1, false is 0, null is not a number; texts are left out.
/// @pre the text is JSON that this program has printed.
std::map<std::string, double> json_figures(std::string_view text);

}  // namespace cotangent
