#include "cotangent/analysis/turns.hpp"

#include <algorithm>
#include <initializer_list>

namespace cotangent {

int count_turns(const Series& series) {
  constexpr double kNoticeable = 0.05;
  const double least = kNoticeable * (series.max() - series.min());
  if (!(least > 0)) return 0;
  int count = 0, direction = 0;
  double lowest = 0, highest = 0;
  for (const SeriesBin& bin : series.bins())
    for (const double y : {bin.min, bin.max}) {
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
      if (direction <= 0 && y - lowest > least) {
        count += direction < 0 ? 1 : 0;
        direction = 1;
        highest = y;
      } else if (direction >= 0 && highest - y > least) {
        count += direction > 0 ? 1 : 0;
        direction = -1;
        lowest = y;
      }
    }
  return count;
}

std::size_t bins_of_turns(std::span<const SeriesBin> bins, int count, double level) {
  constexpr double kNoticeable = 0.1;
  std::size_t first = 0, last = 0;
  int direction = 0, turns = 0;
  double lowest = 0, highest = 0;  // since the last turn
  double min = 0, max = 0;
  for (std::size_t i = 0; i < bins.size() && turns < count; ++i) {
    // Whatever comes first in a bin, there is one way that agrees with its ends.
    const bool rises = bins[i].y_last >= bins[i].y_first;
    for (const double y : {rises ? bins[i].min : bins[i].max, rises ? bins[i].max : bins[i].min}) {
      min = std::min(min, y);
      max = std::max(max, y);
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
      if (!(max - min > level)) continue;
      const double least = kNoticeable * (max - min);
      const int now = direction <= 0 && y - lowest > least ? 1 : direction >= 0 && highest - y > least ? -1 : 0;
      if (now == 0) continue;
      if (direction != 0) {
        last = i;
        if (turns == 0) first = i;
        ++turns;
      }
      direction = now;
      lowest = highest = y;
    }
  }
  if (turns < 2) return last;
  const std::size_t taken = (last - first) * static_cast<std::size_t>(count) / static_cast<std::size_t>(turns - 1);
  return first <= 2 * taken ? first + taken : taken;
}

}  // namespace cotangent
