#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cotangent {

/// The bytes of an HDF5 file, as the library of HDF5 reads and writes them: in a file that somebody else has opened.
///
/// The library writes in an order in which a reader finds a whole file at any time, if it has told the library so
/// (single writer, multiple readers). But while it does it has a mark in the first block of the file that keeps others
/// from opening it, and that stays when the process is killed. Here that mark is never written, and the file is never
/// shorter than its first block says: whenever the process ends, the file is one that was closed.
class Hdf5Bytes {
 public:
  /// @param descriptor of the file, open as long as this is used.
  explicit Hdf5Bytes(int descriptor) : file_(descriptor) {}

  /// What is written stays in memory, and what was in the file counts for nothing.
  void hold() { is_held_ = true; }
  /// It goes into the file, which is empty; from now on so does everything. @return whether it could be written.
  [[nodiscard]] bool release();

  [[nodiscard]] bool read(std::uint64_t at, std::size_t size, char* to) const;
  /// After the first failure nothing more is written: a file that lacks the end of what was written is whole, one that
  /// lacks a middle is not.
  [[nodiscard]] bool write(std::uint64_t at, std::size_t size, const char* from);
  [[nodiscard]] bool resize(std::uint64_t size);
  std::uint64_t size() const;

  /// Why something could not be written, as errno has it; 0 if everything could.
  int error() const { return error_; }

 private:
  bool fail();

  int file_;
  bool is_held_ = false;
  std::string held_;
  int error_ = 0;
};

}  // namespace cotangent
