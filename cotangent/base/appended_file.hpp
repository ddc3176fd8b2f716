#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/base/file.hpp"

namespace cotangent {

/// A text that is written piece by piece, such as a record. While this lives nobody else has the file.
class AppendedFile {
 public:
  /// Opens the file, or creates it, and leaves it as it is until begin(). The path "-" is standard output.
  /// @param first what a file that is created begins with: from its first moment on.
  /// @throws FileError
  AppendedFile(std::string path, const FileKind& kind, std::string_view first = {});
  /// A file that was created here, and never begun, is removed.
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// As it was given.
  const std::string& path() const { return path_; }
  bool is_created() const { return is_created_; }
  bool is_stream() const { return place_.is_stream; }
  /// For whoever writes it in other ways than by append().
  int descriptor() const { return file_.get(); }

  /// Up to `size` bytes from the place `at`. @throws FileError
  std::string read(std::int64_t at, std::size_t size) const;

  /// Cuts off everything after the first `bytes`; what is written follows them. @throws FileError
  void begin(std::int64_t bytes);

  /// Writes lines at the end. If not all of them can be written the file ends with the last whole one: never inside a
  /// number. Where the process is killed meanwhile that can happen only in a line that crosses the border of a page.
  /// @return how many bytes are in the file now; where these are less, error() says why.
  [[nodiscard]] std::size_t append(std::string_view lines);
  int error() const { return error_; }

  /// What was written is on the disk, as far as there is one. @throws FileError
  void sync();

  /// @throws FileError if something is not written in spite of all.
  void close();

 private:
  bool create(std::string_view first);
  void lock() const;
  bool is_in_place() const;
  std::size_t append_pages(std::string_view lines);
  bool cut() const;

  std::string path_;
  FilePlace place_;
  Descriptor file_;
  bool is_created_ = false, is_begun_ = false;
  std::int64_t size_ = 0;
  int error_ = 0;
};

}  // namespace cotangent
