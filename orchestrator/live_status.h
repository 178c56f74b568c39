// What a running coordinator knows that is in no record: NAME.h5.status, a small JSON file beside
// the journal, rewritten every few seconds and removed at the end. `ptxbatch status` reads it, from
// any node that sees the file; docs/status.md describes its fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "orchestrator/run_state.h"

namespace ptxbatch {

/// The state of a run in numbers.
struct RunTotals {
  std::int64_t trajectories = 0;
  std::int64_t ended = 0;
  std::int64_t begun = 0;  // and not ended
  std::int64_t failed = 0;
  std::int64_t turns = 0;
  std::array<std::int64_t, kLabelCount> labels{};
  double last_turn_at_s = 0;  // Unix time; 0: never, or not known
  std::int32_t sessions = 0;
  std::int64_t tokens = 0;
  double cost_usd = 0;

  bool operator==(const RunTotals&) const = default;
};
RunTotals totals_of(const RunState& state);

struct LiveRank {
  std::int32_t rank = 0;
  std::string host;
  std::string state;  // one of kRankStates
  std::int32_t trajectories = 0;
  std::int32_t generating = 0;
  std::int32_t compiling = 0;
  std::int32_t judging = 0;
  double device_busy = 0;  // share of its time
};

/// What a rank may be doing, in the order in which people want to see them.
inline constexpr std::array<std::string_view, 7> kRankStates = {
    "given up", "out of service", "paused", "left", "starting", "gateway", "working"};

struct LiveModel {
  std::string name;
  std::int32_t in_flight = 0;
  std::int32_t waiting = 0;  // for a permit
};

struct LiveStatus {
  double updated_at_s = 0;  // Unix time
  double started_at_s = 0;  // this session
  bool stopping = false;
  std::optional<double> left_s;         // estimated
  std::optional<double> deadline_at_s;  // Unix time when the allocation ends
  RunTotals totals;
  std::vector<LiveRank> ranks;
  std::vector<LiveModel> models;
};

std::string status_path(const std::string& results_path);

std::string live_status_json(const LiveStatus& status);
/// kProtocol when the text is not a status.
Result<LiveStatus> parse_live_status(const std::string& text);

/// In one step, so that a reader sees the old one or the new one. Not durable: it matters to nobody
/// after a crash.
Status write_live_status(const std::string& results_path, const LiveStatus& status);
void remove_live_status(const std::string& results_path);
/// Nothing when there is none that can be read.
std::optional<LiveStatus> read_live_status(const std::string& results_path);

}  // namespace ptxbatch
