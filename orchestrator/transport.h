// Bytes between the coordinator and the ranks, point to point. Two ways: MPI, and queues within one
// process. Waiting sleeps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"

namespace ptxbatch {

struct RankBytes {
  int rank = 0;
  std::string bytes;
};

/// The coordinator's end. send() may be called from any thread, the rest from one.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Ranks that work, the coordinator's own process not counted unless it works too.
  [[nodiscard]] virtual std::vector<int> ranks() const = 0;
  /// Queues the bytes and returns at once; messages to one rank arrive in order.
  virtual void send(int rank, std::string bytes) = 0;
  /// The next message of any rank; nothing at the deadline.
  virtual std::optional<RankBytes> receive(Deadline deadline) = 0;
  /// Returns when everything sent has left, or has had some seconds to: a rank that takes nothing
  /// must not hold up the others' end.
  virtual void flush() = 0;
};

}  // namespace ptxbatch
