#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cotangent/base/limits.hpp"

namespace cotangent {

/// A file that cannot be read or written: "cannot write a.csv: Permission denied".
class FileError : public std::runtime_error {
 public:
  /// @param what "read" or "write".
  FileError(const char* what, const std::string& path, const std::string& reason);
  /// The reason is that of the system. @param error as errno has it
  FileError(const char* what, const std::string& path, int error);

  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// What a file that the program writes is. It may take the place of one of its own kind and of an empty one: a
/// checkpoint never goes over a model.
struct FileKind {
  std::string_view name;       ///< "checkpoint"
  std::string begin;           ///< of all texts of this kind; empty: beginnings say nothing
  std::string_view then{};     ///< one of these follows; whatever it is if there are none
  bool may_be_stream = false;  ///< a pipe or a character device, such as a terminal, will do
  std::function<bool(const std::string& path)> recognise = {};  ///< what begins otherwise may be of the kind as well
};

/// The text of a file. @throws FileError also for what has a zero byte, and is no text.
/// @param limit of its bytes; where their number is not known beforehand, as in a pipe or a device, never more than
/// kLimits.file_bytes.
/// @param begin no more is read than is needed to see that the text does not begin so.
std::string read_text(const std::string& path, std::size_t limit = kLimits.data_bytes, std::string_view begin = {});

/// An ordinary file, to be read piece by piece. Anything else is not even opened: that would wait for the writer of a
/// pipe, and devices need not have an end. @throws FileError
std::ifstream open_ordinary(const std::string& path);

/// The path, the same from every folder, of the file that a path leads to, or of the one that it would create: links
/// are followed. Pipes and devices keep the path that they have. @throws FileError to write, if there is no such place.
std::string resolve(const std::string& path);

/// Whether two paths lead to one file, even one that does not exist yet, by links, hard links or detours. Nothing is
/// the same as a file for which there is no place.
bool is_same_file(const std::string& a, const std::string& b);

/// Whether a path leads to the ordinary file that is open as this descriptor, such as standard output.
bool is_open_file(int descriptor, const std::string& path);

/// A place where a file may be written.
struct FilePlace {
  std::string path;  ///< resolved
  bool is_there;     ///< and may be written over
  bool is_stream;    ///< a pipe or a device
  std::string folder() const { return path.substr(0, path.rfind('/') + 1); }
  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

/// Looks at a place, and changes nothing. @throws FileError if no file of the kind may be written there.
FilePlace find_place(const std::string& path, const FileKind& kind);

}  // namespace cotangent
