#include "cotangent/output/record/hdf5/hdf5_bytes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace cotangent {
namespace {

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// The checksum of HDF5's metadata, which is the hash lookup3 of Jenkins.
std::uint32_t checksum(std::string_view text) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(text.size()), b = a, c = a;
  while (text.size() > 12) {
    a += word_at(text.data());
    b += word_at(text.data() + 4);
    c += word_at(text.data() + 8);
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
    text.remove_prefix(12);
  }
  std::array<char, 12> rest{};
  std::copy(text.begin(), text.end(), rest.begin());
  a += word_at(rest.data());
  b += word_at(rest.data() + 4);
  c += word_at(rest.data() + 8);
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  c = (c ^ b) - std::rotl(b, 24);
  return c;
}

// The first block of a file of the version 3: its kind, the version at 8, the marks at 11, the size of the file at 28,
// and at the end a checksum.
constexpr std::size_t kBlock = 48, kVersionAt = 8, kMarksAt = 11, kSizeAt = 28, kChecksumAt = 44;

bool is_first_block(std::uint64_t at, std::size_t size, const char* bytes) {
  return at == 0 && size >= kBlock && bytes[kVersionAt] == 3;
}

std::uint64_t stated_end(const char* block) {
  std::uint64_t end = 0;
  std::memcpy(&end, block + kSizeAt, sizeof end);
  return end;
}

void close_first_block(char* block, std::uint64_t end) {
  block[kMarksAt] = 0;
  std::memcpy(block + kSizeAt, &end, sizeof end);
  const std::uint32_t sum = checksum({block, kChecksumAt});
  std::memcpy(block + kChecksumAt, &sum, sizeof sum);
}

bool write_at(int file, std::uint64_t at, std::size_t size, const char* from) {
  while (size > 0) {
    const ssize_t count = pwrite(file, from, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    at += static_cast<std::uint64_t>(count);
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

bool Hdf5Bytes::fail() {
  error_ = errno;
  return false;
}

std::uint64_t Hdf5Bytes::size() const {
  struct stat status {};
  if (is_held()) return held_.size();
  return fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::string Hdf5Bytes::held() const {
  std::string bytes = held_;
  const std::uint64_t end = stated_end(bytes.data());
  close_first_block(bytes.data(), end);
  bytes.resize(std::max<std::size_t>(bytes.size(), end));
  return bytes;
}

bool Hdf5Bytes::release(int descriptor) {
  file_ = descriptor;
  const std::string bytes = std::move(held_);
  return write(0, bytes.size(), bytes.data());
}

bool Hdf5Bytes::read(std::uint64_t at, std::size_t size, char* to) const {
  std::memset(to, 0, size);  // as what lies behind the end
  if (is_held()) {
    if (at < held_.size()) std::memcpy(to, held_.data() + at, std::min<std::size_t>(size, held_.size() - at));
    return true;
  }
  while (size > 0) {
    const ssize_t count = pread(file_, to, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    at += static_cast<std::uint64_t>(count);
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool Hdf5Bytes::write(std::uint64_t at, std::size_t size, const char* from) {
  if (error_ != 0) return true;
  if (is_held()) {
    if (held_.size() < at + size) held_.resize(at + size);
    std::memcpy(held_.data() + at, from, size);
    return true;
  }
  const bool is_block = is_first_block(at, size, from);
  if (is_block ? !write_first_block(from, stated_end(from)) : !move_end(at + size)) return false;
  const std::size_t done = is_block ? kBlock : 0;
  return write_at(file_, at + done, size - done, from + done) || fail();
}

bool Hdf5Bytes::write_first_block(const char* from, std::uint64_t end) {
  std::array<char, kBlock> block{};
  std::memcpy(block.data(), from, kBlock);
  close_first_block(block.data(), end);
  if (size() < end && !resize(end)) return false;
  end_ = end;
  return write_at(file_, 0, kBlock, block.data()) || fail();
}

bool Hdf5Bytes::move_end(std::uint64_t end) {
  if (end <= end_) return true;
  std::array<char, kBlock> block{};
  if (!read(0, kBlock, block.data())) return fail();
  if (!is_first_block(0, kBlock, block.data())) return true;
  end_ = stated_end(block.data());
  return end <= end_ || write_first_block(block.data(), end);
}

bool Hdf5Bytes::resize(std::uint64_t size) {
  if (error_ != 0) return true;
  if (is_held()) {
    held_.resize(size);
    return true;
  }
  return ftruncate(file_, static_cast<off_t>(size)) == 0 || fail();
}

}  // namespace cotangent
