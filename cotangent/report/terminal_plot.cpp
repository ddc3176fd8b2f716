#include "cotangent/report/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr int kRows = 7, kDots = 4 * kRows, kMargin = 10;
constexpr int kDecades = 12;  // below the largest value nothing is shown

/// A picture of dots, two columns and four rows of them in each character.
class Dots {
 public:
  explicit Dots(int columns) : columns_(columns), cells_(static_cast<std::size_t>(columns * kRows)) {}

  int width() const { return 2 * columns_; }

  // Row 0 is the lowest.
  void set(int x, int y) {
    constexpr std::array<std::array<int, 2>, 4> kBits{{{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}}};
    const int row = kRows - 1 - y / 4;
    cells_[static_cast<std::size_t>(row * columns_ + x / 2)] |=
        kBits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
  }

  // A line of characters, U+2800 and what follows, in UTF-8.
  std::string row(int r) const {
    std::string text;
    for (int c = 0; c < columns_; ++c) {
      const int cell = cells_[static_cast<std::size_t>(r * columns_ + c)];
      text += '\xe2';
      text += static_cast<char>(0xa0 + (cell >> 6));
      text += static_cast<char>(0x80 + (cell & 0x3f));
    }
    return text;
  }

 private:
  int columns_;
  std::vector<int> cells_;
};

// The least and the largest magnitude in an interval.
struct Range {
  double low, high;
};

Range magnitudes(double min, double max) {
  const double a = std::abs(min), b = std::abs(max);
  return {min <= 0 && max >= 0 ? 0 : std::min(a, b), std::max(a, b)};
}

std::string plot(const std::string& title, const Series& series, double start, double end, int width, bool has_colour) {
  double least = 0, most = 0;
  for (const SeriesBin& bin : series.bins()) {
    const auto [low, high] = magnitudes(series.first_value() + bin.min, series.first_value() + bin.max);
    most = std::max(most, high);
    for (const double x : {low, high})
      if (x > 0 && (least == 0 || x < least)) least = x;
  }
  std::string text = fmt::format("\n  {}\n", title);
  if (most == 0) return text + fmt::format("  {:>{}}\n", "0 throughout", kMargin + 6);
  const double top = std::ceil(std::log10(most) + 1e-9) + 0.0;  // never -0
  const double bottom = std::max(std::floor(std::log10(least) - 1e-9), top - kDecades);
  const auto height = [&](double x) {
    if (x <= 0) return 0;
    const double y = (std::log10(x) - bottom) / (top - bottom) * (kDots - 1);
    return std::clamp(static_cast<int>(std::lround(y)), 0, kDots - 1);
  };
  Dots dots(width - kMargin - 3);
  const double length = std::max(series.last_time(), 1e-300);
  for (const SeriesBin& bin : series.bins()) {
    const auto [low, high] = magnitudes(series.first_value() + bin.min, series.first_value() + bin.max);
    const int x = std::min(static_cast<int>(bin.t_mean / length * dots.width()), dots.width() - 1);
    for (int y = height(low); y <= height(high); ++y) dots.set(x, y);
  }
  for (int r = 0; r < kRows; ++r) {
    const bool is_labelled = r == 0 || r == kRows - 1;
    const std::string label = is_labelled ? fmt::format("1e{:+03.0f}", r == 0 ? top : bottom) : "";
    const std::string row = dots.row(r);
    text += fmt::format("  {:>{}} {}{}{}\n", label, kMargin - 2, has_colour ? "\x1b[36m" : "", row,
                        has_colour ? "\x1b[0m" : "");
  }
  const std::string last = fmt::format("t = {:g}", end);
  const std::string first = fmt::format("{:g}", start);
  const int gap = std::max(1, width - kMargin - 3 - static_cast<int>(first.size() + last.size()));
  return text + fmt::format("  {:>{}} {}{:{}}{}\n", "", kMargin - 2, first, "", gap, last);
}

}  // namespace

template <class T>
std::string terminal_plot(const PageRecord<T>& record, int width, bool has_colour) {
  std::string text;
  if (record.times().empty()) return text;
  const auto add = [&](const char* name, const char* title) {
    for (const auto& column : record.columns())
      if (column.name == name)
        text += plot(title, column.extrema, record.times().front(), record.times().back(), std::clamp(width, 40, 100),
                     has_colour);
  };
  add("energy", "energy |H - H(0)|");
  add("position", "constraints |g|");
  add("momentum", "hidden constraints |G H_p|");
  add("error", "error");
  return text;
}

#define COTANGENT_FUNCTIONS(T) template std::string terminal_plot(const PageRecord<T>&, int, bool);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
