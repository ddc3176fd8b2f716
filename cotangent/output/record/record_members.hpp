#pragma once

namespace cotangent {

// What files of arrays have beside them. No array can be called so.
inline constexpr const char* kDescriptionMember = "description.json";
inline constexpr const char* kModelMember = "model.toml";
inline constexpr const char* kResultMember = "result.json";

}  // namespace cotangent
