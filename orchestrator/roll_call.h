// Whether each rank is fit to work, from what it says of itself at the start: the same program
// everywhere, and where the experiment needs GPUs one of its own, of the right architecture. A rank
// learns from it which of the GPUs that it sees is its own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/coordination.h"
#include "ranks/experiment.h"
#include "results/records.h"

namespace ptxbatch {

class RollCall {
 public:
  /// `experiment` must outlive it.
  explicit RollCall(const Experiment& experiment) : experiment_(experiment) {}

  /// The ordinal of the device that the rank is to use, or what makes it unfit.
  Result<int> admit(int rank, const Hello& hello);

  /// Of what a rank's keepers and compilers found: an error when its GPU is another rank's.
  Status check(const EnvironmentRecord& environment);

  /// Where a rank's drivers, compilers or libraries are not those of the first rank with that
  /// target; each difference is told once.
  std::optional<std::string> news(const EnvironmentRecord& environment);

 private:
  [[nodiscard]] std::vector<std::string> gpu_targets() const;
  [[nodiscard]] bool suits(const VisibleGpu& gpu) const;
  Result<int> choose_gpu(int rank, const Hello& hello);

  const Experiment& experiment_;
  std::map<std::string, int> ranks_of_host_;
  std::map<std::string, int> rank_of_gpu_;  // by UUID
  std::map<std::string, EnvironmentRecord> first_with_target_;
  std::set<std::string> told_;
};

}  // namespace ptxbatch
