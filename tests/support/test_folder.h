// A folder of a test's own, removed with everything in it when the test ends.
#pragma once

#include <filesystem>
#include <string>

#include "common/scratch_folder.h"

namespace ptxbatch {

class TestFolder {
 public:
  [[nodiscard]] std::string file(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

 private:
  ScratchFolder folder_ =
      ScratchFolder::make(std::filesystem::temp_directory_path().string(), "ptxbatch-test-")
          .value();
};

}  // namespace ptxbatch
