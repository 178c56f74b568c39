// Coordinator and ranks as MPI processes. Only point-to-point messages between start and end, and
// MPI is called from one thread a process. Open MPI's blocking calls spin, so waiting is a probe
// between short sleeps.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "common/message_queue.h"
#include "orchestrator/transport.h"

namespace ptxbatch {

/// Whether this process was started by an MPI launcher (mpirun, srun --mpi=pmix).
bool started_by_mpi_launcher();

/// MPI_Init and MPI_Finalize, of the thread that makes it.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Processes of the job on this host, the coordinator among them where it runs here.
  [[nodiscard]] int size_on_this_host() const { return size_on_this_host_; }

 private:
  int rank_ = 0;
  int size_ = 1;
  int size_on_this_host_ = 1;
};

class MpiOutbox;  // sends under way

/// The coordinator's end, on rank 0; the other ranks work.
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiSession& session);
  ~MpiTransport() override;

  [[nodiscard]] std::vector<int> ranks() const override;
  void send(int rank, std::string bytes) override;
  std::optional<RankBytes> receive(Deadline deadline) override;
  void flush() override;

 private:
  int size_;
  std::unique_ptr<MpiOutbox> outbox_;
};

/// A rank's end: moves messages between MPI (this thread) and the rank's threads until stopped.
class MpiRankLink {
 public:
  /// Thread-safe.
  void send(std::string bytes);
  /// Calls `deliver` for every message from the coordinator until `finished` is set and everything
  /// sent before has left. On the MPI thread.
  void pump(const std::function<void(std::string)>& deliver, const std::atomic<bool>& finished);

 private:
  MessageQueue<std::string> outgoing_;
};

}  // namespace ptxbatch
