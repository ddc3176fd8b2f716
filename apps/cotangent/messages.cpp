#include "messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cotangent/base/write_all.hpp"

std::string OutputError::message() const {
  return reason_ == EPIPE ? "" : fmt::format("cannot write to standard output: {}", std::strerror(reason_));
}

void occupy_streams() {
  // The lowest free number is taken, and O_PATH can be neither read nor written.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/", O_PATH));
}

void print(std::string_view text) {
  if (cotangent::write_all(STDOUT_FILENO, text) < text.size()) throw OutputError(errno);
}

void say(std::string_view text) noexcept { static_cast<void>(cotangent::write_all(STDERR_FILENO, text)); }
