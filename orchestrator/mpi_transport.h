// Coordinator and ranks as MPI processes. Only point-to-point messages between start and end, and
// MPI is called from one thread a process, which does nothing else: nothing that the process works
// on keeps messages, heartbeats above all, from coming and going. Open MPI's blocking calls spin,
// so waiting is a probe between short sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "common/message_queue.h"
#include "orchestrator/transport.h"

namespace ptxbatch {

/// Whether this process was started by an MPI launcher (mpirun, srun --mpi=pmix).
bool started_by_mpi_launcher();

/// MPI_Init and MPI_Finalize, of the thread that makes it. A process that waits for the others for
/// longer than PTXBATCH_MPI_START_S (600 s) ends as one that may be started again (75).
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
  /// Ends every process of the job, this one among them, without waiting for any.
  [[noreturn]] static void abandon(int exit_code);

 private:
  int rank_ = 0;
  int size_ = 1;
  int size_on_this_host_ = 1;
};

/// Moves bytes between this process's threads and the other processes of the job. MPI is called
/// from pump() alone; all else may be called from any thread.
class MpiLink {
 public:
  void send(int peer, std::string bytes);
  /// Waits until everything sent so far has left. False at the deadline: somebody takes nothing.
  bool flush(Deadline deadline);
  /// Calls `deliver` for every message that comes, until `finished` is set and everything sent
  /// before has left, or has had some seconds to. On the MPI thread.
  void pump(const std::function<void(RankBytes)>& deliver, const std::atomic<bool>& finished);

 private:
  void note_left(std::uint64_t count);

  MessageQueue<RankBytes> outgoing_;
  std::mutex mutex_;
  std::condition_variable has_left_;
  std::uint64_t sent_ = 0;
  std::uint64_t left_ = 0;  // of those sent
};

/// The coordinator's end, on rank 0; the other ranks work. The link is pumped by another thread.
class MpiTransport final : public Transport {
 public:
  MpiTransport(int size, MpiLink& link) : size_(size), link_(link) {}

  [[nodiscard]] std::vector<int> ranks() const override;
  void send(int rank, std::string bytes) override { link_.send(rank, std::move(bytes)); }
  std::optional<RankBytes> receive(Deadline deadline) override {
    return incoming_.pop_until(deadline);
  }
  void flush() override;

  /// Takes what the link brings.
  void deliver(RankBytes received) { incoming_.push(std::move(received)); }

 private:
  int size_;
  MpiLink& link_;
  MessageQueue<RankBytes> incoming_;
};

}  // namespace ptxbatch
