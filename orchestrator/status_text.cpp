// A run's status for people, and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/clock.h"
#include "orchestrator/duration_text.h"
#include "orchestrator/status.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

// The coordinator shows itself every few seconds.
constexpr double kSilentS = 30;

std::string_view state_name(RunStatus::State state) {
  switch (state) {
    case RunStatus::State::kRunning:
      return "running";
    case RunStatus::State::kComplete:
      return "complete";
    case RunStatus::State::kFinishedWithFailures:
      return "finished with failures";
    case RunStatus::State::kStopped:
      return "stopped";
    case RunStatus::State::kDead:
      return "dead";
  }
  return "?";
}

std::string state_text(const RunStatus& status) {
  switch (status.state) {
    case RunStatus::State::kRunning:
      return (status.live && status.live->stopping ? "stopping: " : "running: ") + status.holder;
    case RunStatus::State::kComplete:
      return "complete";
    case RunStatus::State::kFinishedWithFailures:
      return "finished with failures; the same command tries those again";
    case RunStatus::State::kStopped:
      if (status.limit_reached) return "stopped: it has reached its spending limit";
      return "stopped; the same command goes on from here";
    case RunStatus::State::kDead:
      return "dead (its process is gone); the same command goes on from here";
  }
  return "";
}

std::string totals_text(const RunTotals& totals) {
  std::string text = fmt::format("trajectories: {} of {} ended, {} begun", totals.ended,
                                 totals.trajectories, totals.begun);
  if (totals.failed > 0) text += fmt::format(", {} FAILED", totals.failed);
  text += fmt::format("\nturns: {}", totals.turns);
  if (totals.last_turn_at_s > 0) {  // imported turns have no time
    text += ", the last one " +
            duration_text(std::max(0.0, unix_time_s() - totals.last_turn_at_s)) + " ago";
  }
  text += fmt::format("\nsessions: {}\n", totals.sessions);
  if (totals.tokens > 0) {
    text += fmt::format("model calls: {} tokens", totals.tokens);
    text += totals.cost_usd > 0 ? fmt::format(", ${:.2f}\n", totals.cost_usd) : "\n";
  }
  for (int i = 0; i < kLabelCount; ++i) {
    const auto count = totals.labels[static_cast<std::size_t>(i)];
    if (count > 0) {
      text += fmt::format("  {:<28}{:>8}\n", label_name(static_cast<Label>(i)), count);
    }
  }
  return text;
}

std::string failures_text(const std::vector<RunFailure>& failures) {
  std::string text = failures.empty() ? "" : "failed:\n";
  for (const RunFailure& failure : failures) {
    text += fmt::format("  {}: {}\n", failure.trajectory, failure.message);
  }
  return text;
}

std::string time_text(const LiveStatus& live) {
  std::string text;
  const double age_s = unix_time_s() - live.updated_at_s;
  if (age_s > kSilentS) {
    text += fmt::format("the coordinator was last seen {} ago: look at its node\n",
                        duration_text(age_s));
  }
  if (live.left_s) text += "about " + duration_text(*live.left_s) + " left";
  if (live.deadline_at_s) {
    const double until_s = std::max(0.0, *live.deadline_at_s - unix_time_s());
    text +=
        fmt::format("{}the allocation ends in {}", live.left_s ? "; " : "", duration_text(until_s));
  }
  return text.empty() || text.back() == '\n' ? text : text + "\n";
}

int model_calls_out(const LiveStatus& live) {
  int out = 0;
  for (const LiveRank& rank : live.ranks) out += rank.generating;
  return out;
}

std::string calls_text(const LiveStatus& live) {
  std::string text = fmt::format("model calls out: {}\n", model_calls_out(live));
  for (const LiveModel& model : live.models) {
    if (model.waiting == 0) continue;
    text += fmt::format("  {}: {} sent, {} wait for leave\n", model.name, model.in_flight,
                        model.waiting);
  }
  return text;
}

std::size_t urgency(const LiveRank& rank) {
  return static_cast<std::size_t>(std::find(kRankStates.begin(), kRankStates.end(), rank.state) -
                                  kRankStates.begin());
}

// "64 ranks: 1 paused, 63 working"
std::string ranks_summary(const std::vector<LiveRank>& ranks) {
  std::map<std::size_t, std::size_t> counts;
  for (const LiveRank& rank : ranks) ++counts[urgency(rank)];
  std::string text = fmt::format("{} rank{}:", ranks.size(), ranks.size() == 1 ? "" : "s");
  const char* separator = " ";
  for (const auto& [place, count] : counts) {
    const std::string_view name = place < kRankStates.size() ? kRankStates[place] : "?";
    text += fmt::format("{}{} {}", separator, count, name);
    separator = ", ";
  }
  return text + "\n";
}

// Those that need looking after come first.
std::string ranks_text(std::vector<LiveRank> ranks, std::size_t most) {
  std::string text = ranks_summary(ranks);
  if (ranks.empty() || most < 2) return text;
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const LiveRank& a, const LiveRank& b) { return urgency(a) < urgency(b); });
  std::size_t host_width = 4;
  for (const LiveRank& rank : ranks) host_width = std::max(host_width, rank.host.size());
  text += fmt::format("{:>6}  {:<{}}  {:<14} {:>12} {:>10} {:>9} {:>7} {:>11}\n", "rank", "host",
                      host_width, "state", "trajectories", "generating", "compiling", "judging",
                      "device busy");
  const std::size_t shown = ranks.size() > most ? most - 1 : ranks.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const LiveRank& rank = ranks[i];
    text += fmt::format("{:>6}  {:<{}}  {:<14} {:>12} {:>10} {:>9} {:>7} {:>9.0f} %\n", rank.rank,
                        rank.host, host_width, rank.state, rank.trajectories, rank.generating,
                        rank.compiling, rank.judging, 100 * rank.device_busy);
  }
  if (shown < ranks.size()) text += fmt::format("        and {} more\n", ranks.size() - shown);
  return text;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::string status_text(const RunStatus& status, std::optional<std::size_t> lines) {
  std::string text =
      fmt::format("{}: {}\n{}\n", status.results_path, status.experiment, state_text(status)) +
      totals_text(status.totals) + failures_text(status.failures);
  if (!status.live) return text;
  text += time_text(*status.live) + calls_text(*status.live);
  constexpr std::size_t kAroundRanks = 2;  // summary and heading
  const std::size_t used = lines_of(text) + kAroundRanks;
  const std::size_t all = status.live->ranks.size();
  const std::size_t room = !lines ? all : *lines > used ? *lines - used : 0;
  return text + ranks_text(status.live->ranks, room < all ? room : std::max<std::size_t>(all, 2));
}

std::string status_line(const RunStatus& status) {
  const RunTotals& totals = status.totals;
  std::string text = fmt::format(
      "{}: {} turns ({} correct), {}/{} trajectories", state_name(status.state), totals.turns,
      totals.labels[static_cast<std::size_t>(Label::kCorrect)], totals.ended, totals.trajectories);
  if (totals.failed > 0) text += fmt::format(", {} FAILED", totals.failed);
  if (!status.live) return text;
  text += fmt::format(", {} model calls out", model_calls_out(*status.live));
  if (status.live->left_s) {
    text += fmt::format(", about {} left", duration_text(*status.live->left_s));
  }
  return text;
}

std::string status_json(const RunStatus& status, bool one_line) {
  const RunTotals& totals = status.totals;
  ordered_json labels = ordered_json::object();
  for (int i = 0; i < kLabelCount; ++i) {
    labels[std::string(label_name(static_cast<Label>(i)))] =
        totals.labels[static_cast<std::size_t>(i)];
  }
  ordered_json failures = ordered_json::array();
  for (const RunFailure& failure : status.failures) {
    failures.push_back({{"trajectory", failure.trajectory}, {"message", failure.message}});
  }
  ordered_json document = {{"results", status.results_path},
                           {"experiment", status.experiment},
                           {"state", state_name(status.state)},
                           {"holder", status.holder},
                           {"trajectories",
                            {{"planned", totals.trajectories},
                             {"ended", totals.ended},
                             {"begun", totals.begun},
                             {"failed", totals.failed}}},
                           {"turns", totals.turns},
                           {"labels", labels},
                           {"last_turn_at_s", totals.last_turn_at_s},
                           {"sessions", totals.sessions},
                           {"tokens", totals.tokens},
                           {"cost_usd", totals.cost_usd},
                           {"limit_reached", status.limit_reached},
                           {"failures", failures},
                           {"live", nullptr}};
  if (status.live) {
    document["live"] = ordered_json::parse(live_status_json(*status.live));
    document["live"].erase("totals");  // said above, from the records
    document["live"]["model_calls_out"] = model_calls_out(*status.live);
  }
  return document.dump(one_line ? -1 : 2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace ptxbatch
