#include "common/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ptxbatch {

Result<ScratchFolder> ScratchFolder::make(const std::string& parent, const std::string& prefix) {
  std::string path = parent + "/" + prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    Error error = system_error("cannot make a scratch folder", errno,
                               "Check that there is space and that the folder may be written.");
    error.file = parent;
    return fail(std::move(error));
  }
  return ScratchFolder(std::move(path));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // nothing to be done about it here
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace ptxbatch
