#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cotangent {

/// Writes a ZIP archive to an open, empty file, member by member, of any size (the format ZIP64 throughout).
class ZipWriter {
 public:
  /// @param path for messages. @param compression 0: none; up to 9.
  ZipWriter(int file, std::string path, int compression)
      : file_(file), path_(std::move(path)), compression_(compression) {}

  /// A member as pieces: begin, any number of add, end. @throws FileError
  void begin(const std::string& name);
  void add(std::span<const char> bytes);
  void end();
  void add_member(const std::string& name, std::span<const char> bytes) {
    begin(name);
    add(bytes);
    end();
  }

  /// The list of members. @throws FileError
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t at = 0, size = 0, packed = 0;
    std::uint32_t sum = 0;
  };

  void write(std::span<const char> bytes);
  void deflate_piece(std::span<const char> bytes, bool is_last);
  std::string header(const Member& member) const;

  int file_;
  std::string path_;
  int compression_;
  std::vector<Member> members_;
  std::uint64_t at_ = 0;
  void* stream_ = nullptr;  // of zlib
  std::vector<char> packed_;
};

}  // namespace cotangent
