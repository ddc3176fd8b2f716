#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/model/sections.hpp"

namespace cotangent {

/// One item of a list such as coordinates = ["x", "r[N, 3]"].
struct Declaration {
  std::string name;
  std::vector<std::int64_t> shape;
  Location where;
  std::int64_t offset = 0;  ///< of its first entry, where all of the list stand one after the other
};

/// Reads the list that an entry holds. Each item is added before the next one is read, which then knows its name.
/// @param kind "coordinate": for messages.
/// @throws ModelError if it is no such list, or too long.
void read_declarations(Reading& reading, const DocumentEntry& entry, std::string_view kind,
                       const std::function<void(Declaration)>& add);

}  // namespace cotangent
