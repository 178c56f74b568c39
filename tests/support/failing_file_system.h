// The real file system with faults on demand: a full disk, a failing fsync, a rename that is lost.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/file_system.h"

namespace ptxbatch {

class FailingFileSystem final : public FileSystem {
 public:
  /// Appends fail with ENOSPC once this many bytes were appended; what fits is written.
  std::optional<std::uint64_t> append_room_bytes;
  bool fail_sync = false;     // with EIO
  bool fail_replace = false;  // with EIO; neither file is touched
  bool fail_create = false;  // create_exclusive, with ENOSPC, leaving an empty file as the real one

  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override;
  Status create_exclusive(const std::string& path, std::string_view contents) override;
  Result<std::string> read(const std::string& path) override;
  Result<std::uint64_t> size_bytes(const std::string& path) override;
  bool exists(const std::string& path) override;
  Status replace(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;

 private:
  FileSystem& real_ = real_file_system();
};

}  // namespace ptxbatch
