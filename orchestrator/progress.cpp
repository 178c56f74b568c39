#include "orchestrator/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/log.h"
#include "orchestrator/duration_text.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

constexpr double kDrawIntervalS = 0.2;
constexpr double kLogIntervalS = 10;

}  // namespace

Progress::Progress(int max_turns, const TimeSource& time)
    : max_turns_(max_turns),
      time_(time),
      terminal_(terminal_columns(STDERR_FILENO).has_value()),
      started_at_(time.now()) {}

Progress::~Progress() {
  finish_line();
}

void Progress::activity(int rank, const Activity& activity) {
  activities_[rank] = activity;
}

Activity Progress::activity_of(int rank) const {
  const auto found = activities_.find(rank);
  return found == activities_.end() ? Activity{} : found->second;
}

// From this session's rate; turns that early stops will save are not known, so it is an upper
// estimate.
std::optional<double> Progress::left_s(const RunState& state) const {
  const auto done = state.turns() - first_turns_;
  if (first_turns_ < 0 || done < 3 || state.complete()) return std::nullopt;
  std::int64_t left = 0;
  for (const TrajectoryState& trajectory : state.trajectories()) {
    if (!trajectory.end) left += max_turns_ - static_cast<std::int64_t>(trajectory.history.size());
  }
  return time_.seconds_since(started_at_) / static_cast<double>(done) * static_cast<double>(left);
}

std::string Progress::remaining_time(const RunState& state) const {
  const auto left = left_s(state);
  return left ? ", about " + duration_text(*left) + " left" : "";
}

std::string Progress::text(const RunState& state) const {
  double busy_s = 0;
  double up_s = 0;
  int generating = 0;
  for (const auto& [rank, activity] : activities_) {
    busy_s += activity.device_busy_s;
    up_s += activity.up_s;
    generating += activity.generating;
  }
  std::string text = fmt::format("{} turns ({} correct), {}/{} trajectories", state.turns(),
                                 state.labels()[static_cast<std::size_t>(Label::kCorrect)],
                                 state.ended(), state.trajectories().size());
  if (state.failed() > 0) text += fmt::format(", {} FAILED", state.failed());
  if (up_s > 0) text += fmt::format(", device busy {:.0f} %", 100 * busy_s / up_s);
  text += fmt::format(", {} model calls out", generating);
  return text + remaining_time(state);
}

void Progress::update(const RunState& state) {
  if (first_turns_ < 0) first_turns_ = state.turns();
  if (terminal_ && time_.seconds_since(drawn_at_) >= kDrawIntervalS) {
    drawn_at_ = time_.now();
    std::string line = text(state);
    line.resize(std::min(line.size(), terminal_columns(STDERR_FILENO).value_or(80) - 1));
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
    line_open_ = true;
  }
  if (time_.seconds_since(logged_at_) >= kLogIntervalS) {
    logged_at_ = time_.now();
    spdlog::info("{}", text(state));
  }
}

void Progress::finish_line() {
  if (line_open_) fmt::print(stderr, "\n");
  line_open_ = false;
}

}  // namespace ptxbatch
