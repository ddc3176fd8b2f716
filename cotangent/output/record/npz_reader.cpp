#include "cotangent/output/record/npz_reader.hpp"

#include <limits>
#include <sstream>

#include "cotangent/output/npy_reader.hpp"

namespace cotangent {
namespace {

constexpr const char* kEnding = ".npy";
constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 16;

}  // namespace

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (std::string name : zip_.names())
    if (name.ends_with(kEnding)) names.push_back(name.substr(0, name.size() - 4));
  return names;
}

std::vector<std::int64_t> NpzReader::shape(const std::string& name) {
  std::istringstream stream(zip_.read(name + kEnding, kLongestHeader));
  return npy_shape(stream, where(name));
}

std::vector<double> NpzReader::read(const std::string& name) {
  std::istringstream stream(zip_.read(name + kEnding));
  return read_npy(stream, where(name), std::numeric_limits<std::int64_t>::max()).values;
}

}  // namespace cotangent
