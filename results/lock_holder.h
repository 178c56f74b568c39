// Who holds a lock, as the lock file says it, and whether that holder can still be alive.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ptxbatch {

struct LockHolder {
  std::string host;
  std::string boot_id;        // of the host, new at each boot
  std::string pid_namespace;  // process ids of different containers cannot be compared
  pid_t pid = 0;
  std::uint64_t process_start_time = 0;  // field 22 of /proc/PID/stat: tells a reused pid
  std::string cluster;                   // SLURM_CLUSTER_NAME; empty outside Slurm
  std::string job_id;                    // SLURM_JOB_ID; empty outside Slurm
  std::int64_t job_restarts = 0;         // SLURM_RESTART_COUNT
  std::int64_t user_id = -1;             // -1: not known
  std::string started_at;                // UTC, ISO 8601

  /// This process.
  static LockHolder current();
  /// nullopt when the text is not a holder.
  static std::optional<LockHolder> parse(const std::string& text);
  [[nodiscard]] std::string to_text() const;
  /// "process 123 on n0 (Slurm job 42), since 2026-01-01T00:00:00Z"
  [[nodiscard]] std::string describe() const;
};

/// True only when it is certain, as far as `observer` can tell, that the holder has ended. Asks
/// Slurm where nothing else tells.
bool is_gone(const LockHolder& holder, const LockHolder& observer);

}  // namespace ptxbatch
