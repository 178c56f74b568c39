// One-dimensional HDF5 datasets as streams: DatasetWriter and DatasetReader move plain elements,
// TableWriter and TableReader move rows of a compound type. A row type lists its columns once, in a
// visit_columns(visitor, row) (schema.h), from which the HDF5 type, the packing and the unpacking
// follow. Memory is bound by a block of rows; chunks are shuffled, compressed and checksummed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/enum_names.h"
#include "results/hdf5_handle.h"
#include "results/record_fields.h"
#include "results/stored_string.h"

namespace ptxbatch {

/// A SHA-256 in hexadecimal (or nothing), in a column of 64 characters.
struct HashText {
  std::string text;
};
inline constexpr std::size_t kHashCharacters = 64;

struct Column {
  std::string name;
  Hdf5Handle type;
  std::size_t size_bytes = 0;
  bool added_later = false;  // a file that was written before has it not
  bool absent = false;       // in this file: not read, the row keeps its default
};
using Columns = std::vector<Column>;

/// UTF-8, fixed length, padded with NUL (stored_string.h).
Hdf5Handle string_type(std::size_t size_bytes);
/// {FALSE, TRUE}, as h5py knows it.
Hdf5Handle bool_type();
Hdf5Handle enum_type(const std::string_view* names, std::size_t count);

/// Lists a row type's columns. `widths` gives the length of each std::string column in turn.
class ColumnLister {
 public:
  explicit ColumnLister(std::vector<std::size_t> widths = {}) : widths_(std::move(widths)) {}

  template <class T>
  void operator()(const char* name, const T& /*value*/) {
    if constexpr (std::is_same_v<T, std::string>) {
      const std::size_t width = next_string_ < widths_.size() ? widths_[next_string_++] : 1;
      add(name, string_type(width), width);
    } else if constexpr (std::is_same_v<T, HashText>) {
      add(name, string_type(kHashCharacters), kHashCharacters);
    } else if constexpr (std::is_same_v<T, bool>) {
      add(name, bool_type(), 1);
    } else if constexpr (std::is_enum_v<T>) {
      const auto& names = EnumNames<T>::kNames;
      add(name, enum_type(names.data(), names.size()), 1);
    } else {
      add(name, number_type<T>(), sizeof(T));
    }
  }
  template <class T>
  void operator()(const char* name, const T& value, AddedLater /*column*/) {
    (*this)(name, value);
    columns_.back().added_later = true;
  }
  Columns take() { return std::move(columns_); }

 private:
  template <class T>
  static Hdf5Handle number_type() {
    static_assert(std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::uint64_t> || std::is_same_v<T, double>);
    const hid_t type = std::is_same_v<T, double>         ? H5T_IEEE_F64LE
                       : std::is_same_v<T, std::int32_t> ? H5T_STD_I32LE
                       : std::is_same_v<T, std::int64_t> ? H5T_STD_I64LE
                                                         : H5T_STD_U64LE;
    return {H5Tcopy(type), H5Tclose};
  }

  void add(const char* name, Hdf5Handle type, std::size_t size_bytes) {
    columns_.push_back({name, std::move(type), size_bytes});
  }

  std::vector<std::size_t> widths_;
  std::size_t next_string_ = 0;
  Columns columns_;
};

/// Finds the length that each std::string column needs for the rows that it visits.
class WidthFinder {
 public:
  void next_row() { next_string_ = 0; }
  template <class T>
  void operator()(const char* /*name*/, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (next_string_ == widths_.size()) widths_.push_back(1);
      std::size_t& width = widths_[next_string_++];
      width = std::max(width, to_stored_string(value).size());
    }
  }
  std::vector<std::size_t> take() { return std::move(widths_); }

 private:
  std::size_t next_string_ = 0;
  std::vector<std::size_t> widths_;
};

/// Appends a row's bytes, without gaps, in column order.
class RowPacker {
 public:
  RowPacker(const Columns& columns, std::string& bytes) : columns_(columns), bytes_(bytes) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    const std::size_t width = columns_[column_++].size_bytes;
    if constexpr (std::is_same_v<T, std::string>) {
      pack_string(name, value, width);
    } else if constexpr (std::is_same_v<T, HashText>) {
      pack_string(name, value.text, width);
    } else {
      const std::size_t at = bytes_.size();
      bytes_.resize(at + width);
      std::memcpy(bytes_.data() + at, &value, width);
    }
  }
  /// The column whose string was too long; empty when all fitted.
  [[nodiscard]] const std::string& too_long() const { return too_long_; }

 private:
  void pack_string(const char* name, const std::string& value, std::size_t width) {
    std::string stored = to_stored_string(value);
    if (stored.size() > width) too_long_ = name;
    stored.resize(width, '\0');
    bytes_ += stored;
  }

  const Columns& columns_;
  std::string& bytes_;
  std::size_t column_ = 0;
  std::string too_long_;
};

/// Fills a row from the bytes that RowPacker makes.
class RowUnpacker {
 public:
  RowUnpacker(const Columns& columns, const char* bytes) : columns_(columns), at_(bytes) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (columns_[column_].absent) {
      ++column_;
      return;
    }
    const std::size_t width = columns_[column_++].size_bytes;
    if constexpr (std::is_same_v<T, std::string>) {
      value = from_stored_string({at_, width});
    } else if constexpr (std::is_same_v<T, HashText>) {
      value.text = from_stored_string({at_, width});
    } else if constexpr (std::is_same_v<T, bool>) {
      value = *at_ != 0;
    } else {
      std::memcpy(&value, at_, width);
      if constexpr (std::is_enum_v<T>) {
        if (!is_valid_enum<T>(static_cast<std::int64_t>(value))) invalid_ = name;
      }
    }
    at_ += width;
  }
  /// The column whose value is none of its enumeration's; empty when all are.
  [[nodiscard]] const std::string& invalid() const { return invalid_; }

 private:
  const Columns& columns_;
  const char* at_;
  std::size_t column_ = 0;
  std::string invalid_;
};

class DatasetWriter {
 public:
  /// `type` serves in memory and in the file.
  static Result<DatasetWriter> create(hid_t file, const std::string& name, Hdf5Handle type,
                                      std::size_t element_bytes);
  Status append(const void* elements, std::size_t count);
  /// Writes what is still in the buffer: once, after the last append.
  Status finish();
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  DatasetWriter() = default;
  Status write(std::size_t count);

  Hdf5Handle type_;
  Hdf5Handle dataset_;
  std::size_t element_bytes_ = 1;
  std::size_t chunk_elements_ = 1;
  std::string buffer_;
  std::uint64_t written_ = 0;
  std::int64_t size_ = 0;
};

/// Reads a dataset of a results file; errors are kInput and name the file and the dataset.
class DatasetReader {
 public:
  static Result<DatasetReader> open(hid_t file, const std::string& path, const std::string& name);

  /// Elements are read as this type from now on.
  void read_as(Hdf5Handle type);
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] hid_t id() const { return dataset_.get(); }
  /// Small reads come from a block that is read ahead: most go from the front to the back.
  Status read(std::int64_t first, std::int64_t count, void* elements);
  [[nodiscard]] Error error(const std::string& what) const;

 private:
  DatasetReader() = default;
  Status read_directly(std::int64_t first, std::int64_t count, void* elements) const;

  std::string path_;
  std::string name_;
  Hdf5Handle dataset_;
  Hdf5Handle type_;
  std::size_t element_bytes_ = 1;
  std::int64_t size_ = 0;
  std::string block_;
  std::int64_t block_start_ = 0;
  std::int64_t block_elements_ = 0;
};

/// Whether the file has a dataset of this name.
bool has_dataset(hid_t file, const std::string& name);

/// The compound type of these columns without gaps, and its size.
Result<Hdf5Handle> compound_type(const Columns& columns);
std::size_t row_size(const Columns& columns);

template <class Row>
class TableWriter {
 public:
  static Result<TableWriter> create(hid_t file, const std::string& name,
                                    std::vector<std::size_t> string_widths = {}) {
    ColumnLister lister(std::move(string_widths));
    Row row;
    visit_columns(lister, row);
    Columns columns = lister.take();
    auto type = compound_type(columns);
    if (!type) return fail(type.error());
    auto rows = DatasetWriter::create(file, name, std::move(*type), row_size(columns));
    if (!rows) return fail(rows.error());
    return TableWriter(std::move(columns), std::move(*rows));
  }

  Status append(const Row& row) {
    packed_.clear();
    RowPacker packer(columns_, packed_);
    visit_columns(packer, row);
    if (!packer.too_long().empty()) {
      Error error{ErrorKind::kInternal, "a text does not fit its column", {}, {}, 0, 0, {}};
      error.key = packer.too_long();
      return fail(std::move(error));
    }
    return rows_.append(packed_.data(), 1);
  }
  Status finish() { return rows_.finish(); }
  [[nodiscard]] std::int64_t size() const { return rows_.size(); }

 private:
  TableWriter(Columns columns, DatasetWriter rows)
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  Columns columns_;
  DatasetWriter rows_;
  std::string packed_;
};

/// Writes a table whose rows are all at hand, its strings as wide as the longest.
template <class Row>
Status write_table(hid_t file, const std::string& name, const std::vector<Row>& rows) {
  WidthFinder widths;
  for (const Row& row : rows) {
    widths.next_row();
    visit_columns(widths, row);
  }
  auto table = TableWriter<Row>::create(file, name, widths.take());
  if (!table) return fail(table.error());
  for (const Row& row : rows) {
    PTXBATCH_RETURN_IF_ERROR(table->append(row));
  }
  return table->finish();
}

/// The columns that are to be read, checked against the dataset's: each must be there, or have been
/// added later; strings get the length that they have in the file. Columns that we do not know are
/// left out.
Result<Columns> match_columns(const DatasetReader& dataset, Columns wanted);

template <class Row>
class TableReader {
 public:
  static Result<TableReader> open(hid_t file, const std::string& path, const std::string& name) {
    auto rows = DatasetReader::open(file, path, name);
    if (!rows) return fail(rows.error());
    ColumnLister lister;
    Row row;
    visit_columns(lister, row);
    auto columns = match_columns(*rows, lister.take());
    if (!columns) return fail(columns.error());
    auto type = compound_type(*columns);
    if (!type) return fail(type.error());
    rows->read_as(std::move(*type));
    return TableReader(std::move(*columns), std::move(*rows));
  }

  [[nodiscard]] std::int64_t size() const { return rows_.size(); }
  [[nodiscard]] Error error(const std::string& what) const { return rows_.error(what); }

  /// Fills `row` with the next one; false at the end.
  Result<bool> next(Row& row) {
    if (next_ == rows_.size()) return false;
    PTXBATCH_RETURN_IF_ERROR(rows_.read(next_, 1, packed_.data()));
    RowUnpacker unpacker(columns_, packed_.data());
    visit_columns(unpacker, row);
    if (!unpacker.invalid().empty()) {
      return fail(rows_.error("row " + std::to_string(next_) + " has an unknown value in column '" +
                              unpacker.invalid() + "'"));
    }
    ++next_;
    return true;
  }

 private:
  TableReader(Columns columns, DatasetReader rows)
      : columns_(std::move(columns)), rows_(std::move(rows)), packed_(row_size(columns_), '\0') {}

  Columns columns_;
  DatasetReader rows_;
  std::string packed_;
  std::int64_t next_ = 0;
};

}  // namespace ptxbatch
