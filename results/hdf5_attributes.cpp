#include "results/hdf5_attributes.h"

#include <algorithm>

#include "results/hdf5_table.h"
#include "results/stored_string.h"

namespace ptxbatch {
namespace {

Status write_value(hid_t file, const char* name, hid_t type, const void* value) {
  auto space = PTXBATCH_HDF5_HANDLE(H5Screate(H5S_SCALAR), H5Sclose);
  if (!space) return fail(space.error());
  auto attribute = PTXBATCH_HDF5_HANDLE(
      H5Acreate2(file, name, type, space->get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute) return fail(attribute.error());
  return PTXBATCH_HDF5(H5Awrite(attribute->get(), type, value));
}

Status read_value(hid_t file, const char* name, hid_t type, void* value) {
  auto attribute = PTXBATCH_HDF5_HANDLE(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  if (!attribute) return fail(attribute.error());
  return PTXBATCH_HDF5(H5Aread(attribute->get(), type, value));
}

// h5py gives attributes of variable length as str, those of fixed length as bytes.
Hdf5Handle variable_string_type() {
  return string_type(H5T_VARIABLE);
}

}  // namespace

Status write_attribute(hid_t file, const char* name, std::int32_t value) {
  return write_value(file, name, H5T_STD_I32LE, &value);
}

Status write_attribute(hid_t file, const char* name, double value) {
  return write_value(file, name, H5T_IEEE_F64LE, &value);
}

Status write_attribute(hid_t file, const char* name, bool value) {
  const auto number = static_cast<std::int8_t>(value);
  return write_value(file, name, bool_type().get(), &number);
}

Status write_attribute(hid_t file, const char* name, const std::string& value) {
  const std::string stored = to_stored_string(value);
  const char* pointer = stored.c_str();
  return write_value(file, name, variable_string_type().get(), &pointer);
}

Status read_attribute(hid_t file, const char* name, std::int32_t& value) {
  return read_value(file, name, H5T_STD_I32LE, &value);
}

Status read_attribute(hid_t file, const char* name, double& value) {
  return read_value(file, name, H5T_IEEE_F64LE, &value);
}

Status read_attribute(hid_t file, const char* name, bool& value) {
  std::int8_t number = 0;
  PTXBATCH_RETURN_IF_ERROR(read_value(file, name, bool_type().get(), &number));
  value = number != 0;
  return {};
}

Status read_attribute(hid_t file, const char* name, std::string& value) {
  char* pointer = nullptr;
  PTXBATCH_RETURN_IF_ERROR(read_value(file, name, variable_string_type().get(), &pointer));
  if (pointer != nullptr) value = from_stored_string(pointer);
  return PTXBATCH_HDF5(H5free_memory(pointer));
}

Status write_text_dataset(hid_t file, const char* name, const std::string& text) {
  std::string stored = to_stored_string(text);
  stored.resize(std::max<std::size_t>(1, stored.size()), '\0');  // HDF5 has no empty strings
  const Hdf5Handle type = string_type(stored.size());
  auto space = PTXBATCH_HDF5_HANDLE(H5Screate(H5S_SCALAR), H5Sclose);
  if (!space) return fail(space.error());
  auto properties = PTXBATCH_HDF5_HANDLE(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!properties) return fail(properties.error());
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_obj_track_times(properties->get(), 0)));
  auto dataset = PTXBATCH_HDF5_HANDLE(
      H5Dcreate2(file, name, type.get(), space->get(), H5P_DEFAULT, properties->get(), H5P_DEFAULT),
      H5Dclose);
  if (!dataset) return fail(dataset.error());
  return PTXBATCH_HDF5(
      H5Dwrite(dataset->get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()));
}

Result<std::string> read_text_dataset(hid_t file, const char* name) {
  auto dataset = PTXBATCH_HDF5_HANDLE(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  if (!dataset) return fail(dataset.error());
  const Hdf5Handle space(H5Dget_space(dataset->get()), H5Sclose);
  const Hdf5Handle type(H5Dget_type(dataset->get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
      H5Sget_simple_extent_npoints(space.get()) != 1) {
    return fail(ErrorKind::kInput, std::string(name) + " is not a single string");
  }
  std::string stored(H5Tget_size(type.get()), '\0');
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(
      H5Dread(dataset->get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data())));
  return from_stored_string(stored);
}

}  // namespace ptxbatch
