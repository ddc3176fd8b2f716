#include "cotangent/analysis/turns.hpp"

#include <algorithm>

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

}  // namespace cotangent
