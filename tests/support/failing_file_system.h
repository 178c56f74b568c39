// The real file system with faults on demand, in the manner of leveldb's fault injection: a full
// disk, a failing fsync, a rename that is lost, an error at any one call, and the loss of all that
// was never synced.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  bool fail_create = false;   // create_exclusive, with ENOSPC, leaving an empty file

  /// One call, or all from one on, fails. Only calls that change something are counted.
  struct Fault {
    int call = 0;          // from 0
    int error_number = 0;  // errno
    /// Not done at all, done in part (half of an append; else not at all), or done although an
    /// error is reported: what a failing server or a failing sync of the folder looks like.
    enum class Effect { kNone, kHalf, kWhole } effect = Effect::kNone;
    bool lasting = false;  // every later call fails as well
  };
  std::optional<Fault> fault;
  std::function<void()> during_next_sync;  // called once
  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] bool fault_met() const { return fault_met_; }

  /// What a power failure leaves: everything that was appended since its file was last synced goes.
  void lose_unsynced();

  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override;
  Status create_exclusive(const std::string& path, std::string_view contents) override;
  Result<std::string> read(const std::string& path) override;
  Result<std::uint64_t> size_bytes(const std::string& path) override;
  bool exists(const std::string& path) override;
  Status replace(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;

 private:
  friend class FailingAppendFile;
  /// Counts a call; the fault when this one is to fail.
  std::optional<Fault> next_call();

  FileSystem& real_ = real_file_system();
  int calls_ = 0;
  bool fault_met_ = false;
  std::map<std::string, std::uint64_t> synced_bytes_;  // by path, of files open for appending
};

}  // namespace ptxbatch
