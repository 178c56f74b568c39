// The coordinator: owns the plan, the queue, the journal and the results file.
//
// It answers ranks that ask for work, journals every record that they send, in their order, syncs
// once for all that has arrived together, and only then acknowledges. State is derived from the
// records (RunState), so a coordinator that starts again goes on from the journal alone.
//
// A rank that falls silent is given up (coordinator_liveness.cpp): what it had in hand is queued
// again, and what it says is late, and ignored, until it says Hello anew.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/time_source.h"
#include "orchestrator/checkpoints.h"
#include "orchestrator/live_status.h"
#include "orchestrator/model_traffic.h"
#include "orchestrator/progress.h"
#include "orchestrator/roll_call.h"
#include "orchestrator/run_store.h"
#include "orchestrator/stop_policy.h"
#include "orchestrator/transport.h"
#include "orchestrator/work_queue.h"
#include "ranks/experiment.h"

namespace ptxbatch {

/// What holds for this start of a run alone.
struct RunConditions {
  bool allow_unfit = false;  // go on without ranks that cannot work
  std::optional<Deadline> allocation_end = std::nullopt;
};

class Coordinator {
 public:
  /// All references must outlive it. The store is open and has work left.
  Coordinator(const Experiment& experiment, RunStore& store, Transport& transport,
              Progress& progress, const TimeSource& time = system_time(),
              WorkQueue queue = WorkQueue(), RunConditions conditions = {});

  struct Outcome {
    int exit_code = 0;
    std::optional<Error> error;  // why it ended early, when not by a signal
    bool stopped_by_signal = false;
    /// Ranks that did not say goodbye: the process must be left without waiting for them.
    bool ranks_left_behind = false;
  };
  Outcome run();

 private:
  struct Rank {
    std::string host;
    int device = -1;              // as DevicePlace::device, once it has said hello
    bool present = true;          // has neither said goodbye nor been given up
    bool given_up = false;        // was silent for too long, and has not begun afresh
    bool told_dismissed = false;  // since it was given up
    bool told_no_more_work = false;
    bool asked_for_work = false;
    bool was_fit = false;         // has asked for work once, before it was given up or after
    bool out_of_service = false;  // its device judges nothing more
    int silent_beats = 0;
    std::size_t places = 0;  // trajectories it can hold at a time
    std::set<std::int32_t> in_hand;
    std::uint64_t received = 0;  // number of its last record
    std::uint64_t acknowledged = 0;
  };

  void queue_work();
  void take_messages(Deadline deadline);
  void handle(int rank, const Hello& hello);
  void handle(int rank, const WorkRequest& request);
  void handle(int rank, const RecordMessage& message);
  void handle(int rank, const PermitRequest& request) { traffic_.take(rank, request); }
  void handle(int rank, const PermitReturn& permit) { traffic_.take(rank, permit); }
  void handle(int rank, const PutBack& put_back);
  void handle(int rank, const RelayedRequest& request);
  void handle(int rank, const RelayedReply& reply) { traffic_.take(rank, reply); }
  void handle(int rank, const Activity& activity);
  void handle(int /*rank*/, const Heartbeat& /*heartbeat*/) {}
  void handle(int rank, const Goodbye& goodbye);
  /// Whether what came counts: not from a rank that was given up, unless it begins afresh.
  bool listen_to(int rank, const RankMessage& message);
  void give_up_silent_ranks();
  void give_up_rank(int number);
  void miss(int rank);
  void show_status_when_due();
  [[nodiscard]] LiveStatus live_status() const;
  [[nodiscard]] LiveRank live_rank(int number, const Rank& rank) const;
  void take_environment(int rank, const EnvironmentRecord& environment);
  void refuse(int rank, const Error& error);
  void enqueue(std::int32_t trajectory);
  bool said_before(const Record& record);
  void grant_permits();
  void stop_when_budget_is_spent();
  void sync_and_acknowledge();
  void hand_out_work();
  void obey_signals();
  void stop_ranks(double grace_s);
  void give_up(Error error);
  void append_event(const std::string& kind, const std::string& message);
  [[nodiscard]] bool ranks_present() const;
  /// Those present that take trajectories: gateways and those without a device do not.
  [[nodiscard]] std::size_t workers_present() const;
  Outcome finish();

  const Experiment& experiment_;
  RunStore& store_;
  Transport& transport_;
  Progress& progress_;
  const TimeSource& time_;
  std::map<int, Rank> ranks_;
  std::set<int> silent_;  // present, and have not said hello yet
  WorkQueue queue_;
  RollCall roll_call_;
  RunConditions conditions_;
  StopPolicy stop_policy_;
  ModelTraffic traffic_;
  std::map<std::string, double> flops_;    // by definition and workload
  std::map<std::int32_t, int> put_backs_;  // by trajectory, of this session
  std::set<std::string> model_failures_;   // told already, of this session
  bool budget_spent_ = false;
  std::int32_t session_;
  bool unsynced_ = false;
  std::vector<int> to_acknowledge_;  // ranks whose records have come since the last sync
  bool hand_out_due_ = false;        // since the last time something has changed that it depends on
  bool refused_ = false;             // for a rank that is not fit
  bool stopped_by_signal_ = false;
  bool stopping_ = false;
  Deadline stop_deadline_;  // when ranks that do not answer a stop are no longer waited for
  std::optional<Error> error_;
  bool journal_failed_ = false;
  Checkpoints checkpoints_;
  bool device_lost_ = false;
  bool backlog_ = false;  // more had arrived than was taken
  SteadyClock::time_point listened_at_;
  double started_at_s_;
  SteadyClock::time_point status_shown_at_;
  bool status_failed_ = false;
};

}  // namespace ptxbatch
