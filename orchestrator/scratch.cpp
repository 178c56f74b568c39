#include "orchestrator/scratch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
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

// A few characters of an id that has far more than are needed to tell two apart.
std::string short_id(const std::string& id) {
  constexpr std::size_t kCharacters = 8;
  std::string kept;
  for (const char c : id) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) kept += c;
  }
  return kept.size() > kCharacters ? kept.substr(kept.size() - kCharacters) : kept;
}

std::string this_boot(const LockHolder& here) {
  return here.host + "." + short_id(here.boot_id) + ".";
}

// Folders are named PID-...
void sweep_ended_processes(const fs::path& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || pid <= 0) continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), failed);
  }
}

}  // namespace

std::string process_space(const LockHolder& here) {
  return this_boot(here) + short_id(here.pid_namespace);
}

void sweep_abandoned(const std::string& root, const LockHolder& here) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(here.host + ".") && !name.starts_with(this_boot(here))) {
      fs::remove_all(entry.path(), failed);
    }
  }
  sweep_ended_processes(fs::path(root) / process_space(here));
}

Result<ScratchFolder> make_rank_scratch(int rank) {
  const LockHolder here = LockHolder::current();
  const fs::path root = scratch_root();
  const fs::path ours = root / process_space(here);
  std::error_code failed;
  fs::create_directories(ours, failed);
  fs::permissions(root, fs::perms::owner_all, failed);
  sweep_abandoned(root.string(), here);
  auto folder = ScratchFolder::make(ours.string(), fmt::format("{}-rank{}-", ::getpid(), rank));
  if (!folder) {
    Error error = folder.error();
    error.hint = "Set TMPDIR to a folder with room that you may write to.";
    return fail(std::move(error));
  }
  return folder;
}

}  // namespace ptxbatch
