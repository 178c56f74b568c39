// Compiled candidates on disk, NAME.so with the compiler's output NAME.log, under a key that stands
// for source, compiler and flags. Both are complete whenever they are there: they are written
// elsewhere, synced and renamed, so several processes and a crash can share one folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/scratch_folder.h"

namespace ptxbatch {

class CompileCache {
 public:
  /// Makes the folder when it is not there.
  static Result<CompileCache> open(const std::string& folder);

  struct Entry {
    std::string binary;  // path
    std::string output;  // the compiler's
  };
  [[nodiscard]] std::optional<Entry> find(const std::string& key) const;

  /// Moves `binary` (on the same file system: in a ScratchFolder of this cache) into the cache.
  [[nodiscard]] Result<Entry> insert(const std::string& key, const std::string& binary,
                                     std::string output) const;

  [[nodiscard]] Result<ScratchFolder> make_scratch() const {
    return ScratchFolder::make(folder_, "scratch-");
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  explicit CompileCache(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace ptxbatch
