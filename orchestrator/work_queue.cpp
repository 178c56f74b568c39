#include "orchestrator/work_queue.h"

#include <tuple>

namespace ptxbatch {

void WorkQueue::add(std::int32_t trajectory, const std::string& workload, double flops) {
  Workload& entry = workloads_[workload];
  entry.flops = flops;
  entry.waiting.push_back(trajectory);
  ++size_;
}

std::optional<std::int32_t> WorkQueue::take(int rank) {
  Workload* best = nullptr;
  const auto preference = [rank](const Workload& workload) {
    const bool held = workload.holders.contains(rank);
    return std::tuple(held, held ? 0 : -static_cast<long>(workload.holders.size()), workload.flops);
  };
  for (auto& [name, workload] : workloads_) {
    if (workload.waiting.empty()) continue;
    if (best == nullptr || preference(workload) > preference(*best)) best = &workload;
  }
  if (best == nullptr) return std::nullopt;
  best->holders.insert(rank);
  const std::int32_t trajectory = best->waiting.front();
  best->waiting.pop_front();
  --size_;
  return trajectory;
}

}  // namespace ptxbatch
