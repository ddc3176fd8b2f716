// A driver for the library of HDF5: its files are Hdf5Bytes.

#include <cstdlib>
#include <limits>

#include "cotangent/output/record/hdf5/hdf5.hpp"

namespace cotangent {
namespace {

// The library knows the first member.
struct DriverFile {
  H5FD_t known;
  Hdf5Bytes* bytes;
  haddr_t allocated;
};

DriverFile* as_ours(H5FD_t* file) { return reinterpret_cast<DriverFile*>(file); }
const DriverFile* as_ours(const H5FD_t* file) { return reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* bytes = static_cast<Hdf5Bytes* const*>(H5Pget_driver_info(access));
  auto* file = static_cast<DriverFile*>(std::calloc(1, sizeof(DriverFile)));
  if (!bytes || !file) return nullptr;
  file->bytes = *bytes;
  return &file->known;
}

herr_t close_file(H5FD_t* file) {
  std::free(as_ours(file));
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto *first = as_ours(a)->bytes, *second = as_ours(b)->bytes;
  return first == second ? 0 : std::less<>()(first, second) ? -1 : 1;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags) *flags = H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return as_ours(file)->allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t size) {
  as_ours(file)->allocated = size;
  return 0;
}

haddr_t get_size(const H5FD_t* file, H5FD_mem_t) { return as_ours(file)->bytes->size(); }

herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* to) {
  return as_ours(file)->bytes->read(at, size, static_cast<char*>(to)) ? 0 : -1;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, const void* from) {
  return as_ours(file)->bytes->write(at, size, static_cast<const char*>(from)) ? 0 : -1;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  Hdf5Bytes& bytes = *as_ours(file)->bytes;
  const haddr_t size = as_ours(file)->allocated;
  return bytes.size() == size || bytes.resize(size) ? 0 : -1;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "cotangent";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Hdf5Bytes*);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_size;
  driver.read = read_file;
  driver.write = write_file;
  driver.truncate = truncate_file;
  return driver;
}

hid_t driver_id() {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

Hdf5Object access_to(Hdf5Bytes& bytes) {
  Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Hdf5Bytes* const place = &bytes;
  expect_hdf5(H5Pset_driver(access.id(), driver_id(), &place), "take the file");
  // The newest format is the one that is whole at any time.
  expect_hdf5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "choose a format");
  return access;
}

constexpr const char* kName = "record";  // the library wants one

std::recursive_mutex& use_of_library() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

Hdf5Use::Hdf5Use() : lock_(use_of_library()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Use::~Hdf5Use() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

Hdf5Object create_hdf5(Hdf5Bytes& bytes) {
  const Hdf5Object access = access_to(bytes);
  return {expect_hdf5(H5Fcreate(kName, H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "begin a file"), H5Fclose};
}

Hdf5Object open_hdf5(Hdf5Bytes& bytes, unsigned flags) {
  const Hdf5Object access = access_to(bytes);
  return {expect_hdf5(H5Fopen(kName, flags, access.id()), "open the file"), H5Fclose};
}

}  // namespace cotangent
