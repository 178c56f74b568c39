#include "orchestrator/work_queue.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ptxbatch {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kMinute = 60;
// Trajectories in hand for each call that a model may have out: the others compile, are judged, or
// stand by.
constexpr double kInHandPerCall = 2;

}  // namespace

// By Little's law a minute's limit is one on the calls that are out.
double WorkQueue::Model::calls_at_a_time() const {
  double calls = limits.in_flight > 0 ? limits.in_flight : kUnlimited;
  if (replies == 0) return calls;
  const double mean_s = seconds / static_cast<double>(replies);
  if (limits.requests_per_minute > 0) {
    calls = std::min(calls, limits.requests_per_minute * mean_s / kMinute);
  }
  if (limits.tokens_per_minute > 0 && tokens > 0) {
    const double mean_tokens = tokens / static_cast<double>(replies);
    const double calls_a_minute = static_cast<double>(limits.tokens_per_minute) / mean_tokens;
    calls = std::min(calls, calls_a_minute * mean_s / kMinute);
  }
  return calls;
}

bool WorkQueue::Model::has_enough() const {
  return static_cast<double>(in_hand) >= std::max(1.0, kInHandPerCall * calls_at_a_time());
}

// Per turn of a trajectory; all models have as many. Unknown counts as long, so that it becomes
// known.
double WorkQueue::Model::seconds_to_the_end() const {
  if (replies == 0) return kUnlimited;
  const double mean_s = seconds / static_cast<double>(replies);
  return mean_s * std::max(1.0, static_cast<double>(waiting) / calls_at_a_time());
}

std::size_t WorkQueue::model_index(const std::string& name) {
  const auto [entry, is_new] = model_indices_.try_emplace(name, models_.size());
  if (is_new) models_.emplace_back();
  return entry->second;
}

void WorkQueue::limit(const std::string& model, const ModelLimits& limits) {
  models_[model_index(model)].limits = limits;
}

void WorkQueue::add(std::int32_t trajectory, const std::string& workload, double flops,
                    const std::string& model) {
  Workload& entry = workloads_[workload];
  entry.flops = flops;
  const std::size_t index = model_index(model);
  entry.waiting[index].push_back(trajectory);
  ++models_[index].waiting;
  ++size_;
}

bool WorkQueue::is_better(const Choice& one, const Choice& other, int rank) const {
  const auto preference = [this, rank](const Choice& choice) {
    const bool held = affinity_ && choice.workload->holders.contains(rank);
    const auto holders = static_cast<double>(choice.workload->holders.size());
    const Model& model = models_[choice.model];
    return std::tuple(!model.has_enough(), held, held || !affinity_ ? 0.0 : -holders,
                      model.seconds_to_the_end(), choice.workload->flops,
                      -static_cast<double>(model.in_hand));
  };
  return preference(one) > preference(other);
}

std::optional<std::int32_t> WorkQueue::take(int rank) {
  Choice best;
  for (auto& [name, workload] : workloads_) {
    for (auto& [model, waiting] : workload.waiting) {
      const Choice choice{&workload, model};
      if (best.workload == nullptr || is_better(choice, best, rank)) best = choice;
    }
  }
  if (best.workload == nullptr) return std::nullopt;
  auto& waiting = best.workload->waiting.at(best.model);
  const std::int32_t trajectory = waiting.front();
  waiting.pop_front();
  if (waiting.empty()) best.workload->waiting.erase(best.model);
  best.workload->holders.insert(rank);
  --models_[best.model].waiting;
  ++models_[best.model].in_hand;
  in_hand_[trajectory] = best.model;
  --size_;
  return trajectory;
}

void WorkQueue::release(std::int32_t trajectory) {
  const auto held = in_hand_.find(trajectory);
  if (held == in_hand_.end()) return;
  --models_[held->second].in_hand;
  in_hand_.erase(held);
}

void WorkQueue::replied(const std::string& model, double seconds, std::int64_t tokens) {
  Model& entry = models_[model_index(model)];
  ++entry.replies;
  entry.seconds += seconds;
  entry.tokens += static_cast<double>(tokens);
}

}  // namespace ptxbatch
