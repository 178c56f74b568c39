// Taking over a stale lock must not remove the fresh lock of somebody who was faster. All
// take-overs of one lock therefore exclude each other by a lock of their own, LOCK.takeover, and
// look at the lock again while they hold it. Nobody else ever removes a lock but its living holder.
// A process that dies in a take-over leaves LOCK.takeover stale, which is taken over in the same
// way.
#include "results/run_lock.h"

#include <sys/stat.h>

#include <ctime>
#include <optional>

#include "results/lock_holder.h"

namespace ptxbatch {
namespace {

constexpr int kAttempts = 16;
constexpr int kMostTakeovers = 3;  // of take-overs of take-overs
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

}  // namespace

/// Removes the lock if it is still stale.
Status RunLock::remove_stale(FileSystem& files, const std::string& path, int depth) {
  const auto takeover = acquire(files, path + ".takeover", depth + 1);
  if (!takeover && takeover.error().kind == ErrorKind::kConflict) {
    Error error = takeover.error();
    error.what = "the lock of a run that died is being taken over: " + error.what;
    return fail(std::move(error));
  }
  if (!takeover) return fail(takeover.error());
  const auto contents = files.read(path);
  if (!contents || why_held(path, *contents, LockHolder::current())) return {};
  return files.remove(path);
}

Result<std::unique_ptr<RunLock>> RunLock::acquire(FileSystem& files, const std::string& lock_path) {
  return acquire(files, lock_path, 0);
}

Result<std::unique_ptr<RunLock>> RunLock::acquire(FileSystem& files, const std::string& lock_path,
                                                  int depth) {
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
    if (depth == kMostTakeovers) {
      return fail(conflict(lock_path, "one process after another died while it took over this lock",
                           "Remove " + lock_path + " and run the same command again."));
    }
    if (auto removed = remove_stale(files, lock_path, depth); !removed) {
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
