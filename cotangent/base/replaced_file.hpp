#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/base/file.hpp"

namespace cotangent {

/// A text that is written as a whole, again and again, such as a checkpoint. At any time there is the last one, whole,
/// or none. While this lives nobody else on this machine has the place.
class ReplacedFile {
 public:
  /// Takes the place, and writes nothing. @throws FileError
  ReplacedFile(std::string path, const FileKind& kind);

  /// Puts a text in the place of the one before: it is written beside it under a name that nothing has, and renamed
  /// when it is on the disk. @throws FileError then what was there before is still there.
  void replace(std::string_view text);

  /// The same of what `write` writes to a file that is open and empty. @throws FileError, and what `write` throws
  void replace(const std::function<void(int file)>& write);

  /// A file without a name on the same disk, for reading and writing. @throws FileError
  Descriptor scratch() const;

 private:
  std::string path_;
  FileKind kind_;
  FilePlace place_;
  Descriptor lock_;
};

}  // namespace cotangent
