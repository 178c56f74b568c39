// The state of a run, derived from its records alone: which turns are done, which reply waits to be
// judged, which trajectories have ended. The same code serves a running coordinator, a resume and
// `ptxbatch status`.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "results/journal.h"
#include "results/records.h"

namespace ptxbatch {

/// The kind of the event that says that a limit of [spending] was reached.
inline constexpr const char* kLimitReached = "limit_reached";

/// The texts of a turn stay in the journal: a large run has more of them than memory holds.
struct TurnPlaces {
  JournalPlace reply = 0;
  JournalPlace turn = 0;
};

struct TrajectoryState {
  std::vector<TurnPlaces> history;            // turns judged, in order
  std::optional<JournalPlace> pending_reply;  // not judged yet
  std::optional<JournalPlace> prompt;         // that its replies answer, where it is known
  bool awaits_reply = false;                  // a request was sent, and no reply has come
  std::optional<TrajectoryEnd> end;
  std::string message;  // of the end
};

class RunState {
 public:
  /// Takes up a record. kProtocol when it cannot follow those before it (a turn twice, a turn out
  /// of order, an unknown trajectory): such a record must not be journalled. `place` is remembered
  /// for those that want the record again.
  Status apply(const Record& record, JournalPlace place = 0);

  /// Trajectories that ended as failed may be tried again: done when a run is started again.
  void reopen_failed();

  [[nodiscard]] const std::optional<ExperimentRecord>& experiment() const { return experiment_; }
  [[nodiscard]] const std::vector<TrajectoryState>& trajectories() const { return trajectories_; }

  [[nodiscard]] std::int64_t turns() const { return turns_; }
  [[nodiscard]] const std::array<std::int64_t, kLabelCount>& labels() const { return labels_; }
  [[nodiscard]] std::size_t ended() const { return ended_; }
  [[nodiscard]] std::size_t failed() const { return failed_; }
  [[nodiscard]] bool complete() const { return ended_ == trajectories_.size(); }
  /// What all replies together have used, of every session.
  struct Spending {
    std::int64_t tokens = 0;  // prompt and completion
    double cost_usd = 0;
    std::set<std::string> without_cost;  // models with a reply that is said to have cost nothing
  };
  /// Whether the last session ended, or is ending, since it reached a limit of [spending].
  [[nodiscard]] bool limit_reached() const { return limit_reached_; }
  [[nodiscard]] const Spending& spending() const { return spending_; }
  [[nodiscard]] std::size_t prompts() const { return prompts_.size(); }
  [[nodiscard]] bool has_prompt(const std::string& sha256) const {
    return prompts_.contains(sha256);
  }
  [[nodiscard]] std::int32_t sessions() const { return sessions_; }
  [[nodiscard]] double last_turn_at_s() const { return last_turn_at_s_; }
  [[nodiscard]] const std::vector<EnvironmentRecord>& environments() const { return environments_; }

 private:
  Status take(const ExperimentRecord& record);
  Status take(const EnvironmentRecord& record);
  Status take(const PromptRecord& record, JournalPlace place);
  Status take(const RequestRecord& record);
  Status take(const ReplyRecord& record, JournalPlace place);
  Status take(const TurnRecord& record, JournalPlace place);
  Status take(const TrajectoryEndRecord& record);
  Status take(const EventRecord& record);
  void reopen(TrajectoryState& state);
  Result<TrajectoryState*> find(std::int32_t index);

  std::optional<ExperimentRecord> experiment_;
  std::vector<TrajectoryState> trajectories_;
  std::vector<EnvironmentRecord> environments_;
  std::array<std::int64_t, kLabelCount> labels_{};
  std::int64_t turns_ = 0;
  std::size_t ended_ = 0;
  std::size_t failed_ = 0;
  Spending spending_;
  bool limit_reached_ = false;
  std::map<std::string, JournalPlace> prompts_;  // by hash
  std::int32_t sessions_ = 0;
  double last_turn_at_s_ = 0;
};

}  // namespace ptxbatch
