#include "cotangent/base/replaced_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cotangent/base/fingerprint.hpp"
#include "cotangent/base/write_all.hpp"

namespace cotangent {
namespace {

// A lock for a place in which there may be no file yet, and whose file is replaced: a socket with a name of its own, in
// no folder. It leaves with the process, however that ends. Where there are no such sockets nobody is kept out.
Descriptor lock_place(const FilePlace& place, const std::string& given) {
  struct stat folder {};
  if (stat(place.folder().c_str(), &folder) != 0) throw FileError("write", given, errno);
  Fingerprint name;
  name.add(fmt::format("{} {} {}", folder.st_dev, folder.st_ino, place.name()));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = fmt::format("cotangent {:016x}", name.value());  // after a zero byte: in no folder
  std::memcpy(address.sun_path + 1, text.data(), text.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  Descriptor lock(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (lock && bind(lock.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 && errno == EADDRINUSE)
    throw FileError("write", given, "another run is writing it");
  return lock;
}

// A new file beside a place, under a name that nothing has.
Descriptor create_beside(const FilePlace& place, std::string& path) {
  Descriptor file;
  for (int k = 0; !file && (k == 0 || errno == EEXIST); ++k) {
    path = fmt::format("{}.cotangent-{}-{}", place.folder(), getpid(), k);
    file = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, place.is_there ? 0600 : 0666));
  }
  return file;
}

// It may be read and written by whom the one before could.
void copy_rights(int file, const std::string& before) {
  struct stat status {};
  if (stat(before.c_str(), &status) != 0) return;
  if (fchown(file, status.st_uid, status.st_gid) == 0 || errno == EPERM)
    static_cast<void>(!fchmod(file, status.st_mode & 07777));
}

}  // namespace

ReplacedFile::ReplacedFile(std::string path, const FileKind& kind)
    : path_(std::move(path)), kind_(kind), place_(find_place(path_, kind_)), lock_(lock_place(place_, path_)) {
  if (access(place_.folder().c_str(), W_OK | X_OK) != 0) throw FileError("write", path_, errno);
}

void ReplacedFile::replace(std::string_view text) {
  replace([&](int file) {
    if (write_all(file, text) < text.size()) throw FileError("write", path_, errno);
  });
}

Descriptor ReplacedFile::scratch() const {
  std::string temporary;
  Descriptor file = create_beside(place_, temporary);
  if (!file) throw FileError("write", path_, errno);
  unlink(temporary.c_str());
  return file;
}

void ReplacedFile::replace(const std::function<void(int file)>& write) {
  std::string temporary;
  Descriptor file = create_beside(place_, temporary);
  if (!file) throw FileError("write", path_, errno);
  try {
    copy_rights(file.get(), place_.path);
    write(file.get());
    if (fsync(file.get()) != 0 || file.close() != 0) throw FileError("write", path_, errno);
    // Somebody may have put something else there.
    if (find_place(place_.path, kind_).path != place_.path)
      throw FileError("write", path_, "another file has taken its place");
    if (std::rename(temporary.c_str(), place_.path.c_str()) != 0) throw FileError("write", path_, errno);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  // The name, too, is to outlast a loss of power; not every file system can promise that.
  if (const Descriptor folder(open(place_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
    static_cast<void>(fsync(folder.get()));
}

}  // namespace cotangent
