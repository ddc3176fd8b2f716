#include "cotangent/output/record/zip_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/file.hpp"

namespace cotangent {
namespace {

constexpr std::uint32_t kElsewhere = 0xffffffff;

std::uint64_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t x = 0;
  for (std::size_t k = size; k-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes.at(at + k));
  return x;
}

}  // namespace

ZipReader::ZipReader(const std::filesystem::path& file) : path_(file.string()) {
  stream_ = open_ordinary(path_);
  size_ = std::filesystem::file_size(file);
  try {
    read_list();
  } catch (const std::out_of_range&) {
    fail("is no whole archive");
  }
}

void ZipReader::fail(const std::string& what) const { throw std::runtime_error(fmt::format("{} {}", path_, what)); }

std::string ZipReader::bytes(std::uint64_t at, std::uint64_t size) {
  if (at > size_ || size > size_ - at) fail("is no whole archive");
  std::string text(size, '\0');
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(at));
  stream_.read(text.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uint64_t>(stream_.gcount()) != size) fail("cannot be read");
  return text;
}

// From the end, where the place of the list stands.
void ZipReader::read_list() {
  constexpr std::uint64_t kEnd = 22, kLocator = 20, kEnd64 = 56, kLongestRemark = 65535;
  const std::string tail = bytes(size_ - std::min(size_, kEnd + kLocator + kLongestRemark),
                                 std::min(size_, kEnd + kLocator + kLongestRemark));
  const auto end = tail.rfind(std::string("PK\5\6", 4));
  if (end == tail.npos) fail("is no whole archive");
  std::uint64_t count = number(tail, end + 10, 2), size = number(tail, end + 12, 4), at = number(tail, end + 16, 4);
  if (end >= kLocator && tail.compare(end - kLocator, 4, std::string("PK\6\7", 4)) == 0) {
    const std::string end64 = bytes(number(tail, end - kLocator + 8, 8), kEnd64);
    count = number(end64, 32, 8);
    size = number(end64, 40, 8);
    at = number(end64, 48, 8);
  }
  const std::string list = bytes(at, size);
  std::size_t k = 0;
  for (std::uint64_t member = 0; member < count; ++member) {
    if (list.compare(k, 4, std::string("PK\1\2", 4)) != 0) fail("is no whole archive");
    Member m{{},
             number(list, k + 42, 4),
             number(list, k + 24, 4),
             number(list, k + 20, 4),
             static_cast<std::uint32_t>(number(list, k + 16, 4)),
             static_cast<int>(number(list, k + 10, 2))};
    const std::size_t name = number(list, k + 28, 2), extra = number(list, k + 30, 2), remark = number(list, k + 32, 2);
    m.name = list.substr(k + 46, name);
    for (std::size_t field = k + 46 + name; field + 4 <= k + 46 + name + extra;) {
      std::size_t place = field + 4;
      if (number(list, field, 2) == 1) {
        for (std::uint64_t* x : {&m.size, &m.packed, &m.at}) {
          if (*x != kElsewhere) continue;
          *x = number(list, place, 8);
          place += 8;
        }
      }
      field += 4 + number(list, field + 2, 2);
    }
    members_.push_back(std::move(m));
    k += 46 + name + extra + remark;
  }
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

bool ZipReader::has(const std::string& name) const {
  return std::ranges::any_of(members_, [&](const Member& member) { return member.name == name; });
}

std::string ZipReader::read(const std::string& name, std::uint64_t most) {
  const auto found = std::ranges::find_if(members_, [&](const Member& member) { return member.name == name; });
  if (found == members_.end()) fail(fmt::format("has no member '{}'", name));
  const Member& member = *found;
  const std::string local = bytes(member.at, 30);
  const std::uint64_t data = member.at + 30 + number(local, 26, 2) + number(local, 28, 2);
  const std::uint64_t wanted = std::min(most, member.size);
  if (member.method == 0) return bytes(data, wanted);
  if (member.method != 8) fail(fmt::format("has a member '{}' in a compression that is not known", name));

  std::string text(wanted, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail("cannot be inflated");
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  std::uint64_t done = 0, read = 0;
  int state = Z_OK;
  while (done < wanted && read < member.packed && state == Z_OK) {
    const std::string piece = bytes(data + read, std::min(kPiece, member.packed - read));
    read += piece.size();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    while (stream.avail_in > 0 && done < wanted && state == Z_OK) {
      const std::uint64_t room = std::min(wanted - done, std::uint64_t{1} << 30);
      stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
      stream.avail_out = static_cast<uInt>(room);
      state = inflate(&stream, Z_NO_FLUSH);
      done += room - stream.avail_out;
    }
  }
  inflateEnd(&stream);
  const bool is_damaged =
      wanted == member.size && crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()) != member.sum;
  if (done < wanted || is_damaged) fail(fmt::format("is damaged: '{}' cannot be inflated", name));
  return text;
}

}  // namespace cotangent
