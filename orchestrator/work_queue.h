// Which trajectory a rank gets next: one whose workload its device already holds, else one of a
// workload that the fewest ranks hold, larger workloads first.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ptxbatch {

class WorkQueue {
 public:
  /// `flops` orders the workloads by size.
  void add(std::int32_t trajectory, const std::string& workload, double flops);
  /// Takes the next trajectory for this rank.
  std::optional<std::int32_t> take(int rank);
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  struct Workload {
    double flops = 0;
    std::deque<std::int32_t> waiting;
    std::set<int> holders;  // ranks that were given a trajectory of it
  };
  std::map<std::string, Workload> workloads_;
  std::size_t size_ = 0;
};

}  // namespace ptxbatch
