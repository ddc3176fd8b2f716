#include "cotangent/system/needed_groups.hpp"

#include <algorithm>

namespace cotangent {

std::vector<const Family*> needed_groups(const Elements& elements, const std::vector<Family>& families) {
  std::vector<bool> needed(static_cast<std::size_t>(elements.group_count), false);
  const auto mark = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::w) continue;
      for (std::int64_t k = 0; k < family.count; ++k) needed[static_cast<std::size_t>(slot.at(k))] = true;
    }
  };
  for (const Family& family : families) mark(family);
  std::vector<const Family*> found;
  for (auto group = elements.groups.rbegin(); group != elements.groups.rend(); ++group) {
    bool used = false;
    for (std::int64_t k = 0; k < group->count && !used; ++k) used = needed[static_cast<std::size_t>(group->row(k))];
    if (!used) continue;
    mark(*group);
    found.push_back(&*group);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace cotangent
