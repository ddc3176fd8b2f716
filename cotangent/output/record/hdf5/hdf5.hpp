#pragma once

#include <hdf5.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "cotangent/output/record/hdf5/hdf5_bytes.hpp"

namespace cotangent {

/// An object of the library of HDF5, closed in the end.
class Hdf5Object {
 public:
  Hdf5Object() = default;
  Hdf5Object(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Hdf5Object(Hdf5Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Object& operator=(Hdf5Object&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Object() { close(); }

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  bool close() {
    if (id_ < 0) return true;
    return close_(std::exchange(id_, -1)) >= 0;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// While this lives the library of HDF5 is used by this thread, and prints no errors.
class Hdf5Use {
 public:
  Hdf5Use();
  ~Hdf5Use();
  Hdf5Use(const Hdf5Use&) = delete;
  Hdf5Use& operator=(const Hdf5Use&) = delete;

 private:
  std::scoped_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// A file whose bytes are these, which outlive it. @throws std::runtime_error if the library does not take it.
Hdf5Object create_hdf5(Hdf5Bytes& bytes);
/// @param flags as those of H5Fopen.
Hdf5Object open_hdf5(Hdf5Bytes& bytes, unsigned flags);

/// @throws std::runtime_error for what the library has refused, a negative number.
template <class X>
X expect_hdf5(X result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string("HDF5 could not ") + what);
  return result;
}

}  // namespace cotangent
