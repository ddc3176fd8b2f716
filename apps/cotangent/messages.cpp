#include "messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace {

// The reason why not everything is written; 0 if it is.
int write_all(int stream, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = write(stream, text.data(), text.size());
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

std::string OutputError::message() const {
  return reason_ == EPIPE ? "" : fmt::format("cannot write to standard output: {}", std::strerror(reason_));
}

void occupy_streams() {
  // The lowest free number is taken, and O_PATH can be neither read nor written.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/", O_PATH));
}

void print(std::string_view text) {
  if (const int reason = write_all(STDOUT_FILENO, text); reason != 0) throw OutputError(reason);
}

void say(std::string_view text) noexcept { static_cast<void>(write_all(STDERR_FILENO, text)); }
