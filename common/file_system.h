// The file system behind a narrow interface, so that a test can make it fail on demand. What must
// survive a crash (journal, results, lock) is written through it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.h"

namespace ptxbatch {

/// A file open for appending. Closing is the destructor's; durability is sync()'s.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  /// Appends all of `bytes` or reports why not; after a failure the file may hold a part of them.
  virtual Status append(std::string_view bytes) = 0;
  /// fsync: when this returns without an error, everything appended survives a power loss.
  virtual Status sync() = 0;
  /// Cuts the file to `size_bytes`.
  virtual Status truncate(std::uint64_t size_bytes) = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Opens for appending; creates the file when absent.
  virtual Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) = 0;
  /// Creates the file with these contents; kConflict when it exists already (O_EXCL).
  virtual Status create_exclusive(const std::string& path, std::string_view contents) = 0;
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<std::uint64_t> size_bytes(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// fsyncs `from`, renames it over `to` and fsyncs the folder: afterwards `to` is the new file,
  /// also after a power loss.
  virtual Status replace(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
};

/// The real one. Errors name the path; ENOSPC, EDQUOT and EROFS carry a hint.
FileSystem& real_file_system();

/// Reads a whole text file; the error names the file.
Result<std::string> read_text(const std::string& path);
/// Writes a whole file (not durable; for scratch files and figures).
Status write_text(const std::string& path, std::string_view text);

}  // namespace ptxbatch
