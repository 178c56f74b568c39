// What the coordinator shows of itself while it runs (orchestrator/live_status.h).
#include "common/log.h"
#include "orchestrator/coordinator.h"
#include "orchestrator/live_status.h"

namespace ptxbatch {
namespace {

constexpr double kStatusIntervalS = 2;

}  // namespace

// By the machine's own clock, whatever the run's: it is for people who look on.
void Coordinator::show_status_when_due() {
  if (seconds_since(status_shown_at_) < kStatusIntervalS) return;
  status_shown_at_ = SteadyClock::now();
  const auto written = write_live_status(store_.results_path(), live_status());
  if (!written && !status_failed_) {
    spdlog::warn("'ptxbatch status' will not show what the ranks do: {}",
                 describe(written.error()));
  }
  status_failed_ = !written;
}

LiveStatus Coordinator::live_status() const {
  const RunState& state = store_.state();
  LiveStatus status;
  status.updated_at_s = time_.unix_time_s();
  status.started_at_s = started_at_s_;
  if (conditions_.allocation_end) {
    status.deadline_at_s = status.updated_at_s - time_.seconds_since(*conditions_.allocation_end);
  }
  status.stopping = stopping_;
  status.left_s = progress_.left_s(state);
  status.totals = totals_of(state);
  for (const ModelSpec& model : experiment_.models) {
    status.models.push_back(
        {model.name, traffic_.in_flight(model.name), traffic_.waiting(model.name)});
  }
  for (const auto& [number, rank] : ranks_) status.ranks.push_back(live_rank(number, rank));
  return status;
}

LiveRank Coordinator::live_rank(int number, const Rank& rank) const {
  LiveRank live;
  live.rank = number;
  live.host = rank.host;
  live.trajectories = static_cast<std::int32_t>(rank.in_hand.size());
  const Activity activity = progress_.activity_of(number);
  live.generating = activity.generating;
  live.compiling = activity.compiling;
  live.judging = activity.judging;
  live.device_busy = activity.up_s > 0 ? activity.device_busy_s / activity.up_s : 0;
  const bool paused = activity.device == DeviceService::kPaused;
  live.state = rank.given_up                 ? "given up"
               : !rank.present               ? "left"
               : rank.out_of_service         ? "out of service"
               : traffic_.is_gateway(number) ? "gateway"
               : !rank.asked_for_work        ? "starting"
               : paused                      ? "paused"
                                             : "working";
  return live;
}

}  // namespace ptxbatch
