#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace cotangent {

/// Reads members of a ZIP archive, stored or deflated, of any size.
class ZipReader {
 public:
  /// @throws std::runtime_error for what is no archive.
  explicit ZipReader(const std::filesystem::path& file);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// All bytes of a member, or the first so many. @throws std::runtime_error
  std::string read(const std::string& name, std::uint64_t most = UINT64_MAX);

 private:
  struct Member {
    std::string name;
    std::uint64_t at, size, packed;
    std::uint32_t sum;
    int method;
  };

  [[noreturn]] void fail(const std::string& what) const;
  std::string bytes(std::uint64_t at, std::uint64_t size);
  void read_list();

  std::string path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
  std::vector<Member> members_;
};

}  // namespace cotangent
