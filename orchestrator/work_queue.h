// Which trajectory a rank gets next.
//
// First what its model can serve: of a model with limits no more is handed out than keeps it busy,
// while others have work. Then a workload that the rank's device already holds, else one that the
// fewest ranks hold. Of those the model that needs the longest to the end, as far as its replies
// have shown: so no long trajectory is left for the last, when all others are done. Of one model's
// the largest workload.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ranks/experiment.h"

namespace ptxbatch {

class WorkQueue {
 public:
  /// Without `affinity` what a rank's device holds does not count.
  explicit WorkQueue(bool affinity = true) : affinity_(affinity) {}

  void limit(const std::string& model, const ModelLimits& limits);
  /// `flops` is the size of the workload.
  void add(std::int32_t trajectory, const std::string& workload, double flops,
           const std::string& model = {});
  /// Takes the next trajectory for this rank; it is in hand from then on.
  std::optional<std::int32_t> take(int rank);
  /// The trajectory is in nobody's hand any more.
  void release(std::int32_t trajectory);
  /// A model has answered, in so many seconds with so many tokens of prompt and reply.
  void replied(const std::string& model, double seconds, std::int64_t tokens);
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  struct Model {
    ModelLimits limits;
    std::size_t waiting = 0;
    std::size_t in_hand = 0;
    std::int64_t replies = 0;
    double seconds = 0;  // of all replies
    double tokens = 0;

    [[nodiscard]] double calls_at_a_time() const;
    [[nodiscard]] bool has_enough() const;
    [[nodiscard]] double seconds_to_the_end() const;
  };
  struct Workload {
    double flops = 0;
    std::map<std::size_t, std::deque<std::int32_t>> waiting;  // by model; no deque is empty
    std::set<int> holders;  // ranks that were given a trajectory of it
  };
  struct Choice {
    Workload* workload = nullptr;
    std::size_t model = 0;
  };
  std::size_t model_index(const std::string& name);
  [[nodiscard]] bool is_better(const Choice& one, const Choice& other, int rank) const;

  bool affinity_;
  std::map<std::string, Workload> workloads_;
  std::vector<Model> models_;  // in the order in which they were named
  std::map<std::string, std::size_t> model_indices_;
  std::map<std::int32_t, std::size_t> in_hand_;  // the model of each trajectory
  std::size_t size_ = 0;
};

}  // namespace ptxbatch
