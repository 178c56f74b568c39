// A real Slurm on this machine (start_cluster.sh), for as long as this object lives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {

class SlurmCluster {
 public:
  /// Starts it. Where it cannot be had unavailable() says why; throws when it does not come up.
  SlurmCluster();
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  [[nodiscard]] const std::optional<std::string>& unavailable() const { return unavailable_; }

  /// Runs a command with this cluster's configuration and further variables ("NAME=value").
  ProcessOutput run(std::vector<std::string> argv, const std::vector<std::string>& variables = {});
  /// The same; its first line of output, and a throw when it fails.
  std::string answer(std::vector<std::string> argv);

  /// "RUNNING", "PENDING", "COMPLETED", …; empty for no such job.
  std::string state(const std::string& job);
  /// Whether Slurm is done with a job: neither waiting nor running nor cleaning up after it.
  bool ended(const std::string& job);

 private:
  TestFolder folder_;
  std::vector<std::string> environment_;
  std::optional<std::string> unavailable_;
};

/// Looks until `reached` holds; false after `patience_s`.
bool wait_until(double patience_s, const std::function<bool()>& reached);

}  // namespace ptxbatch
