#include "results/hdf5_handle.h"

#include <string_view>

namespace ptxbatch {
namespace {

// The first entry of the upward walk is the function that saw the fault; it knows the reason best.
herr_t keep_first_reason(unsigned /*index*/, const H5E_error2_t* entry, void* data) {
  auto& reason = *static_cast<std::string*>(data);
  if (reason.empty() && entry->desc != nullptr) reason = entry->desc;
  return 0;
}

Result<Hdf5Handle> access_properties() {
  auto properties = PTXBATCH_HDF5_HANDLE(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!properties) return properties;
  PTXBATCH_RETURN_IF_ERROR(
      PTXBATCH_HDF5(H5Pset_file_locking(properties->get(), /*use*/ 0, /*ignore_disabled*/ 1)));
  PTXBATCH_RETURN_IF_ERROR(
      PTXBATCH_HDF5(H5Pset_fclose_degree(properties->get(), H5F_CLOSE_STRONG)));
  // Since 1.10 all of the format's metadata carry checksums: damage is seen, where the library
  // crashes on older ones or reads other values without a word. Newer formats are not needed.
  PTXBATCH_RETURN_IF_ERROR(
      PTXBATCH_HDF5(H5Pset_libver_bounds(properties->get(), H5F_LIBVER_V110, H5F_LIBVER_V110)));
  return properties;
}

}  // namespace

QuietHdf5Errors::QuietHdf5Errors() {
  // A file that could not be closed, for want of disk space, stays behind in the library, which
  // would crash over it when the process exits. What we open we close; it need not clean up then.
  // (Has an effect only as the very first call of the library, and says so when it is not.)
  H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5Errors::~QuietHdf5Errors() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

Error hdf5_error(const char* call) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first_reason, &reason);
  H5Eclear2(H5E_DEFAULT);
  const std::string_view text = call;
  Error error;
  error.kind = ErrorKind::kSystem;
  error.what = std::string(text.substr(0, text.find('('))) + " failed: " + reason;
  return error;
}

Result<Hdf5Handle> open_hdf5_file(const std::string& path) {
  auto properties = access_properties();
  if (!properties) return properties;
  return PTXBATCH_HDF5_HANDLE(H5Fopen(path.c_str(), H5F_ACC_RDONLY, properties->get()), H5Fclose);
}

Result<Hdf5Handle> create_hdf5_file(const std::string& path) {
  auto access = access_properties();
  if (!access) return access;
  auto creation = PTXBATCH_HDF5_HANDLE(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (!creation) return creation;
  // Without times (here the root group's) the same records give the same file.
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_obj_track_times(creation->get(), 0)));
  return PTXBATCH_HDF5_HANDLE(
      H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation->get(), access->get()), H5Fclose);
}

}  // namespace ptxbatch
