// A private folder for one rank's binaries and candidates' scratch, under TMPDIR (or /tmp). Removed
// with its owner; what a killed process left behind is swept by the next one of the same user.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"

namespace ptxbatch {

class ScratchFolder {
 public:
  static Result<std::unique_ptr<ScratchFolder>> make(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ptxbatch
