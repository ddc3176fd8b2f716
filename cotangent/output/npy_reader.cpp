#include "cotangent/output/npy_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {
namespace {

// The file begins with its kind, two bytes of the version, and the length of a text such as
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }
constexpr std::string_view kKind = "\x93NUMPY";

class Reader {
 public:
  Reader(std::istream& stream, std::string name) : name_(std::move(name)), stream_(stream) {}

  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(fmt::format("{} {}", name_, what)); }

  std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    stream_.read(text.data(), static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(stream_.gcount()) != count) fail("ends too early");
    return text;
  }

  bool is_at_end() { return stream_.peek() == std::istream::traits_type::eof(); }

 private:
  std::string name_;
  std::istream& stream_;
};

std::string read_header(Reader& reader) {
  if (reader.bytes(kKind.size()) != kKind) reader.fail("is no file of NumPy");
  const std::string version = reader.bytes(2);
  const std::string digits = reader.bytes(version[0] == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t k = digits.size(); k-- > 0;) length = 256 * length + static_cast<unsigned char>(digits[k]);
  if (length > kLimits.file_bytes) reader.fail("has a header that is too long");
  return reader.bytes(length);
}

// What follows 'key': in the header.
std::string_view value_of(const Reader& reader, std::string_view header, const std::string& key) {
  const auto at = header.find("'" + key + "':");
  if (at == header.npos) reader.fail(fmt::format("has a header without '{}'", key));
  std::string_view value = header.substr(at + key.size() + 3);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

std::vector<std::int64_t> read_shape(const Reader& reader, std::string_view text) {
  std::vector<std::int64_t> shape;
  const char *at = text.data(), *end = at + std::min(text.find(')'), text.size());
  while (at < end) {
    std::int64_t size = 0;
    const auto [after, error] = std::from_chars(at, end, size);
    if (error == std::errc::result_out_of_range || size < 0) reader.fail("has a shape that is too large");
    if (error == std::errc()) shape.push_back(size);
    at = error == std::errc() ? after : at + 1;
  }
  return shape;
}

template <class Number>
double number_at(const char* bytes) {
  Number x{};
  std::memcpy(&x, bytes, sizeof(Number));
  return static_cast<double>(x);
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& file, std::int64_t most) {
  std::ifstream stream = open_ordinary(file.string());
  return read_npy(stream, file.string(), most);
}

std::vector<std::int64_t> npy_shape(std::istream& stream, const std::string& name) {
  Reader reader(stream, name);
  return read_shape(reader, value_of(reader, read_header(reader), "shape"));
}

NpyArray read_npy(std::istream& stream, const std::string& name, std::int64_t most) {
  Reader reader(stream, name);
  const std::string header = read_header(reader);
  const auto kind = value_of(reader, header, "descr");
  struct Kind {
    std::string_view name;
    std::size_t size;
    double (*number)(const char*);
  };
  std::optional<Kind> known;
  for (const Kind& one : {Kind{"'<f8'", 8, number_at<double>}, Kind{"'<f4'", 4, number_at<float>},
                          Kind{"'<i8'", 8, number_at<std::int64_t>}, Kind{"'<i4'", 4, number_at<std::int32_t>}})
    if (kind.starts_with(one.name)) known = one;
  if (!known)
    reader.fail(fmt::format("has numbers of the kind {}, and this program reads '<f8', '<f4', '<i8' and '<i4'",
                            kind.substr(0, kind.find(','))));
  const bool first_is_fastest = value_of(reader, header, "fortran_order").starts_with("True");
  NpyArray array{read_shape(reader, value_of(reader, header, "shape")), {}};
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) {
    if (size > 0 && count > most / size) reader.fail(fmt::format("has more numbers than the {} that are needed", most));
    count *= size;
  }
  if (count > most) reader.fail(fmt::format("has more numbers than the {} that are needed", most));

  const std::string data = reader.bytes(static_cast<std::size_t>(count) * known->size);
  if (!reader.is_at_end()) reader.fail("is longer than its header says");
  array.values.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> at(array.shape.size(), 0);  // the indices of a value, the last running fastest
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    std::size_t place = k;
    if (first_is_fastest) {
      place = 0;
      for (std::size_t d = at.size(); d-- > 0;)
        place = place * static_cast<std::size_t>(array.shape[d]) + static_cast<std::size_t>(at[d]);
    }
    array.values[k] = known->number(data.data() + place * known->size);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < array.shape[d]) break;
      at[d] = 0;
    }
  }
  return array;
}

}  // namespace cotangent
