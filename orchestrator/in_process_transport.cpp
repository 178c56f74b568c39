#include "orchestrator/in_process_transport.h"

namespace ptxbatch {

// Ranks count from 1 as under MPI, where 0 is the coordinator.
InProcessTransport::InProcessTransport(int ranks) : rank_count_(ranks) {
  for (int rank = 1; rank <= ranks; ++rank) to_ranks_[rank];
}

std::vector<int> InProcessTransport::ranks() const {
  std::vector<int> result;
  for (int rank = 1; rank <= rank_count_; ++rank) result.push_back(rank);
  return result;
}

void InProcessTransport::send(int rank, std::string bytes) {
  to_ranks_.at(rank).push(std::move(bytes));
}

std::optional<RankBytes> InProcessTransport::receive(Deadline deadline) {
  return to_coordinator_.pop_until(deadline);
}

void InProcessTransport::send_to_coordinator(int rank, std::string bytes) {
  to_coordinator_.push({rank, std::move(bytes)});
}

std::optional<std::string> InProcessTransport::receive_at_rank(int rank) {
  return to_ranks_.at(rank).pop();
}

void InProcessTransport::close_rank(int rank) {
  to_ranks_.at(rank).close();
}

}  // namespace ptxbatch
