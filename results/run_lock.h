// NAME.h5.lock: one writer at a time. An exclusively created file that says who holds it (host,
// process, its start time, Slurm job), since flock fails on some cluster file systems. A lock whose
// holder is known to be gone is stale and is taken over: its process no longer exists on this host,
// the host was booted again, or Slurm has requeued the holder's job (this process is its restart).
// A lock that holds nothing (only where there are no hard links, from a crash between creating and
// writing it) is stale after a minute.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"
#include "common/file_system.h"

namespace ptxbatch {

class RunLock {
 public:
  /// kConflict, naming the holder and how to remove the lock, when somebody else holds it.
  static Result<std::unique_ptr<RunLock>> acquire(FileSystem& files, const std::string& lock_path);
  /// Removes the lock if it is still this one.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  static Result<std::unique_ptr<RunLock>> acquire(FileSystem& files, const std::string& lock_path,
                                                  int depth);
  static Status remove_stale(FileSystem& files, const std::string& path, int depth);
  RunLock(FileSystem& files, std::string path, std::string contents)
      : files_(files), path_(std::move(path)), contents_(std::move(contents)) {}
  FileSystem& files_;
  std::string path_;
  std::string contents_;
};

}  // namespace ptxbatch
