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

/// A string that fills its type: HDF5 has no empty ones.
std::string padded(const std::string& text) {
  std::string stored = to_stored_string(text);
  stored.resize(std::max<std::size_t>(1, stored.size()), '\0');
  return stored;
}

/// The size of a string type of fixed length; 0 when it is another type.
std::size_t fixed_string_size(hid_t type) {
  const bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  return fixed ? H5Tget_size(type) : 0;
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
  const std::string stored = padded(value);
  return write_value(file, name, string_type(stored.size()).get(), stored.data());
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
  auto attribute = PTXBATCH_HDF5_HANDLE(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  if (!attribute) return fail(attribute.error());
  const Hdf5Handle type(H5Aget_type(attribute->get()), H5Tclose);
  std::string stored(fixed_string_size(type.get()), '\0');
  if (stored.empty()) return fail(ErrorKind::kInput, "it is not a string of fixed length");
  PTXBATCH_RETURN_IF_ERROR(
      PTXBATCH_HDF5(H5Aread(attribute->get(), string_type(stored.size()).get(), stored.data())));
  value = from_stored_string(stored);
  return {};
}

Status write_text_dataset(hid_t file, const char* name, const std::string& text) {
  const std::string stored = padded(text);
  auto dataset = DatasetWriter::create(file, name, string_type(stored.size()), stored.size());
  if (!dataset) return fail(dataset.error());
  PTXBATCH_RETURN_IF_ERROR(dataset->append(stored.data(), 1));
  return dataset->finish();
}

Result<std::string> read_text_dataset(hid_t file, const std::string& path, const char* name) {
  auto dataset = DatasetReader::open(file, path, name);
  if (!dataset) return fail(dataset.error());
  const Hdf5Handle type(H5Dget_type(dataset->id()), H5Tclose);
  std::string stored(fixed_string_size(type.get()), '\0');
  if (stored.empty()) return fail(dataset->error("it does not hold a string of fixed length"));
  dataset->read_as(string_type(stored.size()));
  PTXBATCH_RETURN_IF_ERROR(dataset->read(0, 1, stored.data()));
  return from_stored_string(stored);
}

}  // namespace ptxbatch
