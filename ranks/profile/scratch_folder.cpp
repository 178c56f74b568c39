#include "ranks/profile/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ptxbatch {

Result<ScratchFolder> ScratchFolder::make(const std::string& parent) {
  std::string path = parent + "/runner-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(system_error("cannot make a scratch folder in " + parent, errno));
  }
  return ScratchFolder(std::move(path));
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // nothing to be done about it, and the rank's own folder goes later
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ptxbatch
