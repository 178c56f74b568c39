#include "results/hdf5_table.h"

#include <algorithm>

namespace ptxbatch {
namespace {

constexpr std::size_t kChunkBytes = 1U << 18U;
constexpr unsigned kGzipLevel = 4;
constexpr std::size_t kCacheBytes = 1U << 23U;
constexpr std::size_t kCacheSlots = 1009;  // a prime, as HDF5 advises

Result<Hdf5Handle> creation_properties(hsize_t chunk_elements) {
  auto properties = PTXBATCH_HDF5_HANDLE(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!properties) return properties;
  const hid_t id = properties->get();
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_chunk(id, 1, &chunk_elements)));
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_shuffle(id)));
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_deflate(id, kGzipLevel)));
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_fletcher32(id)));
  // Without times the same records give the same file.
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Pset_obj_track_times(id, 0)));
  return properties;
}

// Selects `count` elements from `first` on; the result is the file's data space.
Result<Hdf5Handle> select(hid_t dataset, hsize_t first, hsize_t count) {
  auto space = PTXBATCH_HDF5_HANDLE(H5Dget_space(dataset), H5Sclose);
  if (!space) return space;
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(
      H5Sselect_hyperslab(space->get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr)));
  return space;
}

Result<Hdf5Handle> memory_space(hsize_t count) {
  return PTXBATCH_HDF5_HANDLE(H5Screate_simple(1, &count, nullptr), H5Sclose);
}

}  // namespace

Hdf5Handle string_type(std::size_t size_bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size_bytes);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle enum_type(const std::string_view* names, std::size_t count) {
  Hdf5Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int8_t>(i);
    H5Tenum_insert(type.get(), std::string(names[i]).c_str(), &number);
  }
  return type;
}

Hdf5Handle bool_type() {
  constexpr std::array<std::string_view, 2> kNames = {"FALSE", "TRUE"};
  return enum_type(kNames.data(), kNames.size());
}

std::size_t row_size(const Columns& columns) {
  std::size_t size = 0;
  for (const Column& column : columns) size += column.absent ? 0 : column.size_bytes;
  return size;
}

Result<Hdf5Handle> compound_type(const Columns& columns) {
  auto type = PTXBATCH_HDF5_HANDLE(H5Tcreate(H5T_COMPOUND, row_size(columns)), H5Tclose);
  if (!type) return type;
  std::size_t offset = 0;
  for (const Column& column : columns) {
    if (column.absent) continue;
    PTXBATCH_RETURN_IF_ERROR(
        PTXBATCH_HDF5(H5Tinsert(type->get(), column.name.c_str(), offset, column.type.get())));
    offset += column.size_bytes;
  }
  return type;
}

Result<DatasetWriter> DatasetWriter::create(hid_t file, const std::string& name, Hdf5Handle type,
                                            std::size_t element_bytes) {
  DatasetWriter writer;
  writer.type_ = std::move(type);
  writer.element_bytes_ = element_bytes;
  writer.chunk_elements_ = std::max<std::size_t>(1, kChunkBytes / element_bytes);
  auto properties = creation_properties(writer.chunk_elements_);
  if (!properties) return fail(properties.error());
  constexpr hsize_t kNone = 0;
  constexpr hsize_t kAnyNumber = H5S_UNLIMITED;
  auto space = PTXBATCH_HDF5_HANDLE(H5Screate_simple(1, &kNone, &kAnyNumber), H5Sclose);
  if (!space) return fail(space.error());
  auto dataset =
      PTXBATCH_HDF5_HANDLE(H5Dcreate2(file, name.c_str(), writer.type_.get(), space->get(),
                                      H5P_DEFAULT, properties->get(), H5P_DEFAULT),
                           H5Dclose);
  if (!dataset) return fail(dataset.error());
  writer.dataset_ = std::move(*dataset);
  return writer;
}

Status DatasetWriter::append(const void* elements, std::size_t count) {
  buffer_.append(static_cast<const char*>(elements), count * element_bytes_);
  size_ += static_cast<std::int64_t>(count);
  // Whole chunks only: HDF5 would compress a chunk again each time that a part of it came.
  const std::size_t chunks = buffer_.size() / element_bytes_ / chunk_elements_;
  return chunks == 0 ? Status{} : write(chunks * chunk_elements_);
}

Status DatasetWriter::finish() {
  return buffer_.empty() ? Status{} : write(buffer_.size() / element_bytes_);
}

Status DatasetWriter::write(std::size_t count) {
  const hsize_t size_after = written_ + count;
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Dset_extent(dataset_.get(), &size_after)));
  auto memory = memory_space(count);
  if (!memory) return fail(memory.error());
  auto selected = select(dataset_.get(), written_, count);
  if (!selected) return fail(selected.error());
  PTXBATCH_RETURN_IF_ERROR(PTXBATCH_HDF5(H5Dwrite(dataset_.get(), type_.get(), memory->get(),
                                                  selected->get(), H5P_DEFAULT, buffer_.data())));
  written_ = size_after;
  buffer_.erase(0, count * element_bytes_);
  return {};
}

Result<DatasetReader> DatasetReader::open(hid_t file, const std::string& path,
                                          const std::string& name) {
  DatasetReader reader;
  reader.path_ = path;
  reader.name_ = name;
  // Blocks and texts end in the middle of chunks: the cache keeps those for the next read.
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), kCacheSlots, kCacheBytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  reader.dataset_ = Hdf5Handle(H5Dopen2(file, name.c_str(), access.get()), H5Dclose);
  if (reader.dataset_.get() < 0) {
    H5Eclear2(H5E_DEFAULT);
    return fail(reader.error("it is missing"));
  }
  const Hdf5Handle space(H5Dget_space(reader.dataset_.get()), H5Sclose);
  if (H5Sget_simple_extent_ndims(space.get()) != 1) {
    return fail(reader.error("it is not one-dimensional"));
  }
  reader.size_ = H5Sget_simple_extent_npoints(space.get());
  return reader;
}

Error DatasetReader::error(const std::string& what) const {
  return Error{ErrorKind::kInput,
               "dataset " + name_ + ": " + what,
               "The file is damaged, or was not written by ptxbatch. If its journal is still "
               "beside it, running the experiment again rebuilds it.",
               path_,
               0,
               0,
               {}};
}

void DatasetReader::read_as(Hdf5Handle type) {
  type_ = std::move(type);
  element_bytes_ = std::max<std::size_t>(1, H5Tget_size(type_.get()));
  block_elements_ = 0;
}

Status DatasetReader::read(std::int64_t first, std::int64_t count, void* elements) {
  if (first < 0 || count < 0 || first > size_ || count > size_ - first) {
    return fail(
        error("it ends before element " + std::to_string(first) + " + " + std::to_string(count)));
  }
  if (count == 0) return {};
  const auto most = static_cast<std::int64_t>(kChunkBytes / element_bytes_);
  // A look back, as to a text that was stored before, leaves the block where it is.
  if (count >= most || first < block_start_) return read_directly(first, count, elements);
  if (first + count > block_start_ + block_elements_) {
    block_elements_ = 0;  // until the read below has succeeded
    const std::int64_t wanted = std::min(most, size_ - first);
    block_.resize(static_cast<std::size_t>(wanted) * element_bytes_);
    PTXBATCH_RETURN_IF_ERROR(read_directly(first, wanted, block_.data()));
    block_start_ = first;
    block_elements_ = wanted;
  }
  const auto offset = static_cast<std::size_t>(first - block_start_) * element_bytes_;
  std::memcpy(elements, block_.data() + offset, static_cast<std::size_t>(count) * element_bytes_);
  return {};
}

Status DatasetReader::read_directly(std::int64_t first, std::int64_t count, void* elements) const {
  auto memory = memory_space(static_cast<hsize_t>(count));
  if (!memory) return fail(memory.error());
  auto selected = select(dataset_.get(), static_cast<hsize_t>(first), static_cast<hsize_t>(count));
  if (!selected) return fail(selected.error());
  const Status status = PTXBATCH_HDF5(
      H5Dread(dataset_.get(), type_.get(), memory->get(), selected->get(), H5P_DEFAULT, elements));
  if (!status) return fail(error(status.error().what));
  return {};
}

bool has_dataset(hid_t file, const std::string& name) {
  return H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

Result<Columns> match_columns(const DatasetReader& dataset, Columns wanted) {
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_COMPOUND) return fail(dataset.error("it is not a table"));
  for (Column& column : wanted) {
    const int index = H5Tget_member_index(type.get(), column.name.c_str());
    if (index < 0) {
      H5Eclear2(H5E_DEFAULT);
      column.absent = column.added_later;
      if (column.absent) continue;
      return fail(dataset.error("it has no column '" + column.name + "'"));
    }
    const auto member = static_cast<unsigned>(index);
    const Hdf5Handle found(H5Tget_member_type(type.get(), member), H5Tclose);
    const H5T_class_t wanted_class = H5Tget_class(column.type.get());
    if (H5Tget_class(found.get()) != wanted_class ||
        (wanted_class == H5T_STRING && H5Tis_variable_str(found.get()) > 0)) {
      return fail(dataset.error("column '" + column.name + "' has another type"));
    }
    // HDF5 1.10 does not check this when it opens a damaged file, and copies beyond its buffer.
    if (H5Tget_member_offset(type.get(), member) + H5Tget_size(found.get()) >
        H5Tget_size(type.get())) {
      return fail(dataset.error("column '" + column.name + "' lies outside its row"));
    }
    if (wanted_class == H5T_STRING) {
      column.size_bytes = H5Tget_size(found.get());
      column.type = string_type(column.size_bytes);
    }
  }
  return wanted;
}

}  // namespace ptxbatch
