#include "orchestrator/scratch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

fs::path scratch_root() {
  const char* folder = std::getenv("TMPDIR");
  const fs::path base = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  return base / fmt::format("ptxbatch-{}", ::getuid());
}

// Folders are named PID-...; one whose process is gone was left behind.
void sweep_abandoned(const fs::path& root) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root, failed)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || pid <= 0) continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), failed);
  }
}

}  // namespace

Result<ScratchFolder> make_rank_scratch(int rank) {
  const fs::path root = scratch_root();
  std::error_code failed;
  fs::create_directories(root, failed);
  fs::permissions(root, fs::perms::owner_all, failed);
  sweep_abandoned(root);
  auto folder = ScratchFolder::make(root.string(), fmt::format("{}-rank{}-", ::getpid(), rank));
  if (!folder) {
    Error error = folder.error();
    error.hint = "Set TMPDIR to a folder with room that you may write to.";
    return fail(std::move(error));
  }
  return folder;
}

}  // namespace ptxbatch
