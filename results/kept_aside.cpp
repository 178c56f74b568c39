#include "results/kept_aside.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "common/unique_fd.h"

namespace ptxbatch {
namespace {

constexpr int kMostKept = 1000;

Error aside_error(const std::string& path, const std::string& action, int error_number) {
  Error error = system_error("the damaged file cannot be kept aside: cannot " + action,
                             error_number, "Nothing was changed.");
  error.file = path;
  return error;
}

Status sync_to_disk(const std::string& path, int flags) {
  const UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return fail(aside_error(path, "sync", errno));
  return {};
}

/// False when the name is taken.
Result<bool> give_name(const std::string& path, const std::string& name) {
  if (::link(path.c_str(), name.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  std::error_code code;
  if (!std::filesystem::copy_file(path, name, code)) {
    if (code == std::errc::file_exists) return false;
    return fail(aside_error(path, "copy it to " + name, code.value()));
  }
  if (auto synced = sync_to_disk(name, O_RDONLY); !synced) return fail(synced.error());
  return true;
}

}  // namespace

Result<std::string> keep_aside(const std::string& path) {
  for (int number = 1; number <= kMostKept; ++number) {
    const std::string name = path + ".damaged-" + std::to_string(number);
    const auto given = give_name(path, name);
    if (!given) return fail(given.error());
    if (!*given) continue;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    auto synced = sync_to_disk(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
    if (!synced) return fail(synced.error());
    return name;
  }
  return fail(aside_error(path, "find a free name", EEXIST));
}

}  // namespace ptxbatch
