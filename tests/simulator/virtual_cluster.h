// Thousands of ranks in virtual time behind the coordinator's transport. Each wait of the
// coordinator lets the events up to its deadline happen, in the order of their times; a message is
// under way for a fixed time.
#pragma once

#include <deque>
#include <queue>
#include <string>
#include <vector>

#include "orchestrator/transport.h"
#include "tests/simulator/processor_time.h"
#include "tests/simulator/virtual_rank.h"
#include "tests/simulator/virtual_time.h"

namespace ptxbatch {

class VirtualCluster final : public Transport, private RankWorld {
 public:
  struct Traffic {
    std::int64_t to_coordinator = 0;
    std::int64_t to_ranks = 0;
    std::int64_t bytes_to_coordinator = 0;
    std::int64_t bytes_to_ranks = 0;
    double coordinator_s = 0;  // processor time of the coordinator between its waits
  };

  /// With `charge_coordinator` virtual time passes while the coordinator works, as long as it
  /// really takes; without, a run is the same every time.
  VirtualCluster(int ranks, const Experiment& experiment, const WorkModel& work,
                 const VirtualRankSettings& settings, VirtualTime& time, bool charge_coordinator);

  /// From then on the rank does nothing and says nothing.
  void lose_rank(int rank, double at_s);

  [[nodiscard]] std::vector<int> ranks() const override;
  void send(int rank, std::string bytes) override;
  std::optional<RankBytes> receive(Deadline deadline) override;
  void flush() override {}

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  /// Processor time of the coordinator since its last wait.
  [[nodiscard]] double working_s() const { return processor_time_s() - working_since_s_; }
  [[nodiscard]] const std::vector<VirtualRank>& virtual_ranks() const { return ranks_; }

 private:
  struct Message {
    double at_s = 0;
    int rank = 0;
    std::string bytes;
  };
  struct Event {
    double at_s = 0;
    std::uint64_t number = 0;  // those of the same time happen in the order in which they were made
    int rank = 0;
    Stage stage = Stage::kStart;
    std::int32_t trajectory = 0;
    bool operator>(const Event& other) const {
      return at_s != other.at_s ? at_s > other.at_s : number > other.number;
    }
  };

  [[nodiscard]] double now_s() const override { return event_time_s_; }
  [[nodiscard]] double unix_time_s() const override;
  void say(int rank, const RankMessage& message) override;
  void call_back(double after_s, int rank, Stage stage, std::int32_t trajectory) override;

  [[nodiscard]] double next_event_s() const;
  void let_next_event_happen();
  [[nodiscard]] bool is_lost(int rank) const;
  VirtualRank& rank(int number) { return ranks_.at(static_cast<std::size_t>(number - 1)); }
  void coordinator_waits();
  void coordinator_works();

  VirtualTime& time_;
  bool charge_coordinator_;
  std::vector<VirtualRank> ranks_;
  std::vector<double> lost_at_s_;  // by rank, from 1
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<Message> to_coordinator_;
  std::deque<Message> to_ranks_;
  std::uint64_t events_made_ = 0;
  double event_time_s_ = 0;  // of the event that happens now
  Traffic traffic_;
  double working_since_s_ = processor_time_s();
};

}  // namespace ptxbatch
