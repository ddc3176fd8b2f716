#include "messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "cotangent/base/wording.hpp"
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

void say(std::string_view text) noexcept {
  try {
    static_cast<void>(cotangent::write_all(STDERR_FILENO, cotangent::printable(text, "\t\n")));
  } catch (const std::bad_alloc&) {
    static_cast<void>(cotangent::write_all(STDERR_FILENO, "error: there is not enough memory for a message\n"));
  }
}

void show_progress(std::string_view text) {
  static_cast<void>(cotangent::write_all(STDERR_FILENO, fmt::format("\r\033[K{}", cotangent::printable(text))));
}
