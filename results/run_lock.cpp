// Taking over a stale lock must not remove the fresh lock of somebody who was faster. All
// take-overs of one lock therefore exclude each other by a second exclusive file, LOCK.takeover,
// and look at the lock again while they hold it. Nobody else ever removes a lock but its living
// holder.
#include "results/run_lock.h"

#include <sys/stat.h>

#include <ctime>
#include <optional>

#include "results/lock_holder.h"

namespace ptxbatch {
namespace {

constexpr int kAttempts = 16;
constexpr double kUnwrittenLockLifetimeS = 60;

Error conflict(const std::string& path, std::string what, std::string hint) {
  return Error{ErrorKind::kConflict, std::move(what), std::move(hint), path, 0, 0, {}};
}

std::optional<double> age_s(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::difftime(std::time(nullptr), info.st_mtime);
}

/// Nothing when the lock with these contents is stale.
std::optional<Error> why_held(const std::string& path, const std::string& contents,
                              const LockHolder& self) {
  if (const auto holder = LockHolder::parse(contents)) {
    if (is_gone(*holder, self)) return std::nullopt;
    return conflict(path, "the output is being written by " + holder->describe(),
                    "Wait for that run or stop it. If it is dead, remove " + path +
                        " and run the same command again: it resumes.");
  }
  if (age_s(path).value_or(0) > kUnwrittenLockLifetimeS) return std::nullopt;
  return conflict(path, "another process is just taking this lock, or left it unwritten",
                  "Run the same command again in a minute.");
}

/// Removes the lock if it is still stale.
Status remove_stale(FileSystem& files, const std::string& path, const LockHolder& self) {
  const std::string takeover = path + ".takeover";
  if (auto created = files.create_exclusive(takeover, self.to_text()); !created) {
    if (created.error().kind != ErrorKind::kConflict) return created;
    return fail(conflict(
        path, "another process is taking over the lock of a run that died",
        "If there is no such process, remove " + takeover + " and run the same command again."));
  }
  Status removed;
  const auto contents = files.read(path);
  if (contents && !why_held(path, *contents, self)) removed = files.remove(path);
  if (auto released = files.remove(takeover); removed && !released) removed = released;
  return removed;
}

}  // namespace

Result<std::unique_ptr<RunLock>> RunLock::acquire(FileSystem& files, const std::string& lock_path) {
  const LockHolder self = LockHolder::current();
  const std::string text = self.to_text();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Status created = files.create_exclusive(lock_path, text);
    if (created) return std::unique_ptr<RunLock>(new RunLock(files, lock_path, text));
    if (created.error().kind != ErrorKind::kConflict) return fail(created.error());
    const auto contents = files.read(lock_path);
    if (!contents) {
      if (files.exists(lock_path)) return fail(contents.error());
      continue;  // released between the two calls
    }
    if (auto held = why_held(lock_path, *contents, self)) return fail(std::move(*held));
    if (auto removed = remove_stale(files, lock_path, self); !removed) {
      return fail(removed.error());
    }
  }
  return fail(conflict(lock_path, "other processes keep taking and releasing this lock",
                       "Run the same command again."));
}

RunLock::~RunLock() {
  const auto contents = files_.read(path_);
  if (contents && *contents == contents_) static_cast<void>(files_.remove(path_));
}

}  // namespace ptxbatch
