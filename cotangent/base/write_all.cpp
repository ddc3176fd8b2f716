#include "cotangent/base/write_all.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace cotangent {
namespace {

constexpr int kPatience = 1000;  // milliseconds, as long as people wait before they ask again

// Until something can be written, or an error be found by writing.
bool wait_for_room(int file) noexcept {
  pollfd room{file, POLLOUT, 0};
  if (poll(&room, 1, -1) > 0) return true;
  if (errno != EINTR || poll(&room, 1, kPatience) > 0) return true;
  errno = EINTR;
  return false;
}

}  // namespace

std::size_t write_all(int file, std::string_view text) noexcept {
  struct stat status {};
  const bool may_stall = fstat(file, &status) == 0 && !S_ISREG(status.st_mode);
  std::size_t written = 0;
  while (written < text.size()) {
    if (may_stall && !wait_for_room(file)) break;
    // Where there is room there is room for so much, and writing does not wait.
    const std::size_t part = may_stall ? std::min<std::size_t>(text.size() - written, PIPE_BUF) : text.size() - written;
    const ssize_t count = write(file, text.data() + written, part);
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

}  // namespace cotangent
