#include <fmt/format.h>

#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cotangent/output/npy_reader.hpp"
#include "cotangent/output/record/array_reader.hpp"
#include "cotangent/output/record/zip_reader.hpp"

namespace cotangent {
namespace {

constexpr const char* kEnding = ".npy";
constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 16;

// An archive of NumPy.
class NpzReader final : public ArrayReader {
 public:
  explicit NpzReader(const std::filesystem::path& file) : zip_(file), path_(file.string()) {}

  std::string text(const std::string& name) override { return zip_.has(name) ? zip_.read(name) : std::string(); }

  std::vector<std::string> names() override {
    std::vector<std::string> names;
    for (std::string name : zip_.names())
      if (name.ends_with(kEnding)) names.push_back(name.substr(0, name.size() - 4));
    return names;
  }

  std::vector<std::int64_t> shape(const std::string& name) override {
    std::istringstream stream(zip_.read(name + kEnding, kLongestHeader));
    return npy_shape(stream, where(name));
  }

  std::vector<double> read(const std::string& name, std::int64_t first, std::int64_t count) override {
    std::istringstream stream(zip_.read(name + kEnding));
    const auto [shape, values] = read_npy(stream, where(name), std::numeric_limits<std::int64_t>::max());
    if (shape.empty() || shape.front() < first + count)
      throw std::runtime_error(fmt::format("{} has fewer rows of '{}' than of others", path_, name));
    const std::int64_t size = shape.front() > 0 ? std::ssize(values) / shape.front() : 0;
    return {values.begin() + first * size, values.begin() + (first + count) * size};
  }

 private:
  std::string where(const std::string& name) const { return path_ + ", '" + name + "',"; }

  ZipReader zip_;
  std::string path_;
};

}  // namespace

std::unique_ptr<ArrayReader> read_npz_file(const std::filesystem::path& file) {
  return std::make_unique<NpzReader>(file);
}

}  // namespace cotangent
