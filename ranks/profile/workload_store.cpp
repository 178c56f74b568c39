#include "ranks/profile/workload_store.h"

#include <algorithm>

namespace ptxbatch {
namespace {

std::string key_of(const OpenWorkload& request) {
  return request.problem.definition + "\n" + request.problem.workload + "\n" +
         std::to_string(request.input_seed) + "\n" + std::to_string(request.input_sets);
}

}  // namespace

std::uint64_t expected_state_bytes(const Problem& problem, std::size_t input_sets) {
  return tensor_bytes(problem) * (input_sets + 1);
}

Result<WorkloadState*> WorkloadStore::open(const OpenWorkload& request) {
  const std::string key = key_of(request);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().state.get();
  }
  // Room is made first: on a GPU, memory that is not there cannot be had for a moment.
  const std::uint64_t expected_bytes = expected_state_bytes(request.problem, request.input_sets);
  evict_down_to(budget_bytes_ - std::min(budget_bytes_, expected_bytes), nullptr);
  auto state = device_.make_workload(request.problem, request.input_seed, request.input_sets);
  if (!state) return fail(state.error());
  entries_.push_front({key, std::move(*state)});
  evict_down_to(budget_bytes_, entries_.front().state.get());
  return entries_.front().state.get();
}

void WorkloadStore::evict_down_to(std::uint64_t limit_bytes, const WorkloadState* wanted) {
  std::uint64_t bytes = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    bytes += entry->state->resident_bytes();
    const bool keep = entry->state.get() == wanted || bytes <= limit_bytes;
    entry = keep ? std::next(entry) : entries_.erase(entry);
  }
}

}  // namespace ptxbatch
