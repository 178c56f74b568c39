// A rank as the coordinator sees it: the same messages in the same order as ranks/pipeline sends
// them, with stages that take virtual time. Models answer, compilers and one device serve, each
// from a queue; nothing is computed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ranks/coordination.h"
#include "ranks/request_queue.h"
#include "tests/simulator/work_model.h"

namespace ptxbatch {

struct VirtualRankSettings {
  int compile_jobs = 8;
  double start_s = 8;        // until a rank is able to work: pack, keeper, standby runner
  double load_s = 1.5;       // to make a workload resident
  double first_load_s = 20;  // the first one of a rank: libraries from a cold disk
  int resident_workloads = 8;
  bool with_texts = true;
};

enum class Stage { kStart, kGenerate, kCompile, kDevice };

/// What a rank needs of the world around it.
class RankWorld {
 public:
  virtual ~RankWorld() = default;
  [[nodiscard]] virtual double now_s() const = 0;
  [[nodiscard]] virtual double unix_time_s() const = 0;
  virtual void say(int rank, const RankMessage& message) = 0;
  virtual void call_back(double after_s, int rank, Stage stage, std::int32_t trajectory) = 0;
};

class VirtualRank {
 public:
  /// What its parts did, in seconds.
  struct Use {
    double generating_s = 0;  // of all calls together
    double compiling_s = 0;
    double judging_s = 0;  // of the device, workloads made resident included
    double loading_s = 0;
    std::int64_t loads = 0;
    std::int64_t turns = 0;
    double left_at_s = 0;
  };

  /// All references must outlive it.
  VirtualRank(int number, const Experiment& experiment, const WorkModel& work,
              const VirtualRankSettings& settings, RankWorld& world);

  void begin();
  void take(CoordinatorMessage message);
  void stage_ended(Stage stage, std::int32_t trajectory);

  [[nodiscard]] const Use& use() const { return use_; }

 private:
  struct Held {
    std::int32_t next_turn = 0;
    SimulatedTurn turn;
    std::uint64_t permit = 0;
    double asked_at_s = 0;
  };

  void handle(const Welcome& welcome);
  void handle(const Assignment& assignment);
  void handle(const Acknowledgement& acknowledged);
  void handle(const PermitGrant& grant);
  void handle(const NoMoreWork& message);
  void handle(const Stop& message);
  template <class Other>
  void handle(const Other& /*message*/) {}

  void started();
  void request_reply(std::int32_t trajectory);
  void ask_permit(std::int32_t trajectory);
  void answered(std::int32_t trajectory);
  void prepare(std::int32_t trajectory);
  void compile_next();
  void prepared(std::int32_t trajectory);
  void judge_next();
  double load(const std::string& workload);
  void finish(std::int32_t trajectory);
  void leave_when_done();

  std::uint64_t record(Record body);
  void send_prompt(const PlannedTrajectory& plan);
  TurnRecord turn_record(std::int32_t trajectory, const Held& held) const;
  ReplyRecord reply_record(std::int32_t trajectory, const Held& held) const;
  void report_activity();

  int number_;
  const Experiment& experiment_;
  const WorkModel& work_;
  const VirtualRankSettings& settings_;
  RankWorld& world_;
  Use use_;

  std::map<std::int32_t, Held> held_;
  RequestQueue waiting_for_model_;
  std::map<std::uint64_t, std::int32_t> permits_;         // asked for
  std::map<std::uint64_t, std::int32_t> unacknowledged_;  // replies, by record number
  std::deque<std::int32_t> waiting_for_compiler_;
  std::deque<std::int32_t> waiting_for_device_;
  std::deque<std::string> resident_;  // workloads, the one used last at the end
  std::set<std::string> prompts_sent_;
  std::uint64_t records_sent_ = 0;
  std::uint64_t permits_asked_ = 0;
  int generating_ = 0;
  int compiling_ = 0;
  bool judging_ = false;
  std::int32_t session_ = 0;
  bool no_more_work_ = false;
  bool left_ = false;
  double started_at_s_ = 0;
  double activity_sent_at_s_ = 0;
};

}  // namespace ptxbatch
