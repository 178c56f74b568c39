// NAME.h5.lock: one writer at a time. An exclusively created file that says who holds it (host,
// process, its start time, Slurm job), since flock fails on some cluster file systems. A lock whose
// holder ran on this host and is gone is stale and is taken over.
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
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  RunLock(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  FileSystem& files_;
  std::string path_;
};

}  // namespace ptxbatch
