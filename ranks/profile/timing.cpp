#include "ranks/profile/timing.h"

#include <algorithm>
#include <cmath>

#include "common/median.h"

namespace ptxbatch {
namespace {

constexpr double kClockGranularityS = 1e-6;

bool possible(const CallTime& call) {
  return std::isfinite(call.claimed_s) && call.claimed_s >= 0 &&
         call.claimed_s <= call.span_s + kClockGranularityS;
}

}  // namespace

std::vector<double> claimed_ms(const std::vector<CallTime>& calls) {
  std::vector<double> result;
  result.reserve(calls.size());
  for (const CallTime& call : calls) result.push_back(call.claimed_s * 1e3);
  return result;
}

double median_way_s(const std::vector<CallTime>& calls) {
  std::vector<double> ways;
  ways.reserve(calls.size());
  for (const CallTime& call : calls) ways.push_back(call.span_s - call.claimed_s);
  return median(std::move(ways));
}

double relative_spread(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return *smallest > 0 ? (*largest - *smallest) / *smallest : 0;
}

bool claims_fit(const std::vector<CallTime>& candidate, const std::vector<CallTime>& keeper,
                const TimingSlack& slack) {
  if (!std::all_of(candidate.begin(), candidate.end(), possible)) return false;
  const double claim_s = median(claimed_ms(candidate)) / 1e3;
  const double allowed_s =
      slack.way_factor * median_way_s(keeper) + slack.constant_s + slack.share_of_claim * claim_s;
  return median_way_s(candidate) <= allowed_s;
}

std::vector<double> paired_speedups(const std::vector<double>& reference_ms,
                                    const std::vector<std::vector<double>>& candidate_ms) {
  std::vector<double> speedups;
  for (std::size_t i = 0; i < std::min(candidate_ms.size(), reference_ms.size()); ++i) {
    const double behind_ms = reference_ms[std::min(i + 1, reference_ms.size() - 1)];
    const double beside_ms = (reference_ms[i] + behind_ms) / 2;
    for (const double call_ms : candidate_ms[i]) {
      if (call_ms > 0) speedups.push_back(beside_ms / call_ms);
    }
  }
  return speedups;
}

std::vector<int> block_sizes(int count, int blocks) {
  if (count <= 0) return {};
  blocks = std::clamp(blocks, 1, count);
  std::vector<int> sizes(static_cast<std::size_t>(blocks), count / blocks);
  for (int i = 0; i < count % blocks; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

}  // namespace ptxbatch
