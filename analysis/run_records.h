// All records of a results file, sorted by trajectory: what reports, exports and `ptxbatch show`
// are made from. Tables and figures need only results/turn_table.h.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

struct TrajectoryRecords {
  std::vector<ReplyRecord> replies;  // ascending by turn
  std::vector<TurnRecord> turns;     // ascending by turn
  std::optional<TrajectoryEndRecord> end;
  /// The budget was used up: replies and turns here are without texts, instructions and samples.
  bool without_details = false;

  [[nodiscard]] const ReplyRecord* reply_to(std::int32_t turn) const;
};

struct RunRecords {
  std::string path;
  ExperimentRecord experiment;
  std::vector<EnvironmentRecord> environments;
  std::map<std::string, std::string> prompts;  // by SHA-256
  std::vector<EventRecord> events;
  std::vector<TrajectoryRecords> trajectories;  // [index in the plan]
};

struct RunReadOptions {
  /// Only this trajectory's replies and turns are kept.
  std::optional<std::int32_t> only_trajectory;
  /// Trajectories beyond so many bytes of details are kept as numbers alone.
  std::uint64_t detail_bytes = std::numeric_limits<std::uint64_t>::max();
};

Result<RunRecords> read_run(const std::string& path, const RunReadOptions& options = {});

}  // namespace ptxbatch
