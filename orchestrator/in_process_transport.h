// Coordinator and ranks as threads of one process, for a single machine without mpirun.
#pragma once

#include <map>

#include "common/message_queue.h"
#include "orchestrator/transport.h"

namespace ptxbatch {

class InProcessTransport final : public Transport {
 public:
  explicit InProcessTransport(int ranks);

  [[nodiscard]] std::vector<int> ranks() const override;
  void send(int rank, std::string bytes) override;
  std::optional<RankBytes> receive(Deadline deadline) override;
  void flush() override {}

  // The ranks' ends. Thread-safe.
  void send_to_coordinator(int rank, std::string bytes);
  /// Waits for the next message for this rank; nothing once its end is closed.
  std::optional<std::string> receive_at_rank(int rank);
  void close_rank(int rank);

 private:
  int rank_count_;
  MessageQueue<RankBytes> to_coordinator_;
  std::map<int, MessageQueue<std::string>> to_ranks_;  // filled by the constructor alone
};

}  // namespace ptxbatch
