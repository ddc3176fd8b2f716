#include "benchmarks/peers/plot.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cotangent::peers {
namespace {

constexpr double kWidth = 760, kHeight = 460, kLeft = 60, kRight = 200, kTop = 36, kBottom = 46;

// Powers of ten around a range of positive numbers, along an axis.
class Axis {
 public:
  Axis(double least, double most, double from, double to)
      : first_(std::floor(std::log10(least))), last_(std::ceil(std::log10(most))), from_(from), to_(to) {}

  double operator()(double x) const { return at(std::log10(x)); }
  double at(double power) const { return from_ + (power - first_) / std::max(1.0, last_ - first_) * (to_ - from_); }
  int first() const { return static_cast<int>(first_); }
  int last() const { return static_cast<int>(last_); }

 private:
  double first_, last_, from_, to_;
};

// Distinct hues, around the circle by the golden ratio.
std::string colour(std::size_t k) {
  return fmt::format("hsl({:.0f} 70% 42%)", std::fmod(static_cast<double>(k) * 222.5, 360.0));
}

std::string text(double x, double y, const char* anchor, const std::string& what) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, what);
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string axes(const Axis& x, const Axis& y) {
  const double right = kWidth - kRight, bottom = kHeight - kBottom;
  std::string svg;
  for (int power = x.first(); power <= x.last(); ++power) {
    svg += line(x.at(power), kTop, x.at(power), bottom, "stroke=\"#ddd\"");
    if (power % 2 == 0) svg += text(x.at(power), bottom + 16, "middle", fmt::format("1e{}", power));
  }
  for (int power = y.first(); power <= y.last(); ++power) {
    svg += line(kLeft, y.at(power), right, y.at(power), "stroke=\"#ddd\"");
    svg += text(kLeft - 6, y.at(power) + 4, "end", fmt::format("{:g}", std::pow(10.0, power)));
  }
  return svg + text((kLeft + right) / 2, kHeight - 8, "middle", "error at the end") +
         text(kLeft, kTop - 8, "middle", "ms");
}

}  // namespace

std::string plot(const std::string& title, const std::vector<Measured>& measured) {
  double least_error = 1e300, most_error = 0, least_time = 1e300, most_time = 0;
  std::vector<std::string> methods;
  for (const Measured& each : measured) {
    if (!(each.error > 0)) continue;
    least_error = std::min(least_error, each.error);
    most_error = std::max(most_error, each.error);
    least_time = std::min(least_time, each.time.seconds * 1e3);
    most_time = std::max(most_time, each.time.seconds * 1e3);
    if (std::find(methods.begin(), methods.end(), each.method) == methods.end()) methods.push_back(each.method);
  }
  // Small errors to the right; what is wrong altogether is all the same.
  const Axis x(least_error, std::min(most_error, 1.0), kWidth - kRight, kLeft);
  const Axis y(least_time, most_time, kHeight - kBottom, kTop);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += text(kWidth / 2, 16, "middle", title) + axes(x, y);
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const bool is_ours = methods[k].starts_with("cotangent");
    const std::string stroke = fmt::format("stroke=\"{}\" fill=\"none\" stroke-width=\"{}\"{}", colour(k),
                                           is_ours ? 2.4 : 1.2, is_ours ? "" : " stroke-dasharray=\"4 2\"");
    std::string points, dots;
    for (const Measured& each : measured) {
      if (each.method != methods[k] || !(each.error > 0) || each.error > 1) continue;
      const double px = x(each.error), py = y(each.time.seconds * 1e3);
      points += fmt::format("{:.1f},{:.1f} ", px, py);
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\"/>\n", px, py, colour(k));
    }
    const double at = kTop + 14 * static_cast<double>(k + 1), from = kWidth - kRight + 14;
    svg += fmt::format("<polyline points=\"{}\" {}/>\n{}", points, stroke, dots);
    svg += line(from, at - 4, from + 22, at - 4, stroke.c_str()) + text(from + 28, at, "start", methods[k]);
  }
  return svg + "</svg>\n";
}

}  // namespace cotangent::peers
