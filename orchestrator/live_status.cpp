#include "orchestrator/live_status.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/file_system.h"

namespace ptxbatch {

using nlohmann::ordered_json;

RunTotals totals_of(const RunState& state) {
  RunTotals totals;
  totals.trajectories = static_cast<std::int64_t>(state.trajectories().size());
  totals.ended = static_cast<std::int64_t>(state.ended());
  totals.failed = static_cast<std::int64_t>(state.failed());
  totals.begun = std::count_if(
      state.trajectories().begin(), state.trajectories().end(),
      [](const TrajectoryState& t) { return !t.end && (!t.history.empty() || t.pending_reply); });
  totals.turns = state.turns();
  totals.labels = state.labels();
  totals.last_turn_at_s = state.last_turn_at_s();
  totals.sessions = state.sessions();
  totals.tokens = state.spending().tokens;
  totals.cost_usd = state.spending().cost_usd;
  return totals;
}

// nlohmann finds conversions by argument-dependent look-up, so these stand in the types' own
// namespace.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTotals, trajectories, ended, begun, failed, turns, labels,
                                   last_turn_at_s, sessions, tokens, cost_usd)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LiveRank, rank, host, state, trajectories, generating, compiling,
                                   judging, device_busy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LiveModel, name, in_flight, waiting)

namespace {

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::optional<double> optional_number(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

std::string status_path(const std::string& results_path) {
  return results_path + ".status";
}

std::string live_status_json(const LiveStatus& status) {
  const auto plain = [](const auto& value) { return ordered_json(nlohmann::json(value)); };
  const ordered_json document = {{"updated_at_s", status.updated_at_s},
                                 {"started_at_s", status.started_at_s},
                                 {"stopping", status.stopping},
                                 {"left_s", or_null(status.left_s)},
                                 {"deadline_at_s", or_null(status.deadline_at_s)},
                                 {"totals", plain(status.totals)},
                                 {"models", plain(status.models)},
                                 {"ranks", plain(status.ranks)}};
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<LiveStatus> parse_live_status(const std::string& text) {
  try {
    const auto document = nlohmann::json::parse(text);
    LiveStatus status;
    document.at("updated_at_s").get_to(status.updated_at_s);
    document.at("started_at_s").get_to(status.started_at_s);
    document.at("stopping").get_to(status.stopping);
    status.left_s = optional_number(document.at("left_s"));
    status.deadline_at_s = optional_number(document.at("deadline_at_s"));
    document.at("totals").get_to(status.totals);
    document.at("models").get_to(status.models);
    document.at("ranks").get_to(status.ranks);
    return status;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::kProtocol, std::string("not a status: ") + error.what());
  }
}

Status write_live_status(const std::string& results_path, const LiveStatus& status) {
  const std::string path = status_path(results_path);
  const std::string draft = path + ".new";
  if (auto written = write_text(draft, live_status_json(status)); !written) return written;
  if (std::rename(draft.c_str(), path.c_str()) != 0) {
    return fail(system_error("cannot rename " + draft, errno));
  }
  return {};
}

void remove_live_status(const std::string& results_path) {
  std::remove((status_path(results_path) + ".new").c_str());
  std::remove(status_path(results_path).c_str());
}

std::optional<LiveStatus> read_live_status(const std::string& results_path) {
  const auto text = read_text(status_path(results_path));
  if (!text) return std::nullopt;
  auto status = parse_live_status(*text);
  if (!status) return std::nullopt;
  return std::move(*status);
}

}  // namespace ptxbatch
