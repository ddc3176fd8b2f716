#include "cotangent/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>

#include "cotangent/base/descriptor.hpp"

namespace cotangent {
namespace {

constexpr const char* kRead = "read";
constexpr const char* kWrite = "write";

// A name from a model file may have one; the system would take what stands before it.
void expect_no_zero(const char* what, const std::string& path) {
  if (path.find('\0') != path.npos) throw FileError(what, path.substr(0, path.find('\0')), "its name has a zero byte");
}

std::string real_path(const std::string& path, const std::string& given) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), std::free);
  if (!real) throw FileError(kWrite, given, errno);
  return real.get();
}

// The text of a link; nothing if it is none.
std::string read_link(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// The file that a link would create, with the links that lead to it.
std::string resolve_missing(const std::string& given) {
  constexpr int kMostLinks = 40;  // as the system has it
  std::string path = given;
  for (int links = 0; links < kMostLinks; ++links) {
    const auto slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    if (name.empty()) throw FileError(kWrite, given, ENOENT);  // of a folder
    std::string folder = real_path(slash == path.npos ? "." : path.substr(0, slash + 1), given);
    if (!folder.ends_with('/')) folder += '/';
    const std::string link = read_link(folder + name);
    if (link.empty()) return folder + name;
    path = link.front() == '/' ? link : folder + link;
  }
  throw FileError(kWrite, given, ELOOP);
}

// What tells files apart: the file itself or, before it exists, its folder and its name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identity(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return Identity(status.st_dev, status.st_ino, "");
  try {
    const std::string whole = resolve(path);
    const auto name = whole.rfind('/') + 1;
    if (stat(whole.substr(0, name).c_str(), &status) != 0) return std::nullopt;
    return Identity(status.st_dev, status.st_ino, whole.substr(name));
  } catch (const FileError&) {
    return std::nullopt;
  }
}

void expect_kind(const std::string& path, const std::string& given, const FileKind& kind) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::string begin(std::max<std::size_t>(kind.begin.size() + (kind.then.empty() ? 0 : 1), 1), '\0');
  const ssize_t size = file ? read(file.get(), begin.data(), begin.size()) : -1;
  if (size < 0) throw FileError(kWrite, given, errno);
  const bool is_of_kind = !kind.begin.empty() && begin.starts_with(kind.begin) &&
                          (kind.then.empty() || kind.then.find(begin.back()) != kind.then.npos);
  if (size > 0 && !is_of_kind && !(kind.recognise && kind.recognise(path)))
    throw FileError(kWrite, given, fmt::format("it exists and is no {}; use another name", kind.name));
}

}  // namespace

FileError::FileError(const char* what, const std::string& path, const std::string& reason)
    : std::runtime_error(fmt::format("cannot {} {}: {}", what, path, reason)), reason_(reason) {}

FileError::FileError(const char* what, const std::string& path, int error)
    : FileError(what, path, std::string(error == EISDIR ? "it is a folder" : std::strerror(error))) {}

std::string read_text(const std::string& path, std::size_t limit, std::string_view begin) {
  expect_no_zero(kRead, path);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) throw FileError(kRead, path, errno);
  const bool is_regular = S_ISREG(status.st_mode);
  if (!is_regular) limit = std::min(limit, kLimits.file_bytes);
  const auto expect_small = [&](std::size_t size) {
    if (size > limit) throw FileError(kRead, path, fmt::format("it is larger than {} MiB", limit >> 20));
  };
  if (is_regular) expect_small(static_cast<std::size_t>(status.st_size));

  std::string text;
  while (true) {
    constexpr std::size_t kPart = std::size_t{1} << 16;
    const std::size_t before = text.size();
    text.resize(before + kPart);
    const ssize_t size = read(file.get(), text.data() + before, kPart);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw FileError(kRead, path, errno);
    text.resize(before + static_cast<std::size_t>(size));
    if (size == 0 || (text.size() >= begin.size() && !text.starts_with(begin))) return text;
    if (text.find('\0', before) != text.npos) throw FileError(kRead, path, "it has zero bytes and is no text");
    expect_small(text.size());
  }
}

std::ifstream open_ordinary(const std::string& path) {
  expect_no_zero(kRead, path);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw FileError(kRead, path, errno);
  if (S_ISDIR(status.st_mode)) throw FileError(kRead, path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw FileError(kRead, path, "it is no ordinary file");
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw FileError(kRead, path, errno);
  return file;
}

std::string resolve(const std::string& path) {
  expect_no_zero(kWrite, path);
  struct stat status {};
  if (stat(path.c_str(), &status) == 0)
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? real_path(path, path)
                                                              : std::filesystem::absolute(path).string();
  if (errno != ENOENT) throw FileError(kWrite, path, errno);
  return resolve_missing(path);
}

bool is_same_file(const std::string& a, const std::string& b) {
  const auto first = identity(a);
  return first && first == identity(b);
}

bool is_open_file(int descriptor, const std::string& path) {
  struct stat open {};
  return fstat(descriptor, &open) == 0 && S_ISREG(open.st_mode) &&
         identity(path) == Identity(open.st_dev, open.st_ino, "");
}

FilePlace find_place(const std::string& given, const FileKind& kind) {
  FilePlace place{resolve(given), true, false};
  struct stat status {};
  if (stat(place.path.c_str(), &status) != 0) {
    if (errno != ENOENT) throw FileError(kWrite, given, errno);
    place.is_there = false;
    if (access(place.folder().c_str(), W_OK | X_OK) != 0) throw FileError(kWrite, given, errno);
    return place;
  }
  if (S_ISDIR(status.st_mode)) throw FileError(kWrite, given, EISDIR);
  if (S_ISREG(status.st_mode)) {
    expect_kind(place.path, given, kind);
  } else {
    place.is_stream = S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
    if (!place.is_stream || !kind.may_be_stream)
      throw FileError(kWrite, given, fmt::format("it is no ordinary file, and no place for a {}", kind.name));
  }
  if (access(place.path.c_str(), W_OK) != 0) throw FileError(kWrite, given, errno);
  return place;
}

}  // namespace cotangent
