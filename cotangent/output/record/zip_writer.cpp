#include "cotangent/output/record/zip_writer.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>

#include "cotangent/base/file.hpp"
#include "cotangent/base/write_all.hpp"

namespace cotangent {
namespace {

constexpr std::uint16_t kVersion = 45;            // of ZIP64
constexpr std::uint32_t kElsewhere = 0xffffffff;  // a number that stands in the ZIP64 field
constexpr std::uint16_t kDeflated = 8, kZip64 = 1, kUtf8 = 1 << 11;
constexpr std::uint16_t kDay = (1 << 5) | 1;  // the first of January 1980: the same data make the same file
constexpr std::size_t kPacked = std::size_t{1} << 16;

// Numbers from the lowest byte on.
class Bytes {
 public:
  Bytes& u16(std::uint64_t x) { return add(x, 2); }
  Bytes& u32(std::uint64_t x) { return add(x, 4); }
  Bytes& u64(std::uint64_t x) { return add(x, 8); }
  Bytes& text(const std::string& x) {
    text_ += x;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  Bytes& add(std::uint64_t x, int bytes) {
    for (int k = 0; k < bytes; ++k) text_ += static_cast<char>(x >> (8 * k));
    return *this;
  }
  std::string text_;
};

}  // namespace

void ZipWriter::write(std::span<const char> bytes) {
  if (write_all(file_, {bytes.data(), bytes.size()}) < bytes.size()) throw FileError("write", path_, errno);
  at_ += bytes.size();
}

std::string ZipWriter::header(const Member& member) const {
  Bytes bytes;
  bytes.u32(0x04034b50).u16(kVersion).u16(kUtf8).u16(compression_ > 0 ? kDeflated : 0).u16(0).u16(kDay);
  bytes.u32(member.sum).u32(kElsewhere).u32(kElsewhere).u16(member.name.size()).u16(20).text(member.name);
  return bytes.u16(kZip64).u16(16).u64(member.size).u64(member.packed).text();
}

void ZipWriter::begin(const std::string& name) {
  members_.push_back({name, at_});
  write(header(members_.back()));
  if (compression_ == 0) return;
  auto stream = std::make_unique<z_stream>();
  if (deflateInit2(stream.get(), compression_, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib could not begin");
  stream_ = stream.release();
  packed_.resize(kPacked);
}

void ZipWriter::deflate_piece(std::span<const char> bytes, bool is_last) {
  auto& stream = *static_cast<z_stream*>(stream_);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(packed_.data());
    stream.avail_out = static_cast<uInt>(packed_.size());
    deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    write({packed_.data(), packed_.size() - stream.avail_out});
  } while (stream.avail_out == 0);
}

void ZipWriter::add(std::span<const char> bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts with 32 bits
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size()))) {
    const auto piece = bytes.first(std::min(kPiece, bytes.size()));
    Member& member = members_.back();
    member.sum = static_cast<std::uint32_t>(
        crc32(member.sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size())));
    member.size += piece.size();
    if (compression_ > 0) {
      deflate_piece(piece, false);
    } else {
      write(piece);
    }
  }
}

void ZipWriter::end() {
  if (compression_ > 0) {
    deflate_piece({}, true);
    const std::unique_ptr<z_stream> stream(static_cast<z_stream*>(std::exchange(stream_, nullptr)));
    deflateEnd(stream.get());
  }
  Member& member = members_.back();
  const std::string empty = header(member);
  member.packed = at_ - member.at - empty.size();
  const std::string whole = header(member);
  if (pwrite(file_, whole.data(), whole.size(), static_cast<off_t>(member.at)) != static_cast<ssize_t>(whole.size()))
    throw FileError("write", path_, errno);
}

void ZipWriter::finish() {
  const std::uint64_t list = at_;
  for (const Member& member : members_) {
    Bytes bytes;
    bytes.u32(0x02014b50).u16(kVersion).u16(kVersion).u16(kUtf8).u16(compression_ > 0 ? kDeflated : 0).u16(0).u16(kDay);
    bytes.u32(member.sum).u32(kElsewhere).u32(kElsewhere).u16(member.name.size()).u16(28).u16(0).u16(0).u16(0).u32(0);
    bytes.u32(kElsewhere).text(member.name);
    write(bytes.u16(kZip64).u16(24).u64(member.size).u64(member.packed).u64(member.at).text());
  }
  const std::uint64_t end = at_, size = end - list, count = members_.size();
  Bytes bytes;
  bytes.u32(0x06064b50).u64(44).u16(kVersion).u16(kVersion).u32(0).u32(0).u64(count).u64(count).u64(size).u64(list);
  bytes.u32(0x07064b50).u32(0).u64(end).u32(1);
  write(bytes.u32(0x06054b50).u16(0).u16(0).u16(0xffff).u16(0xffff).u32(kElsewhere).u32(kElsewhere).u16(0).text());
}

}  // namespace cotangent
