#include <fcntl.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/descriptor.hpp"
#include "cotangent/base/file.hpp"
#include "cotangent/output/record/array_reader.hpp"
#include "cotangent/output/record/hdf5/hdf5.hpp"

namespace cotangent {
namespace {

Descriptor descriptor_of(const std::filesystem::path& file) {
  static_cast<void>(open_ordinary(file.string()));
  return Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

std::vector<hsize_t> extent_of(const Hdf5Object& dataset) {
  const Hdf5Object space(H5Dget_space(dataset.id()), H5Sclose);
  const int rank = expect_hdf5(H5Sget_simple_extent_ndims(space.id()), "find the shape of a dataset");
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  expect_hdf5(H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr), "find the shape of a dataset");
  return extent;
}

herr_t take_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// Datasets of numbers, and texts.
class Hdf5Reader final : public ArrayReader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& file);
  ~Hdf5Reader() override;

  std::string text(const std::string& name) override;
  std::vector<std::string> names() override;
  std::vector<std::int64_t> shape(const std::string& name) override;
  std::vector<double> read(const std::string& name, std::int64_t first, std::int64_t count) override;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  Hdf5Object dataset(const std::string& name);

  std::string path_;
  Descriptor descriptor_;
  Hdf5Bytes bytes_;
  Hdf5Object file_;
};

Hdf5Reader::Hdf5Reader(const std::filesystem::path& file)
    : path_(file.string()), descriptor_(descriptor_of(file)), bytes_(descriptor_.get()) {
  if (!descriptor_) fail("cannot be read");
  const Hdf5Use use;
  try {
    file_ = open_hdf5(bytes_, H5F_ACC_RDONLY);
  } catch (const std::runtime_error&) {
    fail("is no file of HDF5, or not a whole one");
  }
}

Hdf5Reader::~Hdf5Reader() {
  const Hdf5Use use;
  file_.close();
}

void Hdf5Reader::fail(const std::string& what) const { throw std::runtime_error(path_ + ' ' + what); }

Hdf5Object Hdf5Reader::dataset(const std::string& name) {
  if (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0) fail("has no dataset '" + name + "'");
  Hdf5Object dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset) fail("has a '" + name + "' that is no dataset");
  return dataset;
}

std::string Hdf5Reader::text(const std::string& name) {
  const Hdf5Use use;
  if (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Hdf5Object data = dataset(name), type(H5Dget_type(data.id()), H5Tclose);
  if (H5Tis_variable_str(type.id()) > 0) return {};  // of others
  std::size_t size = H5Tget_size(type.id());
  for (const hsize_t n : extent_of(data)) size *= n;
  std::string text(size, '\0');
  expect_hdf5(H5Dread(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read a text");
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::vector<std::string> Hdf5Reader::names() {
  const Hdf5Use use;
  std::vector<std::string> all, names;
  expect_hdf5(H5Literate(file_.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, take_name, &all), "list datasets");
  for (const std::string& name : all) {
    H5O_info_t info;
    if (H5Oget_info_by_name(file_.id(), name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5O_TYPE_DATASET)
      continue;
    const Hdf5Object data = dataset(name), type(H5Dget_type(data.id()), H5Tclose);
    if (H5Tget_class(type.id()) == H5T_FLOAT) names.push_back(name);
  }
  return names;
}

std::vector<std::int64_t> Hdf5Reader::shape(const std::string& name) {
  const Hdf5Use use;
  const std::vector<hsize_t> extent = extent_of(dataset(name));
  return {extent.begin(), extent.end()};
}

std::vector<double> Hdf5Reader::read(const std::string& name, std::int64_t first, std::int64_t count) {
  const Hdf5Use use;
  const Hdf5Object data = dataset(name);
  std::vector<hsize_t> extent = extent_of(data), start(extent.size(), 0);
  if (extent.empty() || std::cmp_less(extent[0], first + count))
    fail("has fewer rows of '" + name + "' than of others");
  start[0] = static_cast<hsize_t>(first);
  extent[0] = static_cast<hsize_t>(count);
  std::size_t size = 1;
  for (const hsize_t n : extent) size *= n;
  std::vector<double> numbers(size);
  if (numbers.empty()) return numbers;
  const Hdf5Object space(H5Dget_space(data.id()), H5Sclose),
      memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  expect_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
              "find rows");
  if (H5Dread(data.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, numbers.data()) < 0)
    fail("has a '" + name + "' that cannot be read");
  return numbers;
}

}  // namespace

std::unique_ptr<ArrayReader> read_hdf5_file(const std::filesystem::path& file) {
  return std::make_unique<Hdf5Reader>(file);
}

}  // namespace cotangent
