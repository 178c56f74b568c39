// A folder that is removed, with all in it, when its owner goes.
#pragma once

#include <string>
#include <utility>

#include "common/error.h"

namespace ptxbatch {

class ScratchFolder {
 public:
  /// A folder of a new name, beginning with `prefix`, in `parent`; open to this user alone.
  static Result<ScratchFolder> make(const std::string& parent, const std::string& prefix);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ptxbatch
