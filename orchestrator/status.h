// `ptxbatch status`: where a run stands, running or dead, read from its files alone, on any node
// that sees them. docs/status.md says what it shows, and describes its JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "orchestrator/live_status.h"

namespace ptxbatch {

struct RunFailure {
  std::string trajectory;  // model, target, problem and id
  std::string message;
};

struct RunStatus {
  enum class State { kRunning, kComplete, kFinishedWithFailures, kStopped, kDead };
  std::string results_path;
  std::string experiment;
  State state = State::kStopped;
  std::string holder;  // running: who; empty otherwise
  RunTotals totals;
  bool limit_reached = false;  // of [spending]
  std::vector<RunFailure> failures;
  std::optional<LiveStatus> live;  // while it runs

  [[nodiscard]] bool running() const { return state == State::kRunning; }
};

/// From the journal, or the results file; an error when there is no such run.
Result<RunStatus> read_status(const std::string& results_path);

/// Brings a status up to date for somebody who keeps looking: from what the coordinator shows of
/// itself where that is fresh, so that a large journal is not read over and over.
Result<RunStatus> refresh_status(const RunStatus& before);

/// As many ranks are listed as fit into so many lines; nothing: all.
std::string status_text(const RunStatus& status, std::optional<std::size_t> lines = std::nullopt);
/// "running: 57 turns (20 correct), 4/12 trajectories, ..."
std::string status_line(const RunStatus& status);
/// Over several lines, or as one.
std::string status_json(const RunStatus& status, bool one_line = false);

}  // namespace ptxbatch
