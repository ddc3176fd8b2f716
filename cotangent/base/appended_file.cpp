#include "cotangent/base/appended_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/base/write_all.hpp"

namespace cotangent {

AppendedFile::AppendedFile(std::string path, const FileKind& kind, std::string_view first)
    : path_(std::move(path)), place_(path_ == "-" ? FilePlace{path_, true, true} : find_place(path_, kind)) {
  if (path_ == "-") {
    path_ = "standard output";
    file_ = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!file_) throw FileError("write", path_, errno);
    return;
  }
  const auto opened = [this](int flags) {
    return Descriptor(open(place_.path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666));
  };
  if (place_.is_stream) {
    file_ = opened(O_WRONLY);
    if (!file_) throw FileError("write", path_, errno);
    return;
  }
  // Whoever creates it knows that it does; a file that is removed before it is locked is left alone.
  do {
    is_created_ = create(first);
    if (!is_created_ && errno == EEXIST) file_ = opened(O_RDWR | O_NOFOLLOW);
    if (!file_ && errno != ENOENT) throw FileError("write", path_, errno);
    if (file_ && !is_created_) lock();
  } while (!is_in_place());
}

// It gets its name when it has its beginning, and is locked. Some file systems have no files without names.
// @return false with errno if there is a file of the name.
bool AppendedFile::create(std::string_view first) {
  const std::string folder = place_.folder();
  file_ = Descriptor(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  const bool is_named = !file_;
  if (is_named)
    file_ = Descriptor(open(place_.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file_) return false;
  lock();
  if (write_all(file_.get(), first) < first.size()) {
    const int error = errno;
    if (is_named) unlink(place_.path.c_str());
    throw FileError("write", path_, error);
  }
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_.get());
  if (is_named || linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, place_.path.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  file_ = Descriptor();
  return false;
}

AppendedFile::~AppendedFile() {
  if (is_created_ && !is_begun_) unlink(place_.path.c_str());
}

// Some file systems have no locks: there nobody is kept out. This kind of lock belongs to the open file, as those of
// flock() do, but keeps out writers only: readers of HDF5 ask flock().
void AppendedFile::lock() const {
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (fcntl(file_.get(), F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES))
    throw FileError("write", path_, "another run is writing it");
}

bool AppendedFile::is_in_place() const {
  struct stat here {
  }, there{};
  return file_ && fstat(file_.get(), &here) == 0 && lstat(place_.path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

std::string AppendedFile::read(std::int64_t at, std::size_t size) const {
  std::string text(size, '\0');
  const ssize_t found = pread(file_.get(), text.data(), size, at);
  if (found < 0) throw FileError("read", path_, errno);
  text.resize(static_cast<std::size_t>(found));
  return text;
}

void AppendedFile::begin(std::int64_t bytes) {
  is_begun_ = true;
  size_ = bytes;
  if (!place_.is_stream && !cut()) throw FileError("write", path_, errno);
}

bool AppendedFile::cut() const {
  return ftruncate(file_.get(), size_) == 0 && lseek(file_.get(), size_, SEEK_SET) == size_;
}

// A kill stops a long write between two pages, and nowhere else. So what is written at once are the lines that end in a
// page, or one that goes on in the next one.
std::size_t AppendedFile::append_pages(std::string_view lines) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t written = 0;
  while (written < lines.size()) {
    const std::string_view rest = lines.substr(written);
    const std::size_t room = page - (static_cast<std::size_t>(size_) + written) % page;
    std::size_t part = rest.size() <= room ? rest.size() : rest.substr(0, room).rfind('\n') + 1;
    if (part == 0) part = std::min(rest.find('\n', room), rest.size() - 1) + 1;
    const std::size_t done = write_all(file_.get(), rest.substr(0, part));
    written += done;
    if (done < part) break;
  }
  return written;
}

std::size_t AppendedFile::append(std::string_view lines) {
  std::size_t written = place_.is_stream ? write_all(file_.get(), lines) : append_pages(lines);
  error_ = written < lines.size() ? errno : 0;
  if (error_ != 0) written = lines.substr(0, written).rfind('\n') + 1;
  size_ += static_cast<std::int64_t>(written);
  // Where even that fails nothing better can be done: the reason for it is known.
  if (error_ != 0 && !place_.is_stream) static_cast<void>(cut());
  return written;
}

// Not everything that can be written can be synchronised.
void AppendedFile::sync() {
  if (fdatasync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) throw FileError("write", path_, errno);
}

void AppendedFile::close() {
  if (file_ && file_.close() != 0) throw FileError("write", path_, errno);
}

}  // namespace cotangent
