#include "cotangent/output/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace cotangent {
namespace {

constexpr int kWidth = 30;

std::string time_left(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s left", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 100)
    return fmt::format("{} min {:02.0f} s left", minutes, seconds - 60.0 * static_cast<double>(minutes));
  return fmt::format("{} h {:02} min left", minutes / 60, minutes % 60);
}

}  // namespace

std::string progress_line(const Progress& progress) {
  const double part = progress.steps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.steps)
                      : progress.end != progress.start
                          ? (progress.time - progress.start) / (progress.end - progress.start)
                          : 0;
  const double done = std::clamp(part, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(done * kWidth);
  std::string line = fmt::format("[{}{}] {:3.0f} %  t = {:.4g} of {:.4g}", std::string(filled, '#'),
                                 std::string(kWidth - filled, '-'), 100 * done, progress.time, progress.end);
  if (done > 0) line += "  " + time_left(progress.seconds * (1 - done) / done);
  return line;
}

void ProgressBar::draw(const Progress& progress) {
  const std::string line = "\r" + progress_line(progress) + "\x1b[K";
  std::fputs(line.c_str(), terminal_);
  std::fflush(terminal_);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", terminal_);
  std::fflush(terminal_);
  drawn_ = false;
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

int terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace cotangent
