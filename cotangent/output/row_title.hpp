#pragma once

#include <string>

namespace cotangent {

/// What tables call a number that JSON and columns of records name shortly: rows that read as errors of q and p are
/// those of the constraints.
inline std::string row_title(const std::string& name) {
  if (name == "position") return "constraints |g|";
  if (name == "momentum") return "hidden constraints |G H_p|";
  return name;
}

}  // namespace cotangent
