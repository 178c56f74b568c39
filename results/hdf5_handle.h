// HDF5 with owners and errors as values: every handle has one owner, every call is checked, and an
// Error keeps the call that failed with HDF5's own reason. Not thread-safe (the library is not).
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "common/error.h"
#include "common/return_if_error.h"

namespace ptxbatch {

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }
  /// Closes now, so that the result can be checked.
  herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, H5I_INVALID_HID)) : 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// HDF5 prints its errors to stderr unless told not to; while one of these lives, it is told.
class QuietHdf5Errors {
 public:
  QuietHdf5Errors();
  ~QuietHdf5Errors();
  QuietHdf5Errors(const QuietHdf5Errors&) = delete;
  QuietHdf5Errors& operator=(const QuietHdf5Errors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The error for a call that has just failed: "H5Dwrite: no space left on device", kSystem.
Error hdf5_error(const char* call);

inline Status hdf5_status(herr_t result, const char* call) {
  if (result < 0) return fail(hdf5_error(call));
  return {};
}
inline Result<Hdf5Handle> hdf5_handle(hid_t id, Hdf5Handle::Close close, const char* call) {
  if (id < 0) return fail(hdf5_error(call));
  return Hdf5Handle(id, close);
}

/// A file opened for reading, or created (an old one is replaced), with HDF5's own locking off:
/// RunLock keeps writers apart, and flock fails on some cluster file systems. (The environment
/// variable HDF5_USE_FILE_LOCKING still has the last word.)
Result<Hdf5Handle> open_hdf5_file(const std::string& path);
Result<Hdf5Handle> create_hdf5_file(const std::string& path);

}  // namespace ptxbatch

/// Checks a call that returns herr_t: PTXBATCH_HDF5(H5Dwrite(...)) is a Status.
#define PTXBATCH_HDF5(call) ::ptxbatch::hdf5_status((call), #call)
/// Checks a call that returns a handle, to be closed with `close`: a Result<Hdf5Handle>.
#define PTXBATCH_HDF5_HANDLE(call, close) ::ptxbatch::hdf5_handle((call), (close), #call)
