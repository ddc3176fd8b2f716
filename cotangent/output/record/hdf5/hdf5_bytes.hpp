#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cotangent {

/// The bytes of an HDF5 file, as the library of HDF5 reads and writes them: in a file that somebody else has opened.
///
/// The library writes in an order in which a reader finds a whole file at any time, if it has told the library so
/// (single writer, multiple readers). But while it does it has a mark in the first block of the file that keeps others
/// from opening it, and that stays when the process is killed. Here that mark is never written. The first block also
/// says where the file ends, and the library writes it last: here the file is never shorter, and nothing is written
/// behind that end before the block has a new one. Whenever the process ends, the file is one that was closed.
class Hdf5Bytes {
 public:
  /// Of a file that does not exist yet: they stay in memory.
  Hdf5Bytes() = default;
  /// @param descriptor of a file, open as long as this is used.
  explicit Hdf5Bytes(int descriptor) : file_(descriptor) {}

  /// What is in memory, as a file has it.
  std::string held() const;
  /// That goes into a file, which is empty or begins with it; from now on so does everything.
  /// @return whether it could be written.
  [[nodiscard]] bool release(int descriptor);

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

  bool is_held() const { return file_ < 0; }
  bool write_first_block(const char* from, std::uint64_t end);
  bool move_end(std::uint64_t end);

  int file_ = -1;
  std::string held_;
  std::uint64_t end_ = 0;  // that the first block states, if this has written it
  int error_ = 0;
};

}  // namespace cotangent
